package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rules"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// catalogue is the rules of one command with what the page says of them.
type catalogue struct {
	title, says string
	rules       []finding.Rule
}

// diffSays is what the rules of diff have in common.
const diffSays = "[compatibility.md](compatibility.md) is the definition behind them. The level of a schema rule is the usual one: each finding's\n" +
	"own level is the verdict on the change that it tells. An argument that takes fewer values breaks calls that were right: go on taking the old\n" +
	"ones and convert them inside the server. A result that can be more values breaks readers that never had to expect them: return new ones in a\n" +
	"member of their own, or from a new tool. A rule `output-…` without an example is as its `input-…`, of results."

func catalogues(t *testing.T) []catalogue {
	return []catalogue{
		{"Rules of diff", diffSays, diff.Rules()},
		{"Rules of check", "[check.md](check.md) tells how they are applied.\n\n" + onRealServers(t), check.Rules()},
		{"Rules of the policy", "[ci.md](ci.md#policy) tells what a policy is. They speak in diff and check.", finding.PolicyRules()},
	}
}

// onRealServers is the table of how often each rule of check speaks of the listings that a test of pkg/check reads.
func onRealServers(t *testing.T) string {
	counts, err := os.ReadFile("../../testdata/listings/COUNTS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(counts), "\n\n")
	if !found {
		t.Fatal("the counts have no table")
	}
	return "What they say of real servers ([their listings](../testdata/listings/README.md); check.md has the counts of 90):\n" + strings.TrimSpace(table)
}

// TestTheRulesAreDocumented keeps docs/rules.md the same as the catalogues; -update rewrites it.
func TestTheRulesAreDocumented(t *testing.T) {
	const page = "../../docs/rules.md"
	got := rulesPage(t, catalogues(t))
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("go test ./cmd/mcpctl -run Documented -update writes the page (-want +got):\n%s", diff)
	}
}

func TestEveryRuleIsInOneCatalogue(t *testing.T) {
	seen := map[string]string{}
	for _, c := range catalogues(t) {
		for _, rule := range c.rules {
			if other, taken := seen[rule.ID]; taken {
				t.Errorf("%s is one of the %s and of the %s", rule.ID, other, c.title)
			}
			seen[rule.ID] = c.title
		}
	}
	for _, rule := range rules.All() {
		if seen[rule.ID] == "" {
			t.Errorf("mcpctl rules lists %s, and no catalogue has it", rule.ID)
		}
	}
	if len(rules.All()) != len(seen) {
		t.Errorf("mcpctl rules lists %d of %d rules", len(rules.All()), len(seen))
	}
}

func rulesPage(t *testing.T, all []catalogue) string {
	var b strings.Builder
	b.WriteString("# Rules\n\nMade from the catalogues in the code; `go test ./cmd/mcpctl -run Documented -update` rewrites it.\n`mcpctl rules ID` tells one of them in full: why, an example, and what to do instead.\n")
	effects, known := readEffects(t), map[string]finding.Rule{}
	for _, c := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.says)
		for _, rule := range c.rules {
			known[rule.ID] = rule
			b.WriteString(effects.chapter(rule, known))
		}
	}
	return b.String()
}

// effects is what every rule of its kind says of what a change does: the page has it once.
type effects []struct{ Doc string }

func readEffects(t *testing.T) (all effects) {
	var file struct {
		Effects map[string]map[string]struct{ Doc string }
	}
	data, err := os.ReadFile("../../pkg/diff/rules.json")
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || len(file.Effects) == 0 {
		t.Fatalf("no effects: %v", err)
	}
	for _, directions := range file.Effects {
		for _, one := range directions {
			all = append(all, one)
		}
	}
	return all
}

// own is what a rule says beside its effect.
func (all effects) own(rule finding.Rule) string {
	for _, e := range all {
		if bare, ok := strings.CutSuffix(rule.Doc, e.Doc); ok {
			return strings.TrimSpace(bare)
		}
	}
	return rule.Doc
}

// chapter is what the page says of a rule: of one for results only what the same one for arguments does not say.
func (all effects) chapter(rule finding.Rule, known map[string]finding.Rule) string {
	text := fmt.Sprintf("\n### %s\n\n%s: **%s.**", rule.ID, rule.Level, escaped(rule.Title))
	doc := all.own(rule)
	twin, ok := known["input-"+strings.TrimPrefix(rule.ID, "output-")]
	switch same := all.own(twin); {
	case ok && rule.ID != twin.ID && same == doc && twin.Example == rule.Example:
		return text + "\n"
	case doc == rule.Doc: // it is no rule of a schema's keyword, whose title says it
		first, _, _ := strings.Cut(doc+" ", ". ")
		text += " " + escaped(strings.TrimRight(first, " .")) + "."
	}
	text += "\nExample: " + code(rule.Example) + "\n"
	return text
}

// escaped is a text in which Markdown finds nothing but text.
func escaped(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(text)
}

// code is a text as code of Markdown, whatever backticks it has.
func code(text string) string {
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}
