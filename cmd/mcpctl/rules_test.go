package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// catalogue is the rules of one command with their introduction.
type catalogue struct {
	title, says string
	file        string // with the section of each rule; empty = no sections
	rules       []finding.Rule
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
		{"Changes", diffSays, "../../pkg/diff/rules.json", diff.Rules()},
		{"Problems", checkSays, "../../pkg/check/rules.json", check.Rules()},
		{"Replayed calls", replaySays, "", finding.CallRules()},
		{"Waivers", policySays, "", finding.PolicyRules()},
	}
}

// sections returns the titles of the tables of a catalogue in their order, and the one of each rule, from its file.
func (c catalogue) sections(t *testing.T) (titles []string, of map[string]string) {
	if c.file == "" {
		return []string{""}, map[string]string{}
	}
	type row struct{ ID, Section string }
	var file struct {
		Sections []string
		Rules    []row
		Schema   []struct {
			Input, Output struct{ ID string }
			Section       string
		}
	}
	if err := json.Unmarshal([]byte(readText(t, c.file)), &file); err != nil {
		t.Fatal(err)
	}
	of = map[string]string{}
	for _, r := range file.Schema {
		file.Rules = append(file.Rules, row{r.Input.ID, r.Section}, row{r.Output.ID, r.Section})
	}
	for _, r := range file.Rules {
		if of[r.ID] = r.Section; !slices.Contains(file.Sections, r.Section) {
			t.Errorf("%s: the section %q of %s is none of %q", c.file, r.Section, r.ID, file.Sections)
		}
	}
	return file.Sections, of
}

// TestTheRulesAreDocumented keeps docs/rules.md the same as the catalogues; -update rewrites it.
func TestTheRulesAreDocumented(t *testing.T) {
	const page = "../../docs/rules.md"
	got := rulesPage(t, catalogues())
	if *update {
		writeText(t, page, got)
	}
	want := readText(t, page)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("go test ./cmd/mcpctl -run Documented -update writes the page (-want +got):\n%s", diff)
	}
}

// TestTheApplicationsAreDocumented keeps the list in docs/config.md the same as applications.json; -update rewrites it.
func TestTheApplicationsAreDocumented(t *testing.T) {
	const page = "../../docs/config.md"
	var names []string
	for _, app := range clients.Table() {
		if len(app.Rows) > 0 { // else its files are read only where the user names them
			names = append(names, app.Name)
		}
	}
	want := "- mcpctl reads"
	width := len(want)
	for i, word := range strings.Fields(kit.And(names, len(names)) + ".") {
		if width += 1 + len(word); i > 0 && width > 108 {
			want, width = want+"\n ", 2+len(word)
		}
		want += " " + word
	}
	text := readText(t, page)
	got := regexp.MustCompile(`(?s)- mcpctl reads .*?\.\n`).FindString(text)
	if *update {
		writeText(t, page, strings.Replace(text, got, want+"\n", 1))
		return
	}
	if diff := gocmp.Diff(want+"\n", got); diff != "" {
		t.Errorf("make docs writes the list of applications (-want +got):\n%s", diff)
	}
}

func TestEveryRuleIsInOneCatalogue(t *testing.T) {
	titles := map[string]string{}
	for _, c := range catalogues() {
		for _, rule := range c.rules {
			if other, taken := titles[rule.ID]; taken {
				t.Errorf("%s is one of the %s and of the %s", rule.ID, other, c.title)
			}
			titles[rule.ID] = c.title
		}
	}
	for _, rule := range seen.AllRules() {
		if titles[rule.ID] == "" {
			t.Errorf("mcpctl rules lists %s, and no catalogue has it", rule.ID)
		}
	}
	if len(seen.AllRules()) != len(titles) {
		t.Errorf("mcpctl rules lists %d of %d rules", len(seen.AllRules()), len(titles))
	}
}

func rulesPage(t *testing.T, all []catalogue) string {
	var b strings.Builder
	b.WriteString(
		"# Rules\n\nEach finding has the id of a rule. `mcpctl rules ID` explains one: what it means, why it matters, an example, and\n" +
			"how to fix it. The level is the default; `rules` in [mcpctl.yaml](ci.md#policy) changes it.\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.says)
		titles, of := c.sections(t)
		for _, title := range titles {
			if title != "" {
				fmt.Fprintf(&b, "\n### %s\n", title)
			}
			writeSection(&b, kit.Filter(c.rules, func(r finding.Rule) bool { return of[r.ID] == title }))
		}
	}
	return b.String()
}

// writeSection writes tables of rules; those of a schema on arguments and on results share a row.
func writeSection(b *strings.Builder, rules []finding.Rule) {
	sides := map[string][]finding.Rule{} // by the id without its direction
	for _, rule := range rules {
		if rule.Direction != "" {
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
