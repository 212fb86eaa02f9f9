package finding

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzCanonical: a value is written in fingerprints as the standard library reads and writes it, as it was before this package read it
// itself, since fingerprints stay for good.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{`null`, `"plain"`, `"<&> é \u00e9 \ud800 \ud83d\ude00 \"\\\/\u2028"`, "\"\xff\xc3\"",
		`{"b":1.50,"a":[true,-0,1e400],"b":{}}`, ` [ ] `, `1 2`, `{`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			if got := canonical(text); got != string(text) {
				t.Fatalf("%q: %q", text, got)
			}
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(text); got != string(want) && got != string(text) {
			t.Fatalf("%q: %q, not %q", text, got, want)
		}
	})
}
