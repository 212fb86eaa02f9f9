package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestTheRulesAreDocumented keeps docs/rules.md the same as the catalogue; -update rewrites it.
func TestTheRulesAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The rules of mcpctl diff\n\nMade from the catalogue in `pkg/diff`; `go test ./pkg/diff -run Documented -update` rewrites it.\n")
	b.WriteString("[compatibility.md](compatibility.md) is the definition behind them. `mcpctl rules ID` shows one of them.\n\n")
	b.WriteString("The level of a schema rule is the usual one: each finding's own level is the verdict on the change that it tells.\n\n")
	b.WriteString("| rule | level | in one line |\n|---|---|---|\n")
	for _, rule := range diff.Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", rule.ID, rule.ID, rule.Level, escaped(rule.Title))
	}
	for _, rule := range diff.Rules() {
		b.WriteString(chapter(rule))
	}
	golden(t, "../../docs/rules.md", b.String())
}

func chapter(rule finding.Rule) string {
	return fmt.Sprintf("\n## %s\n\n**%s.** %s\n\n- level: %s\n- example: `%s`\n- instead: %s\n",
		rule.ID, escaped(rule.Title), escaped(rule.Doc), rule.Level, rule.Example, escaped(rule.Instead))
}

// escaped is a text in which Markdown finds nothing but text.
func escaped(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(text)
}
