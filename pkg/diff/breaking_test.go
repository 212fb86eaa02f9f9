package diff_test

import (
	"errors"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestBreaking answers with the findings that break, and never with none where something was not decided. A nil
// context never ends.
func TestBreaking(t *testing.T) {
	const one, two = `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"a"}]}`
	part := parse(t, two)
	part.SetList(snapshot.NewPart(snapshot.Tools, nil, "page 2: no answer"))
	tests := map[string]struct {
		old, new *snapshot.Snapshot
		rules    []string
		unknown  bool
	}{
		"the same":  {parse(t, one), parse(t, one), nil, false},
		"more":      {parse(t, two), parse(t, one), nil, false},
		"less":      {parse(t, one), parse(t, two), []string{"tool-removed"}, false},
		"no server": {parse(t, one), nil, []string{"server-removed"}, false},
		"a part":    {parse(t, one), part, []string{"list-unavailable"}, true},
		"rare keyword": {parse(t, rare(`^(?=.{4,200}$)(?:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$`)),
			parse(t, rare(`^(?:[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$`)), nil, true},
	}
	for name, test := range tests {
		//lint:ignore SA1012 that it works is what is tested
		breaks, err := diff.Breaking(nil, test.old, test.new, diff.Options{})
		var rules []string
		for _, f := range breaks {
			rules = append(rules, f.Rule)
			if f.Level != finding.Breaking {
				t.Errorf("%s: level %s", name, f.Level)
			}
		}
		_, unknown := errors.AsType[*diff.UnknownError](err)
		if len(rules) != len(test.rules) || len(rules) > 0 && rules[0] != test.rules[0] || unknown != test.unknown {
			t.Errorf("%s: %v, %v", name, rules, err)
		}
	}
}

// rare returns a server whose tool has an argument with a pattern.
func rare(pattern string) string {
	return `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"q":{"type":"string","pattern":"` +
		pattern + `"}}}}]}`
}
