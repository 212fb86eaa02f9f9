package finding_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// many are findings of one rule: one in each of as many items, and the rest of them in one.
func many(items, inOne int) []finding.Finding {
	var all []finding.Finding
	for i := range items {
		all = append(all, finding.Finding{Rule: "r", Level: finding.Info, Server: "s", Item: fmt.Sprintf("tool/t%04d", i), Old: []byte("1")})
	}
	for i := range inOne {
		all = append(all, finding.Finding{Rule: "r", Level: finding.Info, Server: "s", Item: "tool/a", Path: fmt.Sprintf("/p%04d", i)})
	}
	return all
}

// summedUp is what stands for several.
func summedUp(told []finding.Finding) finding.Finding {
	return told[slices.IndexFunc(told, func(f finding.Finding) bool { return strings.Contains(f.Message, "more findings") })]
}

// TestSum: of each rule a thousand are reported, the worst and one of each item first, and what stands for the others says how many they
// are and fails what one of them would fail.
func TestSum(t *testing.T) {
	all := many(900, 5000)
	all[5500].Level = finding.Breaking // the 4600th of its item
	for i := 5501; i < 5900; i++ {
		all[i].Level = finding.Warning
	}
	all = append(all, finding.Finding{Rule: "other", Server: "s", Level: finding.Info})
	told, rest := finding.Limit(all)
	if len(told) != 1002 || len(rest) != 1 {
		t.Fatalf("%d are told, and %d stand for others", len(told), len(rest))
	}
	one := summedUp(told)
	if n := len(rest[one.Fingerprint()]); n != 4900 || !strings.HasPrefix(one.Message, "4900 more findings of this rule, at tool/") {
		t.Errorf("%d stand behind %q", n, one.Message)
	}
	if !slices.ContainsFunc(told, func(f finding.Finding) bool { return f.Level == finding.Breaking && f.Path != "" }) {
		t.Error("the worst is not told by itself")
	}
	if one.Item != "" || (finding.Waiver{Rule: "r", Item: "tool/a"}).Covers(one) || !(finding.Waiver{Rule: "r"}).Covers(one) {
		t.Errorf("a waiver of one item covers what stands for several: %+v", one)
	}
	if again, rest := finding.Limit(told); len(again) != len(told) || len(rest) != 0 {
		t.Errorf("summed up twice: %d", len(again))
	}
}

// TestSumKeepsTheLevelOfTheRest: what is breaking beyond a thousand others that are, breaks.
func TestSumKeepsTheLevelOfTheRest(t *testing.T) {
	all := many(0, 3000)
	for i := range all[:1500] {
		all[i].Level = finding.Breaking
	}
	told, _ := finding.Limit(all)
	one := summedUp(told)
	if one.Level != finding.Breaking || one.Item != "tool/a" {
		t.Errorf("%+v", one)
	}
}

// TestSumIsNamedByAll: another finding among those that are summed up is another fingerprint, another order is not.
func TestSumIsNamedByAll(t *testing.T) {
	name := func(all []finding.Finding) string {
		told, _ := finding.Limit(all)
		return summedUp(told).Fingerprint()
	}
	all, other := many(2000, 0), many(2000, 0)
	other[1900].Old = []byte("2")
	before := name(all)
	slices.Reverse(all)
	if name(all) != before || name(other) == before {
		t.Errorf("%s, of another order %s, with another finding %s", before, name(all), name(other))
	}
}
