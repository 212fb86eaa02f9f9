package wording

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []Passage
	}{
		{"both empty", "", "", nil},
		{"equal", "a b", "a b", []Passage{{Kept, "a b"}}},
		{"all new", "", "a b", []Passage{{Added, "a b"}}},
		{"all Removed", "a b", "", []Passage{{Removed, "a b"}}},
		{"a word", "a b c", "a x c", []Passage{{Kept, "a "}, {Removed, "b"}, {Added, "x"}, {Kept, " c"}}},
		{"a phrase", "a b c d", "a x y d",
			[]Passage{{Kept, "a "}, {Removed, "b c"}, {Added, "x y"}, {Kept, " d"}}},
		{"an addition at the end", "a.", "a. Then b.", []Passage{{Kept, "a."}, {Added, " Then b."}}},
		{"part of a repeated word", "go go go", "go go", []Passage{{Kept, "go go"}, {Removed, " go"}}},
		{"letters of any script", "日本 x", "日 x", []Passage{{Removed, "日本"}, {Added, "日"}, {Kept, " x"}}},
		{"a line break is a change of its own", "a\nb", "a b", []Passage{{Kept, "a"}, {Removed, "\n"}, {Added, " "}, {Kept, "b"}}},
	} {
		if diff := cmp.Diff(c.want, Compare(c.before, c.after), cmp.AllowUnexported(Passage{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

// TestCompareGivesUp compares texts that are too long to be compared by words.
func TestCompareGivesUp(t *testing.T) {
	before, after := strings.Repeat("a ", 2000), strings.Repeat("b ", 2000)
	got := Compare("same "+before+"end", "same "+after+"end")
	want := []Passage{{Kept, "same "}, {Removed, strings.TrimSuffix(before, " ")}, {Added, strings.TrimSuffix(after, " ")}, {Kept, " end"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Passage{})); diff != "" {
		t.Errorf("-want +got:\n%.2000s", diff)
	}
}

// FuzzCompare checks that both texts can be read off the edits, and that no two edits of one kind stand side by side.
func FuzzCompare(f *testing.F) {
	f.Add("a b c", "a x c")
	f.Add("Closed tickets are left out.", "Closed tickets are included. Send them on.")
	f.Add("x  y", "x \t y\n")
	f.Add("\xff", "\xfe")
	f.Fuzz(func(t *testing.T, before, after string) {
		var a, b strings.Builder
		last := Op(-1)
		for _, e := range Compare(before, after) {
			if e.Op != Added {
				a.WriteString(e.Text)
			}
			if e.Op != Removed {
				b.WriteString(e.Text)
			}
			if e.Op == last || e.Text == "" {
				t.Errorf("untidy edit %v", e)
			}
			last = e.Op
		}
		if a.String() != before || b.String() != after {
			t.Errorf("%q and %q came back as %q and %q", before, after, a.String(), b.String())
		}
	})
}
