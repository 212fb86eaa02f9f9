package main

import (
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// catalogue is the rules of one command with their introduction.
type catalogue struct {
	title, says string
	rules       []finding.Rule
	sections    []section
}

// section is a table of the page.
type section struct {
	title    string
	prefixes []string // of the ids; none = all that no other section has
	schemas  bool     // rules on arguments and results share a row
}

// What the page says before a table.
const (
	diffSays   = "Rules of `mcpctl diff`, `accept` and `watch`. [compatibility.md](compatibility.md) defines what is breaking."
	checkSays  = "Rules of `mcpctl check`. [check.md](check.md) shows how to use it."
	replaySays = "Rules of `mcpctl replay`; see [calls.md](calls.md)."
	policySays = "Rules of diff and check about waivers; see [the policy](ci.md#policy)."
)

func catalogues() []catalogue {
	return []catalogue{
		{"Changes", diffSays, diff.Rules(), []section{
			{title: "Arguments and results", prefixes: []string{"input-", "output-"}, schemas: true},
			{title: "Tools", prefixes: []string{"tool-"}},
			{title: "Prompts", prefixes: []string{"prompt-"}},
			{title: "Resources and resource templates", prefixes: []string{"resource-", "template-"}},
			{title: "Skills", prefixes: []string{"skill-"}},
			{title: "Items of any kind", prefixes: []string{"item-"}},
			{title: "Texts", prefixes: []string{"text-", "instructions-"}},
			{title: "The server"},
		}},
		{"Problems", checkSays, check.Rules(), []section{
			{title: "Texts that attack the user, and credentials", prefixes: []string{"text-claims", "text-hidden",
				"text-instructs", "text-names-credential", "text-names-other", "text-padded", "secret-", "url-",
				"argument-asks"}},
			{title: "Schemas", prefixes: []string{"input-", "output-", "schema-", "reference-", "pattern-",
				"definitions-", "required-", "default-", "example-"}},
			{title: "Descriptions", prefixes: []string{"text-choices", "text-default", "text-limit", "text-required",
				"text-names-unknown", "argument-", "tool-description", "prompt-", "description-"}},
			{title: "Names and annotations", prefixes: []string{"tool-name", "tool-annotation"}},
			{title: "MCP Apps", prefixes: []string{"app-"}},
			{title: "Model providers", prefixes: []string{"provider-"}},
			{title: "Cost and budgets", prefixes: []string{"budget-", "fleet-", "text-long", "tool-expensive",
				"tool-never"}},
			{title: "Files about a server", prefixes: []string{"declared-"}},
			{title: "The protocol"},
		}},
		{"Replayed calls", replaySays, finding.CallRules(), []section{{}}},
		{"Waivers", policySays, finding.PolicyRules(), []section{{}}},
	}
}

// TestTheRulesAreDocumented keeps docs/rules.md the same as the catalogues; -update rewrites it.
func TestTheRulesAreDocumented(t *testing.T) {
	const page = "../../docs/rules.md"
	got := rulesPage(catalogues())
	if *update {
		writeText(t, page, got)
	}
	want := readText(t, page)
	if diff := gocmp.Diff(want, got); diff != "" {
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
	for _, rule := range report.AllRules() {
		if seen[rule.ID] == "" {
			t.Errorf("mcpctl rules lists %s, and no catalogue has it", rule.ID)
		}
	}
	if len(report.AllRules()) != len(seen) {
		t.Errorf("mcpctl rules lists %d of %d rules", len(report.AllRules()), len(seen))
	}
}

func rulesPage(all []catalogue) string {
	var b strings.Builder
	b.WriteString("# Rules\n\nEach finding has the id of a rule. `mcpctl rules ID` explains one: what it means, why it matters, an example, and\n" +
		"how to fix it. The level is the default; `rules` in [mcpctl.yaml](ci.md#policy) changes it.\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.says)
		for i, section := range c.sections {
			if section.title != "" {
				fmt.Fprintf(&b, "\n### %s\n", section.title)
			}
			writeSection(&b, section, kit.Filter(c.rules, func(r finding.Rule) bool { return c.sectionOf(r.ID) == i }))
		}
	}
	return b.String()
}

// sectionOf returns the index of the section with the longest prefix of an id.
func (c catalogue) sectionOf(id string) int {
	best, length := len(c.sections)-1, 0
	for i, section := range c.sections {
		for _, prefix := range section.prefixes {
			if strings.HasPrefix(id, prefix) && len(prefix) > length {
				best, length = i, len(prefix)
			}
		}
	}
	return best
}

func writeSection(b *strings.Builder, s section, rules []finding.Rule) {
	sides := map[string][]finding.Rule{} // by the id without its direction
	for _, rule := range rules {
		if s.schemas {
			_, change, _ := strings.Cut(rule.ID, "-")
			sides[change] = append(sides[change], rule)
		}
	}
	own, both := "", ""
	for _, rule := range rules {
		_, change, _ := strings.Cut(rule.ID, "-")
		switch pair := sides[change]; {
		case len(pair) < 2:
			own += fmt.Sprintf("|%s`%s`|%s|%s|\n", anchor(rule.ID), rule.ID, rule.Level, escaped(rule.Title))
		case pair[0].ID == rule.ID:
			title := strings.TrimPrefix(rule.Title, "An argument ")
			both += fmt.Sprintf("|%s%s`%s`|%s|%s|%s|\n", anchor(rule.ID), anchor(pair[1].ID), change, rule.Level,
				pair[1].Level, escaped(title))
		}
	}
	if both != "" {
		b.WriteString("\n`input-CHANGE` is the rule for arguments, `output-CHANGE` for results.\n\n" +
			"|CHANGE|input|output|of an argument, or a member of a result|\n|---|---|---|---|\n" + both)
	}
	if own != "" {
		b.WriteString("\n|rule|level|reported when|\n|---|---|---|\n" + own)
	}
}

// anchor returns the target of links to a rule, such as those of SARIF.
func anchor(id string) string { return fmt.Sprintf("<a id=%q></a>", id) }

// escaped returns a text without Markdown.
func escaped(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(text)
}
