package diff

import (
	"encoding/json"
	"testing"
)

// TestSame: what is sent is not the same as what is not, and null and an empty object are sent.
func TestSame(t *testing.T) {
	for _, test := range []struct {
		old, new json.RawMessage
		want     bool
	}{
		{nil, nil, true}, {nil, json.RawMessage("null"), false}, {json.RawMessage("{}"), nil, false},
		{json.RawMessage(`{"a": 1, "b": 2}`), json.RawMessage(`{"b": 2.0, "a": 1}`), true},
		{json.RawMessage("1"), json.RawMessage(`"1"`), false},
	} {
		if got := same(test.old, test.new); got != test.want {
			t.Errorf("%s and %s: same is %v", test.old, test.new, got)
		}
	}
}
