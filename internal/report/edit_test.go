package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		want                []edit
	}{
		{"both empty", "", "", nil},
		{"equal", "a b", "a b", []edit{{kept, "a b"}}},
		{"all new", "", "a b", []edit{{fresh, "a b"}}},
		{"all gone", "a b", "", []edit{{gone, "a b"}}},
		{"a word", "a b c", "a x c", []edit{{kept, "a "}, {gone, "b"}, {fresh, "x"}, {kept, " c"}}},
		{"a phrase is told as one", "a b c d", "a x y d",
			[]edit{{kept, "a "}, {gone, "b c"}, {fresh, "x y"}, {kept, " d"}}},
		{"an addition at the end", "a.", "a. Then b.", []edit{{kept, "a."}, {fresh, " Then b."}}},
		{"part of a repeated word", "go go go", "go go", []edit{{kept, "go go"}, {gone, " go"}}},
		{"letters of any script", "日本 x", "日 x", []edit{{gone, "日本"}, {fresh, "日"}, {kept, " x"}}},
		{"a line break is a change of its own", "a\nb", "a b", []edit{{kept, "a"}, {gone, "\n"}, {fresh, " "}, {kept, "b"}}},
	} {
		if diff := cmp.Diff(c.want, compare(c.before, c.after), cmp.AllowUnexported(edit{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}

// TestCompareGivesUp takes texts with more differences than are worth telling apart.
func TestCompareGivesUp(t *testing.T) {
	before, after := strings.Repeat("a ", 2*maxEdits), strings.Repeat("b ", 2*maxEdits)
	got := compare("same "+before+"end", "same "+after+"end")
	want := []edit{{kept, "same "}, {gone, strings.TrimSuffix(before, " ")}, {fresh, strings.TrimSuffix(after, " ")}, {kept, " end"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(edit{})); diff != "" {
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
		last := op(-1)
		for _, e := range compare(before, after) {
			if e.op != fresh {
				a.WriteString(e.text)
			}
			if e.op != gone {
				b.WriteString(e.text)
			}
			if e.op == last || e.text == "" {
				t.Errorf("untidy edit %v", e)
			}
			last = e.op
		}
		if a.String() != before || b.String() != after {
			t.Errorf("%q and %q came back as %q and %q", before, after, a.String(), b.String())
		}
	})
}
