package finding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// many returns findings of one rule, one in each item.
func many(items int) []finding.Finding {
	var all []finding.Finding
	for i := range items {
		all = append(all, finding.Finding{Rule: "r", Level: finding.Info, Server: "s",
			Item: fmt.Sprintf("tool/t%04d", i), Old: []byte("1")})
	}
	return all
}

// sumIn returns the finding that replaces several.
func sumIn(kept []finding.Finding) finding.Finding {
	i := slices.IndexFunc(kept, func(f finding.Finding) bool { return strings.Contains(f.Message, "more findings") })
	return kept[i]
}

// TestLimit checks that the worst thousand findings of a rule are kept, and that the sum of the others has
// their level and no item of their own.
func TestLimit(t *testing.T) {
	all := many(3000)
	for i := 1000; i < 2500; i++ {
		all[i].Level = finding.Breaking
	}
	all = append(all, finding.Finding{Rule: "other", Server: "s", Level: finding.Info})
	kept := finding.Limit(all, finding.Unlimited)
	if len(kept) != 1002 {
		t.Fatalf("%d are kept", len(kept))
	}
	sum := sumIn(kept)
	if sum.Message != "2000 more findings of r of s." {
		t.Errorf("the sum is %q", sum.Message)
	}
	if sum.Level != finding.Breaking || sum.Item != "" {
		t.Errorf("%+v", sum)
	}
	if (finding.Waiver{Rule: "r", Item: "tool/t0001"}).Covers(sum) || !(finding.Waiver{Rule: "r"}).Covers(sum) {
		t.Errorf("a waiver of one item covers %+v", sum)
	}
	sorted := slices.Clone(kept)
	finding.Sort(sorted)
	breaking := 0
	for i, f := range kept {
		if f.Level == finding.Breaking && f.Item != "" {
			breaking++
		}
		if f.Item != sorted[i].Item || f.Rule != sorted[i].Rule {
			t.Fatalf("finding %d is in %q, sorted in %q", i, f.Item, sorted[i].Item)
		}
	}
	if breaking != 1000 {
		t.Errorf("%d of the 1500 worst are kept", breaking)
	}
	if again := finding.Limit(kept, finding.Unlimited); len(again) != len(kept) {
		t.Errorf("limited twice: %d", len(again))
	}
}

// TestLimitBegins checks the literal bounds: 1,000 findings of one rule, and a room for all. A single finding is never
// replaced, a sum keeps the item that all of its findings have, and its level is the worst of theirs.
func TestLimitBegins(t *testing.T) {
	long := func(lengths ...int) []finding.Finding {
		all := many(len(lengths))
		for i, n := range lengths {
			all[i].Item, all[i].Path = "tool/t", fmt.Sprintf("/%0*d", n-1, i)
		}
		return all
	}
	worst := many(1002)
	for i := range 1001 {
		worst[i].Level = finding.Breaking
	}
	late := append(many(1500), long(slices.Repeat([]int{10_000}, 100)...)...)
	for i := range 100 {
		late[1500+i].Level, late[1500+i].Item = finding.Breaking, "tool/u"
	}
	for name, test := range map[string]struct {
		all  []finding.Finding
		room int
		kept int
		sum  string // level and item
	}{
		"1,001 findings":                     {many(1001), finding.Unlimited, 1001, ""},
		"1,002 findings":                     {many(1002), finding.Unlimited, 1001, "info "},
		"the worst of the rest":              {worst, finding.Unlimited, 1001, "breaking "},
		"all of a room":                      {long(1000, 1000, 1000, 1000), 4 * (914 + 5000), 4, ""},
		"one more than a room":               {long(1000, 1000, 1000, 1000), 3 * (914 + 5000), 4, ""},
		"more than a room":                   {long(1000, 1000, 1000, 1000), 3*(914+5000) - 1, 3, "info tool/t"},
		"a path that is too long by itself":  {long(200_000, 2, 2), 100_000, 2, "info tool/t"},
		"long paths of the worst, but later": {late, finding.Room(0), 5, "breaking "},
	} {
		kept := finding.Limit(test.all, test.room)
		sum := ""
		if i := slices.IndexFunc(kept, func(f finding.Finding) bool { return f.Message != "" }); i >= 0 {
			sum = kept[i].Level.String() + " " + kept[i].Item
		}
		if len(kept) != test.kept || sum != test.sum {
			t.Errorf("%s: %d are kept, sum %q, want %d and %q", name, len(kept), sum, test.kept, test.sum)
		}
	}
}

// TestSumDependsOnAll checks that another finding changes the fingerprint of the sum, and another order not.
func TestSumDependsOnAll(t *testing.T) {
	fingerprint := func(all []finding.Finding) string {
		return sumIn(finding.Limit(all, finding.Unlimited)).Fingerprint()
	}
	all, other := many(2000), many(2000)
	other[1900].Old = []byte("2")
	before := fingerprint(all)
	slices.Reverse(all)
	if fingerprint(all) != before || fingerprint(other) == before {
		t.Errorf("%s, of another order %s, with another finding %s", before, fingerprint(all), fingerprint(other))
	}
}

// TestLimitOfRoom checks that findings which together would take more than a room are fewer, that long examples go first,
// and that the sum tells how many there are.
func TestLimitOfRoom(t *testing.T) {
	all := many(500)
	for i := range all {
		all[i].Path = "/" + strings.Repeat("k", 10_000)
	}
	kept := finding.Limit(all, finding.Room(0))
	if len(kept) != 5 || sumIn(kept).Message != "496 more findings of r of s." {
		t.Errorf("%d are kept: %s", len(kept), sumIn(kept).Message)
	}
	all = many(100)
	for i := range all {
		all[i].Witness = []byte(`"` + strings.Repeat("a", 60_000) + `"`)
	}
	kept = finding.Limit(all, finding.Room(0))
	if len(kept) != 100 || kept[7].Witness != nil || kept[7].Hint != "the example is too large to print" {
		t.Errorf("%d are kept, %.100s", len(kept), kept[7].Witness)
	}
}
