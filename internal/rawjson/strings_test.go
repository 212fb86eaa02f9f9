package rawjson_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// TestStrings gives each string with its place, repeated members too, up to a fault.
func TestStrings(t *testing.T) {
	for raw, want := range map[string][]string{
		`"a"`:                           {"=a"},
		`{"x":["a",{"y":"b"}],"x":"c"}`: {".x.0=a", ".x.1.y=b", ".x=c"},
		`[1, null, true, "\u00e9"]`:     {".3=é"},
		`{"x":"a","y":oops,"z":"b"}`:    {".x=a"},
		`{"x":"a"} {"y":"b"}`:           {".x=a"},
		``:                              nil,
	} {
		var got []string
		rawjson.Strings(json.RawMessage(raw), "", func(above, step string) string { return above + "." + step },
			func(at, text string) { got = append(got, at+"="+text) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}
