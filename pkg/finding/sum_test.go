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
	kept := finding.Limit(all)
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
	if again := finding.Limit(kept); len(again) != len(kept) {
		t.Errorf("limited twice: %d", len(again))
	}
}

// TestLimitBegins checks the literal bounds: 1,000 findings and 128 KiB of paths of one rule. A single finding is
// never replaced, a sum keeps the item that all of its findings have, and its level is the worst of theirs.
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
		kept int
		sum  string // level and item
	}{
		"1,001 findings":                     {many(1001), 1001, ""},
		"1,002 findings":                     {many(1002), 1001, "info "},
		"the worst of the rest":              {worst, 1001, "breaking "},
		"128 KiB of paths":                   {long(65535, 65535, 1, 1), 4, ""},
		"a byte more":                        {long(65536, 65535, 2, 1), 3, "info tool/t"},
		"a path that is too long by itself":  {long(200_000, 2, 2), 2, "info tool/t"},
		"long paths of the worst, but later": {late, 14, "breaking "},
	} {
		kept := finding.Limit(test.all)
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
		return sumIn(finding.Limit(all)).Fingerprint()
	}
	all, other := many(2000), many(2000)
	other[1900].Old = []byte("2")
	before := fingerprint(all)
	slices.Reverse(all)
	if fingerprint(all) != before || fingerprint(other) == before {
		t.Errorf("%s, of another order %s, with another finding %s", before, fingerprint(all), fingerprint(other))
	}
}

// TestLimitOfLongPaths checks that findings below a name of 10,000 characters, which each of them repeats, do
// not make a report many times as long as the list.
func TestLimitOfLongPaths(t *testing.T) {
	all := many(500)
	for i := range all {
		all[i].Path = "/" + strings.Repeat("k", 10_000) + all[i].Path
	}
	kept := finding.Limit(all)
	if len(kept) != 14 || sumIn(kept).Message != "487 more findings of r of s." {
		t.Errorf("%d are kept: %s", len(kept), sumIn(kept).Message)
	}
}
