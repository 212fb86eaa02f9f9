package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Group is the findings of one cause: the same thing happened at several places. A report opens with groups, worst first,
// and shows the findings of each below its Title. Fingerprint names the whole group for accept and for waivers.
type Group struct {
	Cause       string   `json:"cause"`       // what happened, without where and without a full stop
	Title       string   `json:"title"`       // what happened and where, such as "`pageId` is new and required in 25 tools"
	Level       Level    `json:"level"`       // the highest of the findings that nothing waives; of all when all are waived
	Items       []string `json:"items"`       // Finding.Item of each item concerned, once, in the order of the findings
	Servers     []string `json:"servers"`     // names of the servers concerned, once, in the order of the findings
	Findings    []string `json:"findings"`    // fingerprints, in the order of the findings
	Fingerprint string   `json:"fingerprint"` // of one finding its own; of several it names exactly these
	Waived      bool     `json:"waived,omitempty"`

	Members []Finding `json:"-"` // the findings themselves, the worst first, and what is waived behind the others
}

// Groups joins the findings that have a cause in common, over items and servers. Give it all findings of a run, after
// Policy.Apply; it leaves none out. The worst group comes first, of equals the one with more findings, then that which
// was found first.
func Groups(findings []Finding) []Group {
	var groups []*Group
	byCause := map[string]*Group{}
	for _, f := range findings {
		cause := f.cause()
		g := byCause[cause]
		if g == nil {
			g = &Group{Cause: cause, Items: []string{}, Servers: []string{}}
			byCause[cause] = g
			groups = append(groups, g)
		}
		g.Members = append(g.Members, f)
	}
	ready := []Group{}
	for _, g := range groups {
		ready = append(ready, g.complete())
	}
	slices.SortStableFunc(ready, func(a, b Group) int {
		return cmp.Or(rank(b)-rank(a), cmp.Compare(len(b.Members), len(a.Members)))
	})
	return ready
}

// cause is what the finding says of itself, or its message.
func (f Finding) cause() string { return cmp.Or(f.Cause, strings.TrimSuffix(f.Message, ".")) }

// rank puts what is waived behind all that is not.
func rank(g Group) int {
	if g.Waived {
		return -1
	}
	return int(g.Level)
}

func (g Group) complete() Group {
	g.Waived = !slices.ContainsFunc(g.Members, func(f Finding) bool { return f.Waiver == nil })
	items, servers := map[string]bool{"": true}, map[string]bool{"": true}
	for _, f := range g.Members {
		if f.Waiver == nil || g.Waived {
			g.Level = max(g.Level, f.Level)
		}
		g.Findings = append(g.Findings, f.Fingerprint())
		if !items[f.Item] {
			g.Items, items[f.Item] = append(g.Items, f.Item), true
		}
		if !servers[f.Server] {
			g.Servers, servers[f.Server] = append(g.Servers, f.Server), true
		}
	}
	g.Fingerprint, g.Title = together(g.Findings), g.titled()
	slices.SortStableFunc(g.Members, func(a, b Finding) int { return b.weight() - a.weight() })
	return g
}

// weight puts what is waived behind all that is not.
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
			title += " in " + listed(places)
		}
	case whole:
		title += ": " + listed(names)
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
	var names []string
	for _, f := range g.Members {
		steps := rawjson.Split(f.Pointer())
		if len(steps) > 1 && !slices.Contains(names, "`"+steps[len(steps)-2]+"`") {
			names = append(names, "`"+steps[len(steps)-2]+"`")
		}
	}
	return names
}

// listed names the first few of a list.
func listed(names []string) string {
	const shown = 5
	if more := len(names) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), more)
	}
	return strings.Join(names, ", ")
}

// plural is what several items are called.
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
