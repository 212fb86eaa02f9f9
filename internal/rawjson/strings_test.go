package rawjson_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// TestStrings gives each string and name with its place, repeated members too, up to a fault.
func TestStrings(t *testing.T) {
	for raw, want := range map[string][]string{
		`"a"`:                           {"=a"},
		`{"x":["a",{"y":"b"}],"x":"c"}`: {"x", "x.0=a", "x.1.y", "x.1.y=b", "x", "x=c"},
		`[1, null, true, "\u00e9"]`:     {"3=é"},
		`{"x":"a","y":oops,"z":"b"}`:    {"x", "x=a", "y"},
		`{"x":"a"} {"y":"b"}`:           {"x", "x=a"},
		``:                              nil,
	} {
		var got []string
		rawjson.Strings(json.RawMessage(raw), func(steps []string, text string, isName bool) {
			if got = append(got, strings.Join(steps, ".")); !isName {
				got[len(got)-1] += "=" + text
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}
