package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/report"
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
		"A change inside a schema is two rules: `input-CHANGE` for arguments, `output-CHANGE` for results. The level is the usual one."
	checkSays  = "[check.md](check.md) says how they are applied."
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
	if diff := gocmp.Diff(string(want), got); diff != "" {
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
	b.WriteString("# Rules\n\n`mcpctl rules ID` explains one: what it means, why, an example, what to do instead.\n")
	for _, c := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", c.title, c.says)
		families := map[string][]finding.Rule{}
		for _, rule := range c.rules {
			if kind, change := family(rule.ID); kind >= 0 {
				families[change] = append(families[change], rule)
			}
		}
		sides, kinds, own := "", "", ""
		for _, rule := range c.rules {
			kind, change := family(rule.ID)
			members := families[change]
			switch {
			case kind < 0 || len(members) < 2:
				own += fmt.Sprintf("|%s`%s`|%s|%s|\n", anchor(rule.ID), rule.ID, rule.Level, escaped(rule.Title))
			case members[0].ID != rule.ID: // told with the first
			case kind < ofSides:
				sides += familyRow(change, members, 0, ofSides)
			default:
				kinds += familyRow(change, members, ofSides, len(prefixes))
			}
		}
		if sides != "" {
			b.WriteString("\n|CHANGE|input|output|an argument, or a member of a result|\n|---|---|---|---|\n" + sides)
		}
		if kinds != "" {
			b.WriteString("\n|CHANGE|tool|prompt|resource|template|skill||\n|---|---|---|---|---|---|---|\n" + kinds)
		}
		b.WriteString("\n|rule|level|means|\n|---|---|---|\n" + own)
	}
	return b.String()
}

// prefixes are how rules begin that say the same of several things: the two sides of a schema, and the kinds of items.
var prefixes = []string{"input-", "output-", "tool-", "prompt-", "resource-", "template-", "skill-"}

const ofSides = 2

// family is which prefix a rule has, and what follows; -1 = none.
func family(id string) (kind int, change string) {
	for i, prefix := range prefixes {
		if change, found := strings.CutPrefix(id, prefix); found {
			return i, cmp.Or(map[bool]string{true: "side "}[i < ofSides], "item ") + change
		}
	}
	return -1, ""
}

// sameOf is what a title says of an argument or of one kind of item: the row says it of all.
var sameOf = regexp.MustCompile(`^(An?|The) (argument|tool|prompt|resource|skill)('s)? | of (an?|the) (argument|tool|prompt|resource|skill)\b`)

// familyRow is rules that say the same of several things, with the level of each.
func familyRow(change string, members []finding.Rule, from, to int) string {
	levels, anchors := make([]string, to-from), ""
	for _, rule := range members {
		kind, _ := family(rule.ID)
		levels[kind-from] = rule.Level.String()
		anchors += anchor(rule.ID)
	}
	title := sameOf.ReplaceAllString(members[0].Title, "")
	return fmt.Sprintf("|%s`%s`|%s|%s|\n", anchors, change[len("side "):], strings.Join(levels, "|"), escaped(title))
}

// anchor is where links to a rule lead, such as those of SARIF.
func anchor(id string) string { return fmt.Sprintf("<a id=%q></a>", id) }

// escaped is a text in which Markdown finds nothing but text.
func escaped(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(text)
}
