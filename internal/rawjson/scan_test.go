package rawjson

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// FuzzSkip: what is skipped quickly is what is read closely, and what the standard library takes for one value.
func FuzzSkip(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, ` { "a" : [ 1 , -2.5e+3 , null ] , "b" : { } } `, `{"a":1,}`, `{"a" 1}`, `{,}`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1]`, `[1}`, `{"a":}`, `{1:2}`,
		`"\u12"`, `"\u00e9 \\ \" \/"`, "\"a\tb\"", `"eight by` + "\x1f" + `tes"`, `"1234567` + "\xff\x80" + `\\"`, `tru`, `01`, `-`, ``, "\x00", "\f1",
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), strings.Repeat(`{"a":[`, 40) + strings.Repeat("]}", 40),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		quick, close := scanner{data: text}, scanner{data: text}
		passed, err := quick.pass(), close.explain()
		if passed != (err == nil) || passed && (quick.pos != close.pos || quick.depth != close.depth) {
			t.Fatalf("%q: passed %v to %d, %v to %d", text, passed, quick.pos, err, close.pos)
		}
		if passed && !json.Valid(text[:quick.pos]) || !passed && json.Valid(text) {
			t.Fatalf("%q: passed %v to %d", text, passed, quick.pos)
		}
	})
}

// FuzzUnremarkable: eight bytes at once are as one after the other.
func FuzzUnremarkable(f *testing.F) {
	for _, text := range []string{"", "plain", "12345678", `1234567"`, `12345678\`, "\x1f", "é\x80\xff \x7f", "12345\x00\x1f\"", "!\x00!\x01\x20\x1f"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want := slices.IndexFunc(text, func(b byte) bool { return b < ' ' || b == '"' || b == '\\' })
		if want < 0 {
			want = len(text)
		}
		if got := Unremarkable(text); got != want {
			t.Fatalf("%q: %d, not %d", text, got, want)
		}
	})
}
