package snapshot_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func TestFind(t *testing.T) {
	raws := []json.RawMessage{json.RawMessage(`{"name":"a"}`)}
	for _, test := range []struct {
		list       snapshot.List
		state      string
		there, not snapshot.Answer
	}{
		{snapshot.List{}, "not offered", snapshot.Absent, snapshot.Absent},
		{snapshot.NewList(snapshot.Tools, raws), "complete", snapshot.Present, snapshot.Absent},
		{snapshot.NewList(snapshot.Tools, nil), "complete", snapshot.Absent, snapshot.Absent},
		{snapshot.NewPart(snapshot.Tools, raws, "page 2: no"), "truncated", snapshot.Present, snapshot.Unknown},
		{snapshot.NewPart(snapshot.Tools, nil, "no"), "unread", snapshot.Unknown, snapshot.Unknown},
	} {
		item, there := test.list.Find("a")
		if (item.Key == "a") != (there == snapshot.Present) {
			t.Errorf("%s: a is %v", test.list.State, item)
		}
		_, not := test.list.Find("b")
		if test.list.State.String() != test.state || there != test.there || not != test.not ||
			test.list.Absent("b") != (test.not == snapshot.Absent) {
			t.Errorf("%s: a is %d, b is %d", test.list.State, there, not)
		}
	}
}

func TestEncodeRefusesParts(t *testing.T) {
	s := &snapshot.Snapshot{Prompts: snapshot.NewList(snapshot.Prompts, nil)}
	s.SetList(snapshot.NewPart(snapshot.Tools, []json.RawMessage{json.RawMessage(`{"name":"a"}`)}, "page 2: no answer"))
	s.SetList(snapshot.NewPart(snapshot.Templates, nil, "timed out"))
	_, err := s.Encode()
	part, ok := errors.AsType[*snapshot.IncompleteError](err)
	if !ok || len(part.Lists) != 2 || s.Complete() || s.Digest() != "" {
		t.Fatalf("%v, complete %v, digest %q", err, s.Complete(), s.Digest())
	}
	if want := "the list of tools is truncated: page 2: no answer; the list of resource templates is unread: timed out"; err.Error() !=
		want {
		t.Errorf("%q, want %q", err, want)
	}
	file := shown(t, s)
	if !strings.Contains(string(file), `"prompts": []`) || strings.Contains(string(file), `"resourceTemplates": []`) {
		t.Errorf("what did not arrive is shown as empty:\n%s", file)
	}
	again := parsed(t, file)
	if diff := cmp.Diff(s, again, cmp.AllowUnexported(snapshot.List{}), cmpopts.EquateEmpty(),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Raw" }, cmp.Ignore())); diff != "" {
		t.Errorf("what is shown of a part is read as another one (-shown +read):\n%s", diff)
	}
}

// TestDeclaredAndMissingIsUnread reads answers of a server among which the one to prompts/list is missing.
func TestDeclaredAndMissingIsUnread(t *testing.T) {
	s := parsed(t,
		[]byte(`{"initialize":{"capabilities":{"tools":{},"prompts":{},"resources":false,`+
			`"extensions":{"io.modelcontextprotocol/skills":null}}},"tools":[]}`))
	if s.Tools.State != snapshot.Complete || s.Prompts.State != snapshot.Unread || s.Resources.State != snapshot.NotOffered ||
		!s.List(snapshot.Skills).Whole() {
		t.Errorf("tools %s, prompts %s, resources %s, skills %s", s.Tools.State, s.Prompts.State, s.Resources.State,
			s.List(snapshot.Skills).State)
	}
	if s := parsed(t, []byte(`{"capabilities":{"resources":{}},"resources":[]}`)); s.Templates.State != snapshot.NotOffered {
		t.Errorf("templates, which nothing declares, are %s", s.Templates.State)
	}
	if file := parsed(t, []byte(`{"mcpctl":1,"capabilities":{"prompts":{}}}`)); !file.Complete() {
		t.Error("a list that a file does not have was not offered when it was saved")
	}
}

// TestKinds is what the protocol and its extensions call each kind; one that is not known goes by its own name.
func TestKinds(t *testing.T) {
	var got [][]string
	for _, kind := range append(snapshot.Kinds(), "widgets") {
		extension := ""
		if kind.Extension() {
			extension = "extension"
		}
		got = append(got, []string{kind.ID("x"), kind.Plural(), kind.KeyField(), kind.Capability(), extension})
	}
	want := [][]string{
		{"tool/x", "tools", "name", "tools", ""},
		{"prompt/x", "prompts", "name", "prompts", ""},
		{"resource/x", "resources", "uri", "resources", ""},
		{"template/x", "resource templates", "uriTemplate", "resources", ""},
		{"skill/x", "skills", "uri", "io.modelcontextprotocol/skills", "extension"},
		{"widgets/x", "widgets", "name", "widgets", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSize counts every text that a server can make long.
func TestSize(t *testing.T) {
	s := snapshot.Snapshot{
		Server: json.RawMessage(`{}`), Instructions: "12345", Capabilities: json.RawMessage(`{"a":1}`), Supported: []string{"123", "4567"},
		Extra: map[string]json.RawMessage{"later": json.RawMessage(`[1, 2, 3]`)},
	}
	for i, kind := range snapshot.Kinds() {
		s.SetList(snapshot.NewList(kind, []json.RawMessage{make([]byte, 10<<i), make([]byte, 1000<<i)}))
	}
	if got, want := s.Size(), 2+5+7+7+9+31*1010; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}
