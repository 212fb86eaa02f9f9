package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func parse(t testing.TB, text string) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// compared is what changed from one side to the other.
func compared(t testing.TB, old, new *snapshot.Snapshot, options diff.Options) []finding.Finding {
	t.Helper()
	found, err := diff.Compare(t.Context(), old, new, options)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func lines(findings []finding.Finding) []string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %s%s %s→%s", f.Level, f.Rule, f.Item, f.Path, f.Old, f.New))
	}
	return lines
}

// many is as many members of an object that are true.
func many(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"%03d":true`, i))
	}
	return strings.Join(members, ",")
}

// TestCompare compares the pairs of testdata/compare.txt, which no other file has.
func TestCompare(t *testing.T) {
	cases := strings.Split(read(t, "testdata/compare.txt"), "\n-- ")[1:]
	if len(cases) < 30 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, one := range cases {
		part := strings.Split(strings.TrimRight(one, "\n"), "\n")
		t.Run(part[0], func(t *testing.T) {
			got := lines(compared(t, parse(t, part[1]), parse(t, part[2]), diff.Options{}))
			if diff := cmp.Diff(strings.Join(part[3:], "\n"), strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestManyOptionsAreReportedAsOne: options of a capability without end are one finding.
func TestManyOptionsAreReportedAsOne(t *testing.T) {
	got := lines(compared(t, parse(t, `{"capabilities":{"x":{}}}`), parse(t, `{"capabilities":{"x":{`+many(101)+`}}}`), diff.Options{}))
	want := []string{`warning capability-option-removed /capabilities/x {}→{` + many(101) + `}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGrowthInsideAlternatives: a range that grows into another alternative of a oneOf refuses what
// both accept. Where the other range shrinks at the same time, that is the break, and the growth is undone with it.
func TestGrowthInsideAlternatives(t *testing.T) {
	const low, other = `{"type":"integer","minimum":0,"maximum":10}`, `{"type":"integer","minimum":20,"maximum":30}`
	const wider, room = `{"type":"integer","minimum":0,"maximum":25}`, `{"type":"integer","minimum":26,"maximum":30}`
	server := func(a, b string) *snapshot.Snapshot {
		return parse(t, `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"x":{"oneOf":[`+a+`,`+b+`]}}}}]}`)
	}
	first, second := " tool/t/inputSchema/properties/x/oneOf/0", " tool/t/inputSchema/properties/x/oneOf/1"
	for name, c := range map[string]struct {
		old, new [2]string
		want     []string
	}{
		"narrower as a whole": {[2]string{low, other}, [2]string{wider, other},
			[]string{"breaking input-schema-incomparable" + first + " 10→25"}},
		"wider as a whole": {[2]string{low, other}, [2]string{wider, room},
			[]string{"info input-range-widened" + first + " 10→25", "info input-range-narrowed" + second + " 20→26"}},
		"and back": {[2]string{wider, room}, [2]string{low, other},
			[]string{"breaking input-range-narrowed" + first + " 25→10", "info input-range-widened" + second + " 26→20"}},
	} {
		if diff := cmp.Diff(c.want, lines(compared(t, server(c.old[0], c.old[1]), server(c.new[0], c.new[1]), diff.Options{}))); diff !=
			"" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// TestVersionsThatBreaksAskFor holds when a break without a major version is remarked: not of a major step,
// and not of one that another rule reports, back or not at all.
func TestVersionsThatBreaksAskFor(t *testing.T) {
	surface := func(version, tools string) string {
		return `{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"` + version +
			`"},"capabilities":{"tools":{}},"tools":[` + tools + `]}`
	}
	const tool = `{"name":"a","inputSchema":{"type":"object"}}`
	for _, test := range []struct {
		old, new, left string
		remarked       bool
	}{
		{"1.2.0", "1.3.0", "", true}, {"1.2.0", "1.2.1", "", true}, {"0.2.0", "0.2.1", "", true}, {"1.2.0", "1.3.0", tool, false},
		{"1.2.0", "2.0.0", "", false}, {"0.2.0", "0.3.0", "", false}, {"1.2.0", "1.1.0", "", false}, {"1.2.0", "1.2.0", "", false},
		{"1.2.0", "next", "", false},
	} {
		found := compared(t, parse(t, surface(test.old, tool)), parse(t, surface(test.new, test.left)), diff.Options{})
		remarked := slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == "server-version-not-bumped" })
		if remarked != test.remarked {
			t.Errorf("%s → %s: remarked is %v, want %v", test.old, test.new, remarked, test.remarked)
		}
		asked := compared(t, parse(t, surface(test.old, tool)), parse(t, surface(test.new, test.left)),
			diff.Options{Enable: []string{"server-version-not-bumped"}})
		if len(asked) > len(found) != (test.old == test.new) {
			t.Errorf("%s → %s: %d findings with the rule enabled, %d without", test.old, test.new, len(asked), len(found))
		}
	}
}

// TestCombinatorsMatterAtTheRootOfInputs holds that a new one is reported at the root of an input alone, which
// model interfaces look at.
func TestCombinatorsMatterAtTheRootOfInputs(t *testing.T) {
	surface := func(input, output string) string {
		return `{"capabilities":{"tools":{}},"tools":[{"name":"a","inputSchema":{"type":"object"` + input +
			`},"outputSchema":{"type":"object"` + output + `}}]}`
	}
	const added = `,"anyOf":[{"required":["q"]}]`
	for _, test := range []struct {
		input, output string
		told          bool
	}{{added, "", true}, {"", added, false}} {
		found := compared(t, parse(t, surface("", "")), parse(t, surface(test.input, test.output)), diff.Options{})
		told := slices.ContainsFunc(found, func(f finding.Finding) bool { return strings.HasSuffix(f.Rule, "-root-combinator-added") })
		if told != test.told || len(found) == 0 {
			t.Errorf("input %q, output %q: told is %v among %d findings", test.input, test.output, told, len(found))
		}
	}
}
