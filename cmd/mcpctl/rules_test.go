package main

import (
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

// What the page says before a table.
const (
	diffSays = "[compatibility.md](compatibility.md) defines what is breaking.\n\n" +
		"A change inside a schema is two rules: `input-CHANGE` for arguments, `output-CHANGE` for results. The level is the usual one; a finding has\n" +
		"that of its own verdict. Instead of narrowing an argument, go on accepting old values and convert them inside the server. Instead of\n" +
		"widening a result, return new values in a member of their own, or from a new tool."
	checkSays  = "[check.md](check.md) says how they are applied and how often they speak on real servers."
	policySays = "They speak in diff and check; [ci.md](ci.md#policy) has the policy."
)

func catalogues() []catalogue {
	return []catalogue{
		{"Rules of diff", diffSays, diff.Rules()},
		{"Rules of check", checkSays, check.Rules()},
		{"Rules of the policy", policySays, finding.PolicyRules()},
	}
}

// TestTheRulesAreDocumented keeps docs/rules.md the same as the catalogues; -update rewrites it.
func TestTheRulesAreDocumented(t *testing.T) {
	const page = "../../docs/rules.md"
	got := rulesPage(catalogues())
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
	for _, c := range catalogues() {
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

func rulesPage(all []catalogue) string {
	var b strings.Builder
	b.WriteString("# Rules\n\n`mcpctl rules ID` explains one: what it means, why, an example, what to do instead.\n")
	for _, c := range all {
		known, both, own := map[string]finding.Rule{}, strings.Builder{}, strings.Builder{}
		for _, rule := range c.rules {
			known[rule.ID] = rule
		}
		for _, rule := range c.rules {
			change, isOutput := strings.CutPrefix(rule.ID, "output-")
			twin, hasTwin := known["input-"+change]
			_, hasOutput := known["output-"+strings.TrimPrefix(rule.ID, "input-")]
			switch {
			case isOutput && hasTwin:
				fmt.Fprintf(&both, "|%s%s`%s`|%s|%s|%s|\n", anchor(twin.ID), anchor(rule.ID), change, twin.Level, rule.Level, escaped(twin.Title))
			case !hasOutput || isOutput:
				fmt.Fprintf(&own, "|%s`%s`|%s|%s|\n", anchor(rule.ID), rule.ID, rule.Level, escaped(rule.Title))
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.says)
		if both.Len() > 0 {
			b.WriteString("\n|CHANGE|input|output|of an argument; the same of a result|\n|---|---|---|---|\n" + both.String())
		}
		b.WriteString("\n|rule|level|means|\n|---|---|---|\n" + own.String())
	}
	return b.String()
}

// anchor is where links to a rule lead, such as those of SARIF.
func anchor(id string) string { return fmt.Sprintf("<a id=%q></a>", id) }

// escaped is a text in which Markdown finds nothing but text.
func escaped(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(text)
}
