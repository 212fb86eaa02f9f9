package call

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCompare finds the places at which results differ.
func TestCompare(t *testing.T) {
	text := func(s string) string { return `{"content":[{"type":"text","text":` + s + `}]}` }
	for _, c := range []struct{ old, new, plain, structure string }{
		{`{"content":[]}`, `{"content":[],"_meta":{"a":1},"isError":false,"resultType":"complete"}`, "", ""},
		{`{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":2}}`, "/structuredContent/a", ""},
		{`{"structuredContent":{"a":1}}`, `{"structuredContent":{"a":"1"}}`, "/structuredContent/a", "/structuredContent/a"},
		{`{"structuredContent":{"a":[1,2]}}`, `{"structuredContent":{"a":[1,2,3]}}`, "/structuredContent/a/2 added", ""},
		{`{"structuredContent":{"a":[]}}`, `{"structuredContent":{"a":[1]}}`, "/structuredContent/a/0 added", ""},
		{`{"structuredContent":{"at":1}}`, `{"structuredContent":{"at":2,"b":1}}`, "/structuredContent/b added",
			"/structuredContent/b added"},
		{text(`"ab"`), text(`"abc"`), "/content/0/text length", ""},
		{text(`"ab"`), text(`"ac"`), "/content/0/text", ""},
		{text(`"{\"a\":1}"`), text(`"{ \"a\": 2 }"`), "/content/0/text/a", ""},
		{`{"structuredContent":[{"a":1},{"a":2}]}`, `{"structuredContent":[{"a":0},{"a":1,"b":1},{"a":2}]}`,
			"/structuredContent/0/a, /structuredContent/1 added", "/structuredContent/*/b added"},
		{`{"structuredContent":{}}`, `{"structuredContent":[]}`, "/structuredContent", "/structuredContent/* added"},
		{`{"content":[]}`, `{"content":[],"isError":true}`, "/isError", "/isError"},
	} {
		for structure, want := range map[bool]string{false: c.plain, true: c.structure} {
			var got []string
			ignore := [][]string{{"structuredContent", "at"}}
			for _, d := range compare(json.RawMessage(c.old), json.RawMessage(c.new), ignore, structure) {
				place := d.pointer
				switch {
				case d.old == nil:
					place += " added"
				case d.lengthOnly:
					place += " length"
				}
				got = append(got, place)
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s → %s, structure %v: %v, want %s", c.old, c.new, structure, got, want)
			}
		}
	}
}
