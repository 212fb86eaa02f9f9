package rawjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

func TestCanonical(t *testing.T) {
	for name, test := range map[string]struct{ raw, want string }{
		"white space":           {" { \"a\" :\t[ 1 , 2 ]\r\n} ", `{"a":[1,2]}`},
		"keys by text":          {`{"b":1,"a":2,"é":3,"Z":4,"":5}`, `{"":5,"Z":4,"a":2,"b":1,"é":3}`},
		"escaped key by text":   {`{"b":1,"\u0061":2}`, `{"a":2,"b":1}`},
		"key with a quote":      {`{"a\"":1,"a!":2,"a#":3}`, `{"a!":2,"a\"":1,"a#":3}`},
		"shorter key first":     {`{"ab":1,"a":2}`, `{"a":2,"ab":1}`},
		"nested keys":           {`[{"b":{"d":1,"c":2},"a":3}]`, `[{"a":3,"b":{"c":2,"d":1}}]`},
		"repeated keys stay":    {`{"b":0,"a":2,"a":1}`, `{"a":2,"a":1,"b":0}`},
		"order of arrays stays": {`[3,1,2]`, `[3,1,2]`},
		"numbers as written":    {`[12345678901234567890,1e400,1.0,1.00,1E+2,-0,0.1]`, `[12345678901234567890,1e400,1.0,1.00,1E+2,-0,0.1]`},
		"words":                 {`[true,false,null]`, `[true,false,null]`},
		"no HTML escapes":       {`"\u003cb\u003e & \/"`, `"<b> & /"`},
		"needed escapes":        {`"\u0022\u005c\u0008\u000C\u000a\u000D\u0009\u001F"`, `"\"\\\b\f\n\r\t\u001f"`},
		"surrogate pair":        {`"\ud83d\ude00"`, `"😀"`},
		"lone high surrogate":   {`"a\uD83Db"`, `"a\ud83db"`},
		"lone low surrogate":    {`"\uDE00"`, `"\ude00"`},
		"two high surrogates":   {`"\ud83d\ud83d\ude00"`, `"\ud83d😀"`},
		"lone surrogates keep":  {`{"\ud801":1,"\ud800":2}`, `{"\ud800":2,"\ud801":1}`},
		"invalid UTF-8":         {"\"a\xffb\xc3\"", "\"a\ufffdb\ufffd\""},
		"line separator stays":  {"\"\u2028\"", "\"\u2028\""},
		"invisible stays":       {`"\u200b\u202e"`, "\"\u200b\u202e\""},
		"empty":                 {`{"a":{},"b":[]}`, `{"a":{},"b":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := rawjson.Canonical(json.RawMessage(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for raw, want := range map[string]string{
		``:                    "unexpected end of text",
		`{"a":[1,{"b/c":}`:    "at /a/1/b~1c: line 1: invalid character '}' at start of value",
		"{\n\"a\": 01}":       "line 2: invalid character '1' after object value (expecting ',' or '}')",
		`[1,]`:                "line 1: invalid character ',' at start of value",
		`[1 2]`:               "line 1: invalid character '2' after array element (expecting ',' or ']')",
		`{"a" 1}`:             "at /a: line 1: invalid character '1' after object name (expecting ':')",
		`{a:1}`:               "line 1: invalid character 'a' at start of value",
		`1 2`:                 "line 1: text after the value",
		`"a`:                  "unexpected end of text",
		"\"a\tb\"":            `invalid character '\t' in string`,
		`"\x"`:                `invalid escape sequence`,
		`"\u12g4"`:            `invalid escape sequence`,
		`1.`:                  "unexpected end of text",
		`1e`:                  "unexpected end of text",
		`-`:                   "unexpected end of text",
		`nul`:                 "unexpected end of text",
		`NaN`:                 "invalid character 'N' at start of value",
		"\"a\" \x00":          `invalid character '\x00'`,
		`{"k":` + deep(20000): "nesting exceeds 10000 levels",
	} {
		_, err := rawjson.Canonical(json.RawMessage(raw))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: error %v, want %q in it", raw, err, want)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%.30q: the error is %d bytes long", raw, len(err.Error()))
		}
	}
}

func deep(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func TestIndentedIsReadable(t *testing.T) {
	got, err := rawjson.AppendIndented(nil, json.RawMessage(`{"b":[1,{"x":[]}],"a":"{[,:"}`), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"a\": \"{[,:\",\n  \"b\": [\n    1,\n    {\n      \"x\": []\n    }\n  ]\n}"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIndentedDoesNotBlowUp(t *testing.T) {
	raw := deep(9_000)
	got, err := rawjson.AppendIndented(nil, json.RawMessage(raw), 0)
	if err != nil {
		t.Fatal(err)
	}
	if limit := 2 * len(raw); len(got) > limit {
		t.Errorf("%d bytes became %d, more than %d", len(raw), len(got), limit)
	}
}

// TestCanonicalTakesLinearTime would take minutes if each level sorted a copy of all that lies below it.
func TestCanonicalTakesLinearTime(t *testing.T) {
	core := `"` + strings.Repeat("x", 1<<22) + `"`
	raw := strings.Repeat(`{"b":`, 9_000) + core + strings.Repeat(`,"a":1}`, 9_000)
	got, err := rawjson.Canonical(json.RawMessage(raw))
	if err != nil || len(got) != len(raw) {
		t.Errorf("%d bytes became %d, %v", len(raw), len(got), err)
	}
}

// FuzzCanonical checks that the canonical form means the same to an independent reader, is one for all spellings, and
// that what is refused is refused by that reader too.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":1,"a":[true,null,"\ud800",1e400]}`, `{"a":1,"a":2}`, `"\u0000\/"`, "\"\xff\"", `[[[{}]]]`, `1.50E+3`, `{"":{"":[]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		canonical, err := rawjson.Canonical(raw)
		if (err == nil) != json.Valid(raw) {
			t.Fatalf("error %v, but encoding/json says valid = %v", err, json.Valid(raw))
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(decoded(t, raw), decoded(t, canonical)); diff != "" {
			t.Errorf("the canonical form means something else (-raw +canonical):\n%s", diff)
		}
		again, err := rawjson.Canonical(canonical)
		if err != nil || !bytes.Equal(again, canonical) {
			t.Errorf("canonical twice: %q, %v, want %q", again, err, canonical)
		}
		indented, err := rawjson.AppendIndented(nil, raw, 0)
		if err != nil {
			t.Fatal(err)
		}
		if fromIndented, err := rawjson.Canonical(indented); err != nil || !bytes.Equal(fromIndented, canonical) {
			t.Errorf("indenting lost something: %q, %v, want %q", fromIndented, err, canonical)
		}
		if of := rawjson.Digest(digestSeed, raw); of != rawjson.Digest(digestSeed, canonical) ||
			of != rawjson.Digest(digestSeed, indented) {
			t.Errorf("spellings of %q have several digests", canonical)
		}
	})
}

// decoded is a value as encoding/json reads it, with numbers as they were written.
func decoded(t *testing.T, raw []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(value)
}
