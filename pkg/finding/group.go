package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Group is findings with one cause at several places.
type Group struct {
	Cause string `json:"cause"` // without a place and a full stop
	// cause and places, such as "`pageId` is new and required in 25 tools"
	Title string `json:"title"`
	// the highest level of the findings that are not waived; of all when all are waived
	Level Level `json:"level"`
	// the items concerned, without duplicates, in the order of the findings
	Items []string `json:"items"`
	// names of the servers concerned, without duplicates, in the order of the findings
	Servers     []string `json:"servers"`
	Findings    []string `json:"findings"`    // fingerprints, in the order of the findings
	Fingerprint string   `json:"fingerprint"` // names exactly these findings for accept and waivers
	Waived      bool     `json:"waived,omitempty"`

	// the findings, the worst first, waived ones last
	Members []Finding `json:"-"`
}

// Groups joins the findings of a run that have a cause in common, after Policy.Apply. The worst group comes
// first, then the larger, then the one found first.
func Groups(findings []Finding) []Group {
	groups := []Group{}
	for _, members := range kit.Group(findings, Finding.cause) {
		groups = append(groups, groupOf(members))
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(rank(b.Level, b.Waived)-rank(a.Level, a.Waived), a.tail()-b.tail(),
			len(b.Members)-len(a.Members))
	})
	return groups
}

// cause returns what findings of one group have in common; for a finding without a Cause its message.
func (f Finding) cause() string { return cmp.Or(f.Cause, strings.TrimSuffix(f.Message, ".")) }

// rank orders groups and findings by level, with those that are waived below all others.
func rank(level Level, waived bool) int {
	if waived {
		return -1
	}
	return int(level)
}

// tail returns 1 for breaks that only some values show, such as another limit, and 2 for the two commonest of
// them. They come after all others of their level.
func (g Group) tail() int {
	switch rule := g.Members[0].Rule; {
	case g.Level != Breaking:
		return 0
	case rule == "input-fractions-rejected" || rule == "input-lower-bound-added":
		return 2
	case strings.HasSuffix(rule, "-narrowed") || strings.HasSuffix(rule, "-widened"):
		return 1
	}
	return 0
}

// groupOf returns the group of findings with one cause. It sorts members, after taking the order of items,
// servers and fingerprints from them.
func groupOf(members []Finding) Group {
	g := Group{Cause: members[0].cause(), Members: members, Findings: kit.Map(members, Finding.Fingerprint)}
	g.Items = distinct(members, func(f Finding) string { return f.Item })
	g.Servers = distinct(members, func(f Finding) string { return f.Server })
	g.Waived = !slices.ContainsFunc(members, func(f Finding) bool { return f.Waiver == nil })
	for _, f := range members {
		if f.Waiver == nil || g.Waived {
			g.Level = max(g.Level, f.Level)
		}
	}
	g.Fingerprint, g.Title = groupFingerprint(g.Findings), g.title()
	slices.SortStableFunc(g.Members, func(a, b Finding) int {
		return rank(b.Level, b.Waiver != nil) - rank(a.Level, a.Waiver != nil)
	})
	return g
}

// distinct returns the names that findings have, without duplicates; never nil.
func distinct(members []Finding, name func(Finding) string) []string {
	names := kit.Distinct(kit.Map(members, name))
	return append([]string{}, kit.Filter(names, func(name string) bool { return name != "" })...)
}

// groupFingerprint returns one fingerprint for several, independent of their order.
func groupFingerprint(fingerprints []string) string {
	if len(fingerprints) == 1 {
		return fingerprints[0]
	}
	hash := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(fingerprints)), " ")))
	return hex.EncodeToString(hash[:fingerprintBytes])
}

// Says returns the message of a single finding, else the cause, without a full stop.
func (g Group) Says() string {
	if len(g.Members) == 1 {
		return strings.TrimSuffix(g.Members[0].Message, ".")
	}
	return g.Cause
}

// title returns the cause with its places. Where some findings are about a whole server, no item is a place
// of all of them.
func (g Group) title() string {
	var kinds, names []string
	items := g.Items
	if slices.ContainsFunc(g.Members, func(f Finding) bool { return f.Item == "" }) {
		items = nil
	}
	for _, item := range items {
		kind, _, _ := strings.Cut(item, "/")
		kinds, names = append(kinds, kind), append(names, "`"+Name(item)+"`")
	}
	title, preposition := g.Says(), "of"
	wholeItems := !slices.ContainsFunc(g.Members, func(f Finding) bool { return f.Path != "" })
	switch {
	case wholeItems && len(names) == 1: // the message names the item
		title, preposition = strings.TrimSuffix(g.Members[0].Message, "."), "in"
	case len(names) == 0:
		preposition = "in"
	case wholeItems:
		title, preposition = title+": "+kit.Some(names), "in"
	case len(names) == 1 && strings.HasPrefix(title, "The "+kinds[0]+" "): // about the item itself
		subject := "The " + kinds[0] + " "
		title = subject + names[0] + " " + title[len(subject):]
	case len(names) == 1 && strings.HasPrefix(title, names[0]+" ") && !g.within(names[0]):
		// it begins with the item
	case len(names) == 1:
		title += " in " + names[0]
	default:
		title = fmt.Sprintf("%s in %d %s", title, len(names), plural(kinds))
	}
	if len(g.Servers) > 1 {
		title += fmt.Sprintf(" %s %d servers", preposition, len(g.Servers))
	}
	return title
}

// within reports whether a finding is about a part of its item with this quoted name, such as an argument.
func (g Group) within(name string) bool {
	return slices.ContainsFunc(g.Members, func(f Finding) bool {
		return slices.Contains(strings.Split(f.Path, "/"), strings.Trim(name, "`"))
	})
}

// plural returns the word for items of these kinds; "items" if there are several kinds.
func plural(kinds []string) string {
	switch kinds = kit.Distinct(kinds); {
	case len(kinds) > 1:
		return "items"
	case kinds[0] == "template":
		return "resource templates"
	}
	return kinds[0] + "s"
}

// Named returns the findings that a fingerprint names: one, or all of a group; nil when there is none.
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

// maxPerRule is how many findings of one rule and server are reported one by one.
const maxPerRule = 1000

// Room returns how many bytes the findings about lists of a size may take in a report of any format.
func Room(size int) int { return 224<<10 + 10*size }

// Unlimited is room for all findings.
const Unlimited = math.MaxInt

// Limit keeps a thousand findings of each rule and server, the worst, fewer where all of them together would
// need more than a room, and puts one in place of the others, so that no server makes a report arbitrarily
// long. That one has their highest level and a fingerprint that depends on all of them. Examples are left out
// before that, if they are long. The result is sorted as by Sort.
func Limit(findings []Finding, room int) []Finding {
	Sort(findings)
	rule := func(f Finding) [2]string { return [2]string{f.Server, f.Rule} }
	groups := kit.Group(findings, rule)
	total := 0
	for _, f := range findings {
		total += f.weight()
	}
	large := func(same []Finding) bool { return len(same) > maxPerRule }
	if total <= room && !slices.ContainsFunc(groups, large) {
		return findings
	}
	weights := make([][]int, len(groups)) // of the first so many findings
	for i, same := range groups {
		slices.SortStableFunc(same, func(a, b Finding) int { return cmp.Compare(b.Level, a.Level) })
		weights[i] = []int{0}
		for j := range same {
			same[j] = same[j].withoutLongExample(total > room)
			weights[i] = append(weights[i], weights[i][j]+same[j].weight())
		}
	}
	fewer := sort.Search(maxPerRule, func(fewer int) bool {
		left := room
		for _, w := range weights {
			left -= w[min(maxPerRule-fewer, len(w)-1)]
		}
		return left >= 0
	})
	var kept []Finding
	for _, same := range groups {
		if most := max(1, maxPerRule-fewer); most+1 < len(same) {
			same = append(same[:most:most], sumOf(same[most:]))
		}
		kept = append(kept, same...)
	}
	Sort(kept)
	return kept
}

// weight estimates how many bytes a finding takes in the format where that is most.
func (f Finding) weight() int {
	return 900 + 5*len(f.Path) + 2*len(f.Item) + 4*len(f.Message) + 2*(len(f.Hint)+len(f.Cause)+len(f.Old)+
		len(f.New)+len(f.Witness))
}

// withoutLongExample returns a finding without its example if that is long and there is no room for it.
func (f Finding) withoutLongExample(crowded bool) Finding {
	const long = 1 << 10
	if crowded && len(f.Witness) > long {
		f.Witness, f.Hint = nil, cmp.Or(f.Hint, "the example is too large to print")
	}
	return f
}

// Joined reports whether f stands for several findings, whose places or digest it has as its new value.
func (f Finding) Joined() bool {
	var sum struct{ Findings, Digest json.RawMessage }
	return len(f.Places) > 0 || json.Unmarshal(f.New, &sum) == nil && sum.Findings != nil && sum.Digest != nil
}

// sumOf returns a finding in place of several of one rule and server, the worst first. It has their item if
// they have one in common, so that a waiver for an item covers no other.
func sumOf(findings []Finding) Finding {
	sum, digest := findings[0], sha256.New()
	for _, f := range findings {
		digest.Write([]byte(f.Fingerprint()))
		if f.Item != sum.Item {
			sum.Item = ""
		}
	}
	sum.Cause = fmt.Sprintf("%d more findings of %s of %s", len(findings), sum.Rule,
		cmp.Or(sum.Server, "the server"))
	return Finding{Rule: sum.Rule, Level: sum.Level, Verdict: sum.Verdict, Server: sum.Server, Item: sum.Item,
		Hint: sum.Hint, Cause: sum.Cause, Message: sum.Cause + ".",
		New: fmt.Appendf(nil, `{"findings":%d,"digest":"%x"}`, len(findings), digest.Sum(nil))}
}
