package kit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/kit"
)

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "file:///a/b", true}, {"a", "a", true}, {"a", "A", false},
		{"tool/create_*", "tool/create_issue", true}, {"tool/create_*", "prompt/create_issue", false},
		{"*issue", "tool/create_issue", true}, {"*issue", "tool/issues", false}, {"*a*b*", "xxaxxbxx", true}, {"*a*b*", "bxxa", false},
		{"tool/?", "tool/ä", true}, {"tool/?", "tool/", false}, {"a*c", "abcabc", true}, {"a*c", "abcab", false}, {"**", "x", true},
		{"template/files/{path*}", "template/files/{path*}", true}, {"[a]", "[a]", true}, {"[a]", "a", false}, {"a.c", "abc", false},
	} {
		if got := kit.Glob(test.pattern, test.text); got != test.want {
			t.Errorf("Glob(%q, %q) = %v", test.pattern, test.text, got)
		}
	}
}

// TestGlobEnds would take longer than the universe is old if each star doubled the work.
func TestGlobEnds(t *testing.T) {
	if kit.Glob(strings.Repeat("a*", 200)+"b", strings.Repeat("a", 5000)) {
		t.Error("a b was found among as")
	}
}

func TestNameFilter(t *testing.T) {
	for _, test := range []struct {
		filter kit.NameFilter
		name   string
		want   bool
	}{
		{"", "x", true}, {"file://*.md", "file:///a/b.md", true}, {"item-[0-3]", "item-2", true}, {"item-[0-3]", "item-4", false},
		{"a?c", "a/c", true},
		{"create", "tool_create_issue", true}, {"create", "read", false}, {"create*", "recreate", false},
	} {
		if got := test.filter.Match(test.name); got != test.want || !test.filter.Valid() {
			t.Errorf("%q: Match(%q) = %v", test.filter, test.name, got)
		}
	}
	if kit.NameFilter("[").Valid() {
		t.Error("an open class is taken for a pattern")
	}
}

func TestNearest(t *testing.T) {
	for _, test := range []struct {
		word  string
		words []string
		want  []string
	}{
		{"toosl", []string{"tools", "prompts"}, []string{"tools"}},
		{"Git", []string{"git-a", "git-b", "files"}, []string{"git-a", "git-b"}},
		{"xyz", []string{"tools"}, nil},
		{"", []string{"tools"}, nil},
		{"untrust", []string{"trust"}, nil},
		{"subscribe", []string{"unsubscribe"}, nil},
		{"no-colr", []string{"color", "no-color"}, []string{"no-color"}},
		{"discver", []string{"discover"}, []string{"discover"}},
	} {
		if diff := cmp.Diff(test.want, kit.Nearest(test.word, test.words)); diff != "" {
			t.Errorf("Nearest(%q): -want +got:\n%s", test.word, diff)
		}
	}
	for word, want := range map[string]bool{"exit-code": false, "proof": false, "exit-zro": true, "exit": true} {
		other := map[bool]string{true: "protocol", false: "exit-zero"}[word == "proof"]
		if got := kit.FewEdits(word, other); got != want {
			t.Errorf("FewEdits(%q, %q) = %v", word, other, got)
		}
	}
	if got := kit.DidYouMean("lst", []string{"list", "show"}); got != ` (did you mean "list"?)` {
		t.Error(got)
	}
	if got := kit.Suggest("lst", []string{"a", "b"}); got != `use one of "a", "b"` {
		t.Error(got)
	}
}

func TestThisMachine(t *testing.T) {
	for host, want := range map[string]bool{"127.0.0.1:5000": true, "localhost": true, "localhost:1": true, "[::1]:5000": true, "::1": true,
		"[::1]": true, "LOCALHOST": true, "::ffff:127.0.0.1": true, "ghcr.io": false, "10.0.0.1:5000": false, "registry:5000": false} {
		if got := kit.ThisMachine(host); got != want {
			t.Errorf("ThisMachine(%s) = %v", host, got)
		}
	}
}
