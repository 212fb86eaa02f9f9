package diff_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ruleCase is one file of testdata/rules, named RULE.json or RULE.WHAT.json: a pair for which the rule must
// speak, and one for which it must not. For a schema rule the sides are schemas, for any other rule
// snapshots.
type ruleCase struct {
	Options diff.Options
	Fires   struct {
		Old, New json.RawMessage
		Place    string
		Level    string // empty: that of the catalogue
	}
	Silent struct {
		Old, New json.RawMessage
		Options  *diff.Options
	}
}

func TestEveryRuleSpeaksAndIsSilent(t *testing.T) {
	cases := ruleCases(t)
	for _, rule := range diff.Rules() {
		if len(cases[rule.ID]) == 0 {
			t.Errorf("%s has no case", rule.ID)
		}
		for _, file := range cases[rule.ID] {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			t.Run(name, func(t *testing.T) { testRuleCase(t, rule, file) })
		}
	}
}

func testRuleCase(t *testing.T, rule finding.Rule, file string) {
	test := readRuleCase(t, file)
	level := test.Fires.Level
	if level == "" {
		level = rule.Level.String()
	}
	found := compareCase(t, rule, test.Fires.Old, test.Fires.New, test.Options)
	if !slices.ContainsFunc(found, func(f finding.Finding) bool {
		return f.Rule == rule.ID && place(f) == test.Fires.Place && f.Level.String() == level
	}) {
		t.Errorf("it does not speak as %s at %s; found:\n%s", level, test.Fires.Place,
			strings.Join(lines(found), "\n"))
	}
	options := test.Options
	if test.Silent.Options != nil {
		options = *test.Silent.Options
	}
	found = compareCase(t, rule, test.Silent.Old, test.Silent.New, options)
	if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == rule.ID }) {
		t.Errorf("it is not silent; found:\n%s", strings.Join(lines(found), "\n"))
	}
}

// TestEveryRuleHasItsTexts reads rules.json as it was written: nothing is missing, and no placeholder stays
// in a title.
func TestEveryRuleHasItsTexts(t *testing.T) {
	sentence := regexp.MustCompile(`^[A-Z_][^{}\[\]]*[^.]$`)
	for _, rule := range diff.Rules() {
		for what, text := range map[string]string{"doc": rule.Doc, "example": rule.Example, "what to do instead": rule.Instead} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", rule.ID, what)
			}
		}
		if !sentence.MatchString(rule.Title) {
			t.Errorf("%s has the title %q", rule.ID, rule.Title)
		}
		if strings.ToLower(rule.ID) != rule.ID || strings.ContainsAny(rule.ID, " _") {
			t.Errorf("%s is not a kebab-case id", rule.ID)
		}
	}
}

func TestEveryCaseHasARule(t *testing.T) {
	rules := rulesByID()
	for id, files := range ruleCases(t) {
		if _, known := rules[id]; !known {
			t.Errorf("there is no rule for %v", files)
		}
	}
}

// ruleCases returns the files of testdata/rules by the rule that each is about.
func ruleCases(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("testdata/rules/*.json")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]string{}
	for _, file := range files {
		id, _, _ := strings.Cut(filepath.Base(file), ".")
		cases[id] = append(cases[id], file)
	}
	return cases
}

func readRuleCase(t *testing.T, file string) ruleCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var test ruleCase
	if err := json.Unmarshal(data, &test); err != nil {
		t.Fatal(err)
	}
	return test
}

func compareCase(t *testing.T, rule finding.Rule, old, new json.RawMessage, options diff.Options) []finding.Finding {
	t.Helper()
	return compared(t, side(t, rule, old), side(t, rule, new), options)
}

// side is one side of a case; null is a side that does not have the server.
func side(t *testing.T, rule finding.Rule, raw json.RawMessage) *snapshot.Snapshot {
	t.Helper()
	if string(raw) == "null" {
		return nil
	}
	return parse(t, surface(rule, raw))
}

// surface is a snapshot with one tool around the schema of a case.
func surface(rule finding.Rule, side json.RawMessage) string {
	if rule.Direction == "" {
		return string(side)
	}
	schemas := `"inputSchema":` + string(side)
	if rule.Direction == finding.Output {
		schemas = `"inputSchema":{"type":"object"},"outputSchema":` + string(side)
	}
	return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[{"name":"search",` + schemas + `}]}`
}
