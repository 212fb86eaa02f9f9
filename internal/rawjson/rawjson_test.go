package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

func TestText(t *testing.T) {
	for raw, want := range map[string]string{`"a\n\u00e9\ud800"`: "a\né\ufffd", ` "x" `: "x", `7`: "", `"x" y`: "", ``: ""} {
		if got, ok := rawjson.Text(json.RawMessage(raw)); got != want || ok != (want != "") {
			t.Errorf("Text(%s) = %q, %v", raw, got, ok)
		}
	}
}

func TestMembers(t *testing.T) {
	raw := json.RawMessage(` { "a" : [ 1 ,{"b":2} ] , "a":3}`)
	members, err := rawjson.Members(raw)
	if err != nil || len(members) != 2 {
		t.Fatal(members, err)
	}
	for _, m := range members {
		if got := string(raw[m.At : m.At+len(m.Value)]); got != string(m.Value) {
			t.Errorf("at %d stands %q, want %q", m.At, got, m.Value)
		}
	}
	if got := string(rawjson.Last(members, "a")); got != "3" {
		t.Errorf("the last a is %s", got)
	}
	broken, err := rawjson.Members(json.RawMessage(`{"a":1,"b":}`))
	if err == nil || broken[0].Key != "a" {
		t.Errorf("%v, %v: what stands before a fault is lost", broken, err)
	}
	if _, err := rawjson.Members(json.RawMessage(`[]`)); !errors.Is(err, rawjson.ErrNotObject) {
		t.Errorf("error %v", err)
	}
	if _, err := rawjson.Elements(json.RawMessage(`{}`)); !errors.Is(err, rawjson.ErrNotArray) {
		t.Errorf("error %v", err)
	}
}

func TestPointers(t *testing.T) {
	pointer := rawjson.Join("", "a/b~c", "", "~1", "0")
	if want := "/a~1b~0c//~01/0"; pointer != want {
		t.Fatalf("%s, want %s", pointer, want)
	}
	if diff := cmp.Diff([]string{"a/b~c", "", "~1", "0"}, rawjson.Split(pointer)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if steps := append(rawjson.Split(""), rawjson.Split("no pointer")...); len(steps) > 0 {
		t.Errorf("steps %q", steps)
	}
}

func TestFind(t *testing.T) {
	raw := json.RawMessage(`{"list":[{"x/y":1.0},"two"],"twice":1,"twice":{"in":2}}`)
	value, err := rawjson.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/list/0/x~1y": "1.0", "/list/1": `"two"`, "/twice/in": "2", "": string(raw),
		"/list/01": "", "/list/+1": "", "/list/-1": "", "/list/2": "", "/list/1x": "", "/list/1/deeper": "", "/none": "",
	} {
		if got := string(rawjson.Find(raw, pointer)); got != want {
			t.Errorf("Find(%q) = %s, want %s", pointer, got, want)
		}
		found, ok := rawjson.At(value, pointer)
		if ok != (want != "") {
			t.Errorf("At(%q) = %v, %v", pointer, found, ok)
		}
	}
}

func TestReadObject(t *testing.T) {
	o, repeated, err := rawjson.ReadObject(json.RawMessage(`{"a":null,"b":"\u0041","c":true,"b":"B"}`))
	if err != nil || !cmp.Equal(repeated, []string{"b"}) {
		t.Fatal(repeated, err)
	}
	yes, known := o.Bool("c")
	if o.Present("a") != nil || o.Text("b") != "B" || !yes || !known {
		t.Errorf("%v", o)
	}
	if _, known := o.Bool("b"); known || o.Text("c") != "" {
		t.Error("a value of another kind is taken")
	}
	for raw, want := range map[string]string{
		" [1]": "is an array, not an object", "": "is missing, not an object", "-1": "is a number, not an object",
		"null":   "is null, not an object",
		`{"a":}`: "cannot be read: at /a: line 1: invalid character '}' at start of value",
	} {
		if _, _, err := rawjson.ReadObject(json.RawMessage(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %q", raw, err, want)
		}
		if o := rawjson.ObjectOf(json.RawMessage(raw)); len(o) > 0 {
			t.Errorf("%s has the members %v", raw, o)
		}
	}
}

func TestWriting(t *testing.T) {
	raw, err := rawjson.Encode(map[string]any{"a": "<&>", "n": json.Number("1e400"), "raw": json.RawMessage(`[1.0, "\u003c"]`)})
	if want := `{"a":"<&>","n":1e400,"raw":[1.0,"\u003c"]}`; err != nil || string(raw) != want {
		t.Errorf("%s, %v, want %s", raw, err, want)
	}
	built := rawjson.Build(rawjson.Member{Key: "b\n", Value: json.RawMessage(`1.0`)},
		rawjson.Member{Key: "a", Value: rawjson.List([]json.RawMessage{rawjson.Quote("<"), []byte("2")})})
	if want := `{"b\n":1.0,"a":["<",2]}`; string(built) != want {
		t.Errorf("%s, want %s", built, want)
	}
	for _, raw := range []string{``, `1 2`, `{} x`, `{`} {
		if value, err := rawjson.Decode(json.RawMessage(raw)); err == nil {
			t.Errorf("%q is read as %v", raw, value)
		}
	}
	if !rawjson.Equal(json.RawMessage(`{"a":1,"b":2}`), json.RawMessage(`{"b":2, "a":1}`)) ||
		rawjson.Equal(json.RawMessage(`1`), json.RawMessage(`1.0`)) ||
		rawjson.Equal(json.RawMessage(`x`), json.RawMessage(`x`)) {
		t.Error("equality of canonical forms is not told")
	}
}

// FuzzDecode holds Decode to encoding/json.
func FuzzDecode(f *testing.F) {
	for _, raw := range []string{`{"a":[1,2.0e+9,true,false,null,"\ud83d\ude00\ud800x\n"],"a":{"a":{}},"b":[]}`, "\"\xff\"", ` "x" `, `01`,
		`{"a":1,}`, `[1] 2`, `nul`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber()
		var want any
		wrong := decoder.Decode(&want)
		if _, more := decoder.Token(); wrong == nil && !errors.Is(more, io.EOF) {
			wrong = errors.New("it goes on")
		}
		got, err := rawjson.Decode(raw)
		if (err == nil) != (wrong == nil) || err == nil && !cmp.Equal(got, want) {
			t.Errorf("%q is read as %v (%v), and by encoding/json as %v (%v)", raw, got, err, want, wrong)
		}
	})
}

// FuzzPointer checks that a pointer of any steps leads to the value behind them.
func FuzzPointer(f *testing.F) {
	f.Add("a~/b", "")
	f.Add("~01", "é")
	f.Fuzz(func(t *testing.T, a, b string) {
		raw := rawjson.Build(rawjson.Member{Key: a, Value: rawjson.Build(rawjson.Member{Key: b, Value: json.RawMessage("7")})})
		steps := rawjson.Split(rawjson.Join("", a, b))
		if !cmp.Equal(steps, []string{a, b}) {
			t.Fatalf("%q became %q", []string{a, b}, steps)
		}
		members, err := rawjson.Members(raw)
		if err != nil {
			t.Fatal(err)
		}
		inner, err := rawjson.Members(members[0].Value)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(rawjson.Find(raw, rawjson.Join("", members[0].Key, inner[0].Key))); got != "7" {
			t.Errorf("%s leads to %q", rawjson.Join("", a, b), got)
		}
	})
}
