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

func catalogues(t *testing.T) []catalogue {
	return []catalogue{
		{"Rules of diff", "[compatibility.md](compatibility.md) is the definition behind them. The level of a schema rule is the usual one: each finding's\nown level is the verdict on the change that it tells.", diff.Rules()},
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
	got := rulesPage(catalogues(t))
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

func rulesPage(all []catalogue) string {
	var b strings.Builder
	b.WriteString("# Rules\n\nMade from the catalogues in the code; `go test ./cmd/mcpctl -run Documented -update` rewrites it.\n`mcpctl rules ID` shows one of them.\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| rule | level | in one line |\n|---|---|---|\n", c.title, c.says)
		for _, rule := range c.rules {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", rule.ID, rule.ID, rule.Level, escaped(rule.Title))
		}
	}
	for _, c := range all {
		for _, rule := range c.rules {
			b.WriteString(chapter(rule))
		}
	}
	return b.String()
}

func chapter(rule finding.Rule) string {
	return fmt.Sprintf("\n### %s\n\n**%s.** %s\n\n- level: %s\n- example: %s\n- instead: %s\n",
		rule.ID, escaped(rule.Title), escaped(rule.Doc), rule.Level, code(rule.Example), escaped(rule.Instead))
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
