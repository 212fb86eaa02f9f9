package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// mostTold is how many findings of one rule are told one by one of a server.
const mostTold = 1000

// Sum tells of each rule and server a thousand findings and all others as one, so that what a server sends cannot make a report of
// any length. Told are the worst, and of those the first of each item before the second of any. What stands for the others has the
// worst level of theirs, says how many they are and where the first of them, and is named by all of them: no waiver of
// one covers it, and another one among them is another fingerprint. rest are the findings that each of those stands for, by its
// fingerprint. The findings come back as Sort has them; what was summed up once stays as it is.
func Sum(findings []Finding) (told []Finding, rest map[string][]*Finding) {
	Sort(findings)
	if len(findings) <= mostTold {
		return findings, nil
	}
	type about struct{ server, rule string }
	of := map[about][]int{}
	var order []about
	for i, f := range findings {
		key := about{f.Server, f.Rule}
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], i)
	}
	var sums []Finding
	left := make([]bool, len(findings))
	rest = map[string][]*Finding{}
	for _, key := range order {
		if len(of[key]) <= mostTold+1 {
			continue
		}
		var others []*Finding
		for _, i := range untold(findings, of[key]) {
			left[i], others = true, append(others, &findings[i])
		}
		one := sum(others)
		sums, rest[one.Fingerprint()] = append(sums, one), others
	}
	for i, f := range findings {
		if !left[i] {
			told = append(told, f)
		}
	}
	if told = append(told, sums...); len(sums) > 0 {
		Sort(told)
	}
	return told, rest
}

// untold are those of some findings of one rule that are not told one by one, in their order.
func untold(findings []Finding, of []int) []int {
	before, nth := map[string]int{}, map[int]int{} // of the same item
	for _, i := range of {
		nth[i] = before[findings[i].Item]
		before[findings[i].Item]++
	}
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b int) int {
		return cmp.Or(cmp.Compare(findings[b].Level, findings[a].Level), cmp.Compare(nth[a], nth[b]))
	})
	of = of[mostTold:]
	slices.Sort(of)
	return of
}

// sum is one finding for several of one rule of one server.
func sum(of []*Finding) Finding {
	const named = 3
	one := Finding{Rule: of[0].Rule, Level: of[0].Level, Verdict: of[0].Verdict, Server: of[0].Server, Item: of[0].Item, Hint: of[0].Hint}
	var others Others
	var places []string
	for _, f := range of {
		others.Add(f.Fingerprint())
		one.Level = max(one.Level, f.Level)
		if one.Item != f.Item {
			one.Item = ""
		}
		if one.Verdict != f.Verdict {
			one.Verdict = ByRule
		}
		if place := strings.TrimSpace(f.Item + " " + f.Pointer()); len(places) < named && place != "" && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	one.Message = fmt.Sprintf("%d further findings of this rule, the first at %s.", len(of), strings.Join(places, ", "))
	one.Cause = fmt.Sprintf("%d further findings of %s of %s", len(of), one.Rule, cmp.Or(one.Server, "the server"))
	one.New = others.Value()
	return one
}

// Others are what one finding stands for that tells of many places at once.
type Others struct {
	Count  int
	digest hash.Hash
}

// Add counts one more, by what names it.
func (o *Others) Add(names ...string) {
	if o.digest == nil {
		o.digest = sha256.New()
	}
	o.Count++
	for _, name := range names {
		fmt.Fprintf(o.digest, "%d %s ", len(name), name)
	}
}

// Value says how many they are, and is another one for any others.
func (o *Others) Value() json.RawMessage {
	return fmt.Appendf(nil, `{"findings":%d,"digest":"%x"}`, o.Count, o.digest.Sum(nil))
}
