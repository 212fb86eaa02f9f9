package diff

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// TestEditsOfOnePlaceShareItsMembers: each of a thousand edits of one schema read all of it again, which cost
// a thousand times its size.
func TestEditsOfOnePlaceShareItsMembers(t *testing.T) {
	parsed := func(text string) *schema.Schema {
		s, err := schema.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old := parsed(`{"type": "object", "required": ["a", "b"], "properties": {"p": {"type": "string"}}}`)
	new := parsed(`{"type": "object", "required": ["c", "d"], "properties": {"p": {"type": "integer"}}}`)
	r := &revision{Revision: schema.Compare(t.Context(), old, new, schema.Budget{}), direction: finding.Input}
	of := map[string]view{}
	for _, ch := range r.changes(nil) {
		seen, _ := ch.schemas()
		if other, there := of[string(ch.OldSchema)]; there && (other["mark"] == nil || seen["mark"] == nil) {
			t.Errorf("%s at %s read its schema again", ch.Keyword, ch.Path)
		}
		seen["mark"] = []byte("true")
		of[string(ch.OldSchema)] = seen
	}
	if len(of) != 2 {
		t.Errorf("edits of %d schemas, want 2: %v", len(of), of)
	}
}
