package diff_test

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestInputAndOutputMirror checks that a change which breaks callers is safe for readers, and the other way
// round.
func TestInputAndOutputMirror(t *testing.T) {
	rules, checked := rulesByID(), 0
	for id, input := range rules {
		base, isInput := strings.CutPrefix(id, "input-")
		for _, words := range [][2]string{{"-narrowed", "-widened"}, {"-widened", "-narrowed"}} {
			if family, ok := strings.CutSuffix(base, words[0]); ok && isInput {
				checked++
				if output := rules["output-"+family+words[1]]; output.Level != input.Level {
					t.Errorf("%s is %s and %s is %s", id, input.Level, output.ID, output.Level)
				}
			}
		}
	}
	if checked < 14 {
		t.Errorf("only %d pairs were looked at", checked)
	}
}

func rulesByID() map[string]finding.Rule {
	rules := map[string]finding.Rule{}
	for _, rule := range diff.Rules() {
		rules[rule.ID] = rule
	}
	return rules
}
