package check_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ruleCase is one file of testdata/rules/RULE: surfaces, and where the rule must speak of them. Without surfaces the file
// is one surface itself.
type ruleCase struct {
	surfaceCase
	Surfaces []surfaceCase
	Budgets  finding.Budgets
	Want     []string // "SERVER ITEM POINTER", with the level in front where it is not that of the rule
}

type surfaceCase struct {
	Name      string
	Surface   json.RawMessage // a snapshot or the result of a list; or else the members that follow
	Protocol  string
	Tools     json.RawMessage
	Saved     json.RawMessage // tools of the saved snapshot
	Again     json.RawMessage // tools of the second listing
	Transport string
	Noise     []string
	Notices   []check.Deviation
	Supported []string
	Declared  []check.Declared
	Called    *check.Called
	Clients   *check.ClientTools

	Package *check.DeclaredPackage
	Given   []string
}

func TestEveryRuleSpeaksAndIsSilent(t *testing.T) {
	for _, rule := range check.Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join("testdata", "rules", rule.ID, "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			speaks, silent := false, false
			for _, file := range files {
				test := readCase(t, file)
				speaks, silent = speaks || len(test.Want) > 0, silent || len(test.Want) == 0
				if diff := cmp.Diff(test.Want, placesOf(rule, run(t, test.surfaces(t), check.Options{Budgets: test.Budgets}))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", filepath.Base(file), diff)
				}
			}
			if !speaks || !silent {
				t.Errorf("%d cases, of which one must make the rule speak and one must not", len(files))
			}
		})
	}
}

// TestPlantedProblems checks tools with one problem each, as real servers have had them. A problem without a rule is one
// that none finds yet.
func TestPlantedProblems(t *testing.T) {
	data, err := os.ReadFile("testdata/planted.json")
	if err != nil {
		t.Fatal(err)
	}
	var planted []struct {
		surfaceCase
		Problem, Rule string
	}
	if err := json.Unmarshal(data, &planted); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range planted {
		found := run(t, []check.Subject{p.surface(t)}, check.Options{})
		if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == p.Rule }) {
			seen++
		} else if p.Rule != "" {
			t.Errorf("%s: %s does not speak", p.Problem, p.Rule)
		}
	}
	if seen < 88 {
		t.Errorf("%d of %d planted problems are seen", seen, len(planted))
	}
}

func TestEveryCaseHasARule(t *testing.T) {
	folders, err := os.ReadDir("testdata/rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(check.Rules(), func(r finding.Rule) bool { return r.ID == folder.Name() }) {
			t.Errorf("testdata/rules/%s: there is no such rule", folder.Name())
		}
	}
}

func TestTheCatalogueIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range check.Rules() {
		for name, text := range map[string]string{"title": rule.Title, "doc": rule.Doc, "example": rule.Example, "instead": rule.Instead} {
			if text == "" {
				t.Errorf("%s has no %s", rule.ID, name)
			}
		}
		if seen[rule.ID] || rule.Level == finding.Off || strings.HasSuffix(rule.Title, ".") {
			t.Errorf("%s is there twice, off, or has a title that is a sentence", rule.ID)
		}
		seen[rule.ID] = true
	}
}

func readCase(t *testing.T, file string) ruleCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var test ruleCase
	if err := json.Unmarshal(data, &test); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return test
}

func (c ruleCase) surfaces(t *testing.T) []check.Subject {
	t.Helper()
	cases := c.Surfaces
	if len(cases) == 0 {
		cases = []surfaceCase{c.surfaceCase}
	}
	var all []check.Subject
	for _, one := range cases {
		all = append(all, one.surface(t))
	}
	return all
}

func (c surfaceCase) surface(t *testing.T) check.Subject {
	t.Helper()
	s := check.Subject{Name: c.Name, Snapshot: listed(t, c.Tools), Saved: listed(t, c.Saved), Declared: c.Declared, Called: c.Called,
		Clients: c.Clients}
	if c.Surface != nil {
		parsed, err := snapshot.Parse(c.Surface)
		if err != nil {
			t.Fatal(err)
		}
		s.Snapshot = parsed
	}
	if s.Snapshot == nil {
		s.Snapshot = &snapshot.Snapshot{}
	}
	if c.Protocol != "" {
		s.Snapshot.Protocol = c.Protocol
	}
	s.Snapshot.Supported = c.Supported
	s.Observed = check.Observed{Transport: c.Transport, Noise: c.Noise, Notices: c.Notices, Package: c.Package, Given: c.Given}
	if again := listed(t, c.Again); again != nil {
		s.Observed.Again = []snapshot.List{again.Tools}
	}
	return s
}

// listed is a snapshot with these tools, in their order; nil without any.
func listed(t *testing.T, tools json.RawMessage) *snapshot.Snapshot {
	t.Helper()
	if tools == nil {
		return nil
	}
	s, err := snapshot.Parse([]byte(`{"tools":` + string(tools) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func placesOf(rule finding.Rule, found []finding.Finding) []string {
	var places []string
	for _, f := range found {
		if f.Rule != rule.ID {
			continue
		}
		place := strings.Join(strings.Fields(f.Server+" "+f.Item+" "+f.Pointer()), " ")
		if f.Level != rule.Level {
			place = f.Level.String() + " " + place
		}
		places = append(places, place)
	}
	return places
}

// run checks to the end.
func run(t testing.TB, subjects []check.Subject, options check.Options) []finding.Finding {
	t.Helper()
	found, err := check.Run(t.Context(), subjects, options)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestManyFaultsOfOneSchemaAreCounted: a schema of thousands of faults is reported by the first ones and the number of the rest.
func TestManyFaultsOfOneSchemaAreCounted(t *testing.T) {
	text := `{"protocolVersion":"2025-11-25","tools":[{"name":"t","inputSchema":{"type":"object","allOf":[` +
		strings.TrimSuffix(strings.Repeat(`"a",`, 5000), ",") + `]}}]}`
	s, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, f := range run(t, []check.Subject{{Name: "s", Snapshot: s}}, check.Options{}) {
		if f.Rule == "schema-invalid" {
			told = append(told, f.Message)
		}
	}
	if len(told) != 101 || !slices.Contains(told, "The schema is invalid in 4900 more places.") {
		t.Errorf("%d are told, the first is %q", len(told), told[:min(len(told), 1)])
	}
}

// TestQuietTools: a tool that rules were silent about is silent in another server, too, and one that they speak of is reported each time.
func TestQuietTools(t *testing.T) {
	list := func(tool string) *snapshot.Snapshot {
		s, err := snapshot.Parse([]byte(`{"tools":[` + tool + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for range 2 {
		for tool, want := range map[string]bool{
			`{"name":"quiet","description":"Gives the time of day.","inputSchema":{"type":"object","properties":{}}}`: false,
			`{"name":"loud","description":"Gives the time of day.","inputSchema":{"type":"object","properties":{"n":{"type":"integer",` +
				`"default":"x","description":"how many"}}}}`: true,
		} {
			found, err := check.Run(t.Context(), []check.Subject{{Name: "a", Snapshot: list(tool)}, {Name: "b", Snapshot: list(tool)}},
				check.Options{})
			told := map[string]bool{}
			for _, f := range found {
				told[f.Server] = told[f.Server] || f.Rule == "default-invalid"
			}
			if err != nil || told["a"] != want || told["b"] != want {
				t.Errorf("%s: %v, %v", tool, found, err)
			}
		}
	}
}

// TestExamplesOfAttacks: the example of a rule about texts that attack is one that the rule finds.
func TestExamplesOfAttacks(t *testing.T) {
	tried := 0
	for _, rule := range check.Rules() {
		var text string
		if !rule.Security || !strings.HasPrefix(rule.ID, "text-") || json.Unmarshal([]byte(rule.Example), &text) != nil {
			continue
		}
		tried++
		s, err := snapshot.Parse([]byte(`{"tools": [{"name": "add_note", "description": ` + rule.Example + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s}}, check.Options{})
		if err != nil || !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == rule.ID }) {
			t.Errorf("%s does not find its example %s: %v", rule.ID, text, found)
		}
	}
	if tried < 3 {
		t.Errorf("%d examples", tried)
	}
}
