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
	if again := finding.Limit(kept); len(again) != len(kept) {
		t.Errorf("limited twice: %d", len(again))
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
