package rawjson

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestDifferences finds the places at which two values differ.
func TestDifferences(t *testing.T) {
	deep := func(leaf string) string { return strings.Repeat("[", 9000) + leaf + strings.Repeat("]", 9000) }
	for _, c := range []struct{ old, new, want string }{
		{`{"a":1,"b":[1e3,0.50]}`, `{"b":[1000,0.5],"a":1.0}`, "[] 0"},
		{`{"a":1}`, `{"a":"1"}`, "[/a] 0"},
		{`{"a":null}`, `{}`, "[-/a] 0"},
		{`{"a":[1,2]}`, `{"a":[0,1,2]}`, "[+/a/0] 0"},
		{`{"a/b":{"c":1}}`, `{"a/b":{"c":2}}`, "[/a~1b/c] 0"},
		{`[1]`, `{}`, "[whole] 0"},
		{`{"skip":1,"rows":[{"id":1,"n":1}]}`, `{"rows":[{"id":2,"n":2}]}`, "[/rows/0/n] 0"},
		{`{"a":1,"b":1,"c":1,"d":1,"e":1}`, `{"a":2,"b":2,"c":2,"d":2,"e":2}`, "[/a /b /c] 2"},
		{`{"a":[1,2,3,4]}`, `{"a":[1,3,9,4,5]}`, "[/a/1 /a/2 +/a/4] 0"},
		{`{"a":[{"b":1},{"b":2}]}`, `{"a":[{"b":0},{"b":1},{"b":2}]}`, "[+/a/0] 0"},
		{deep("1"), deep("1.0"), "[] 0"},
		{deep("1"), deep("2"), "[" + strings.Repeat("/0", 100) + "] 0"}, // as a whole from here on
	} {
		old, errOld := Decode(json.RawMessage(c.old))
		new, errNew := Decode(json.RawMessage(c.new))
		if errOld != nil || errNew != nil {
			t.Fatal(errOld, errNew)
		}
		found, more := Differences(old, new, 3, []string{"skip"}, []string{"rows", "*", "id"})
		var got []string
		for _, d := range found {
			place := cmp.Or(d.Pointer, "whole")
			switch {
			case d.Added:
				place = "+" + place
			case d.Removed:
				place = "-" + place
			}
			got = append(got, place)
		}
		if text := fmt.Sprint(got, more); text != c.want {
			t.Errorf("%.60s → %.60s: %s, want %s", c.old, c.new, text, c.want)
		}
		same := len(found) == 0 && !strings.Contains(c.old, "skip")
		if Same(old, new) != same || same && len(found) > 0 {
			t.Errorf("%.60s → %.60s: same = %v", c.old, c.new, !same)
		}
	}
}
