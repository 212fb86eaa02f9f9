package diff_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// witnesses checks by an independent validator that each witness was right before and is wrong now; for an
// output schema the other way round. It returns how many there are.
func witnesses(t *testing.T, old, new *snapshot.Snapshot, findings []finding.Finding) (checked int) {
	t.Helper()
	for _, f := range findings {
		keyword := strings.Split(f.Path+"//", "/")[1]
		if f.Witness == nil || keyword != "inputSchema" && keyword != "outputSchema" {
			continue
		}
		checked++
		before, after := accepts(t, old, f.Item, keyword, f.Witness), accepts(t, new, f.Item, keyword, f.Witness)
		if want := keyword == "inputSchema"; before != want || after == want {
			t.Errorf("%s %s%s: the witness %s is right before: %v, now: %v", f.Rule, f.Item, f.Pointer(), f.Witness, before, after)
		}
	}
	return checked
}

// accepts asks the validator whether a tool's schema accepts a value.
func accepts(t *testing.T, s *snapshot.Snapshot, item, keyword string, value json.RawMessage) bool {
	t.Helper()
	for _, tool := range s.Tools.Items() {
		if snapshot.Tools.ID(tool.Key) != item {
			continue
		}
		return fits(t, compile(t, tool.Field(keyword)), value)
	}
	t.Fatalf("there is no %s", item)
	return false
}

func encode(t *testing.T, schema map[string]any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
