package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Group is the findings of one cause at several places. Fingerprint names the whole group for accept and
// waivers.
type Group struct {
	Cause string `json:"cause"` // what happened, without where and without a full stop
	// what happened and where, such as "`pageId` is new and required in 25 tools"
	Title string `json:"title"`
	// the highest of the findings that nothing waives; of all when all are waived
	Level Level `json:"level"`
	// Finding.Item of each item concerned, once, in the order of the findings
	Items []string `json:"items"`
	// names of the servers concerned, once, in the order of the findings
	Servers     []string `json:"servers"`
	Findings    []string `json:"findings"`    // fingerprints, in the order of the findings
	Fingerprint string   `json:"fingerprint"` // of one finding its own; of several it names exactly these
	Waived      bool     `json:"waived,omitempty"`

	// the findings themselves, the worst first, and what is waived behind the others
	Members []Finding `json:"-"`
}

// Groups joins the findings of a run, after Policy.Apply, that have a cause in common. The worst group comes
// first, then the larger, then the one found first.
func Groups(findings []Finding) []Group {
	ready := []Group{}
	for _, members := range kit.Group(findings, Finding.cause) {
		ready = append(ready, groupOf(members))
	}
	slices.SortStableFunc(ready, func(a, b Group) int {
		return cmp.Or(rank(b)-rank(a), cmp.Compare(last(a), last(b)),
			cmp.Compare(len(b.Members), len(a.Members)))
	})
	return ready
}

// cause is what the finding says of itself, or its message.
func (f Finding) cause() string { return cmp.Or(f.Cause, strings.TrimSuffix(f.Message, ".")) }

// last is 1 for causes that stand behind all others of their level, since they are so many.
func last(g Group) int {
	if rule := g.Members[0].Rule; rule == "input-fractions-rejected" || rule == "input-lower-bound-added" {
		return 1
	}
	return 0
}

func rank(g Group) int {
	if g.Waived {
		return -1
	}
	return int(g.Level)
}

func groupOf(members []Finding) Group {
	g := Group{Cause: members[0].cause(), Members: members, Findings: kit.Map(members, Finding.Fingerprint)}
	g.Items = named(members, func(f Finding) string { return f.Item })
	g.Servers = named(members, func(f Finding) string { return f.Server })
	g.Waived = !slices.ContainsFunc(members, func(f Finding) bool { return f.Waiver == nil })
	for _, f := range members {
		if f.Waiver == nil || g.Waived {
			g.Level = max(g.Level, f.Level)
		}
	}
	g.Fingerprint, g.Title = together(g.Findings), g.titled()
	slices.SortStableFunc(g.Members, func(a, b Finding) int { return b.weight() - a.weight() })
	return g
}

// named are the names that findings have, once each; an empty list for none.
func named(members []Finding, name func(Finding) string) []string {
	names := kit.Distinct(kit.Map(members, name))
	return append([]string{}, kit.Filter(names, func(name string) bool { return name != "" })...)
}

func (f Finding) weight() int {
	if f.Waiver != nil {
		return -1
	}
	return int(f.Level)
}

// together is the fingerprint of several findings, in whatever order.
func together(fingerprints []string) string {
	if len(fingerprints) == 1 {
		return fingerprints[0]
	}
	hash := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(fingerprints)), " ")))
	return hex.EncodeToString(hash[:fingerprintBytes])
}

// Says is what happened, in the words of the finding where it is but one.
func (g Group) Says() string {
	if len(g.Members) == 1 {
		return strings.TrimSuffix(g.Members[0].Message, ".")
	}
	return g.Cause
}

// titled is the cause with its places, unless it is a place itself.
func (g Group) titled() string {
	var kinds, names []string
	for _, item := range g.Items {
		kind, name, _ := strings.Cut(item, "/")
		kinds, names = append(kinds, kind), append(names, "`"+name+"`")
	}
	title, at := g.Says(), "in"
	whole := !slices.ContainsFunc(g.Members, func(f Finding) bool { return f.Path != "" })
	if whole && len(names) == 1 {
		title = strings.TrimSuffix(g.Members[0].Message, ".")
	}
	switch {
	case whole && len(names) == 1:
	case len(names) == 0:
		if places := g.places(); len(places) > 1 {
			title += " in " + kit.Some(places)
		}
	case whole:
		title += ": " + kit.Some(names)
	case len(names) == 1 && strings.HasPrefix(title, "The "+kinds[0]+" "): // it speaks of the item itself
		subject := "The " + kinds[0] + " "
		title, at = subject+names[0]+" "+title[len(subject):], "of"
	case len(names) == 1:
		title, at = title+" in "+names[0], "of"
	default:
		title, at = fmt.Sprintf("%s in %d %s", title, len(names), plural(kinds)), "of"
	}
	if len(g.Servers) > 1 {
		title += fmt.Sprintf(" %s %d servers", at, len(g.Servers))
	}
	return title
}

// places are the members of the server's surface that hold what the findings speak of, once each.
func (g Group) places() []string {
	return named(g.Members, func(f Finding) string {
		if steps := rawjson.Split(f.Pointer()); len(steps) > 1 {
			return "`" + steps[len(steps)-2] + "`"
		}
		return ""
	})
}

func plural(kinds []string) string {
	switch kinds = slices.Compact(slices.Clone(kinds)); {
	case len(kinds) > 1:
		return "items"
	case kinds[0] == "template":
		return "resource templates"
	}
	return kinds[0] + "s"
}

// Named is the findings that a fingerprint names: one, or all of a group. It is nil when there is none.
func Named(findings []Finding, fingerprint string) []Finding {
	for _, f := range findings {
		if f.Fingerprint() == fingerprint {
			return []Finding{f}
		}
	}
	for _, g := range Groups(findings) {
		if g.Fingerprint == fingerprint {
			return g.Members
		}
	}
	return nil
}

// mostTold is how many findings of one rule are told one by one of a server.
const mostTold = 1000

// Sum tells of each rule and server a thousand findings and all others as one, so that no server makes a
// report of any length. Told are the worst, the first of each item before the second of any. The one for the
// others has their worst level, says how many and where the first, and is named by all of them, so that no
// waiver of one covers it. rest are the findings that each stands for, by its fingerprint. Sorted as Sort
// does; what was summed up once stays.
func Sum(findings []Finding) (told []Finding, rest map[string][]*Finding) {
	Sort(findings)
	if len(findings) <= mostTold {
		return findings, nil
	}
	numbers := make([]int, len(findings))
	for i := range numbers {
		numbers[i] = i
	}
	var sums []Finding
	left := make([]bool, len(findings))
	rest = map[string][]*Finding{}
	for _, of := range kit.Group(numbers,
		func(i int) [2]string { return [2]string{findings[i].Server, findings[i].Rule} }) {
		if len(of) <= mostTold+1 {
			continue
		}
		var others []*Finding
		for _, i := range untold(findings, of) {
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

func sum(of []*Finding) Finding {
	const named = 3
	one := Finding{Rule: of[0].Rule, Level: of[0].Level, Verdict: of[0].Verdict, Server: of[0].Server,
		Item: of[0].Item, Hint: of[0].Hint}
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
		if len(places) == named {
			continue
		}
		if place := strings.TrimSpace(f.Item + " " + f.Pointer()); place != "" &&
			!slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	one.Message = fmt.Sprintf("%d further findings of this rule, the first at %s.", len(of),
		strings.Join(places, ", "))
	one.Cause = fmt.Sprintf("%d further findings of %s of %s", len(of), one.Rule,
		cmp.Or(one.Server, "the server"))
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

// Value says how many they are, and is another one for any others; nil of none.
func (o *Others) Value() json.RawMessage {
	if o.digest == nil {
		return nil
	}
	return fmt.Appendf(nil, `{"findings":%d,"digest":"%x"}`, o.Count, o.digest.Sum(nil))
}
