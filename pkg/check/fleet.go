package check

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// fleetRules are on several servers that one client uses at the same time.
var fleetRules = map[string]fleetRule{
	"budget-tokens": func(f *fleet, report reporter) {
		tokens := func(m Member) int { return m.Tokens }
		f.overLimit(report, tokens, "tokens", f.budgets.Tokens, "the budget is")
	},
	"budget-tools": func(f *fleet, report reporter) {
		f.overLimit(report, toolCount, "tools", f.budgets.Tools, "the budget is")
	},
	"fleet-too-many-tools": func(f *fleet, report reporter) {
		if len(f.members) > 1 {
			f.overLimit(report, toolCount, "tools", clientTools, "some clients accept at most")
		}
	},
	"tool-name-shared":        nameShared,
	"tool-name-confusable":    nameConfusable,
	"text-names-other-server": namesOtherServer,
}

// clientTools is how many tools GitHub Copilot accepts.
const clientTools = 128

// Member is what the rules on several servers need of one. It can be stored as JSON and checked with other
// servers later.
type Member struct {
	Name     string    `json:"name"`
	Tools    []string  `json:"tools"`  // the names of its tools
	Tokens   int       `json:"tokens"` // 0 without a budget
	Mentions []Mention `json:"mentions"`
	// the applications that load it; nil = unknown
	Applications []string `json:"applications,omitempty"`
}

// Mention is a word of a text that could be the name of a tool.
type Mention struct {
	Word string `json:"word"` // its digest, so that no text is stored
	Item string `json:"item"`
	Path string `json:"path"`
}

// memberOf returns what the rules on several servers need of s. Words that name its own tools are left out,
// and a word counts once for each item.
func memberOf(s *server) Member {
	m := Member{Name: s.Name}
	m.Tools = kit.Map(s.tools, func(t *item) string { return t.Key })
	if s.options.Budgets.Tokens > 0 {
		m.Tokens = Tokens(s.Snapshot)
	}
	seen, own := map[[2]string]bool{}, kit.Set(m.Tools)
	for _, t := range s.texts {
		if !t.prose {
			continue
		}
		for _, word := range composed().FindAllString(t.value, -1) {
			if place := [2]string{word, t.item}; !own[word] && !seen[place] {
				seen[place] = true
				m.Mentions = append(m.Mentions, Mention{digest(word), t.item, t.path.String()})
			}
		}
	}
	return m
}

func digest(word string) string {
	sum := sha256.Sum256([]byte(word))
	return fmt.Sprintf("%x", sum[:12])
}

// composed matches words with an underscore, hyphen or capital inside, which are hardly plain English.
var composed = kit.Pattern(`[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[a-z0-9]+[A-Z][A-Za-z0-9]*`)

// fleet is the servers of one client.
type fleet struct {
	members []Member
	owners  map[string][]*Member // by the name of a tool, sorted by name
	budgets finding.Budgets
}

// newFleet returns the servers sorted by name, so that findings do not depend on the order in which they were
// read.
func newFleet(members []Member, budgets finding.Budgets) *fleet {
	f := &fleet{members: slices.Clone(members), owners: map[string][]*Member{}, budgets: budgets}
	slices.SortStableFunc(f.members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	for i, m := range f.members {
		for _, name := range kit.Distinct(m.Tools) {
			if name != "" {
				f.owners[name] = append(f.owners[name], &f.members[i])
			}
		}
	}
	return f
}

func toolCount(m Member) int { return len(m.Tools) }

// overLimit reports all servers together if they are above a limit, the most expensive first; 0 = no limit.
func (f *fleet) overLimit(report reporter, count func(Member) int, unit string, limit int, limitIs string) {
	members := slices.SortedFunc(slices.Values(f.members), func(a, b Member) int {
		return cmp.Or(cmp.Compare(count(b), count(a)), cmp.Compare(a.Name, b.Name))
	})
	total, shares := 0, []string{}
	for _, m := range members {
		total += count(m)
		shares = append(shares, fmt.Sprintf("%s %d", m.Name, count(m)))
	}
	if limit == 0 || total <= limit {
		return
	}
	all := finding.Finding{New: encoded(total), Message: fmt.Sprintf(
		"The servers have %d %s (%s); %s %d.", total, unit, kit.Some(shares), limitIs, limit)}
	if len(members) == 1 {
		all.Server = members[0].Name
		all.Message = fmt.Sprintf("The server has %d %s; %s %d.", total, unit, limitIs, limit)
	}
	report(all)
}

// nameShared reports for each server the tools that a server before it has as well.
func nameShared(f *fleet, report reporter) {
	for _, name := range kit.SortedKeys(f.owners) {
		for i, m := range f.owners[name] {
			other, applications := m.loadedWith(f.owners[name][:i])
			if other == nil {
				continue
			}
			both := fmt.Sprintf("offered by both %s and %s", other.Name, m.Name)
			if len(applications) > 0 {
				both += " (" + strings.Join(applications, ", ") + ")"
			}
			report(finding.Finding{Server: m.Name, Item: "tool/" + name, Path: "/name",
				New:     rawjson.Quote(name),
				Cause:   "Tool names are " + both,
				Message: fmt.Sprintf("%s is %s.", name, both)})
		}
	}
}

// loadedWith returns the first of some servers that an application loads together with m, and those
// applications, if they are known.
func (m *Member) loadedWith(others []*Member) (*Member, []string) {
	for _, other := range others {
		both := kit.Filter(other.Applications,
			func(name string) bool { return slices.Contains(m.Applications, name) })
		if len(both) > 0 || len(other.Applications) == 0 || len(m.Applications) == 0 {
			return other, both
		}
	}
	return nil, nil
}

// nameConfusable looks for different names of tools, of one server or of several, that look alike, such as
// get_user and getUser. It reports the one that sorts later.
func nameConfusable(f *fleet, report reporter) {
	first := map[string]string{}
	for _, name := range kit.SortedKeys(f.owners) {
		other, seen := first[skeleton(name)]
		if !seen {
			first[skeleton(name)] = name
			continue
		}
		points := wording.CodePoints(other, name)
		report(finding.Finding{Server: f.owners[name][0].Name, Item: "tool/" + name, Path: "/name",
			New: rawjson.Quote(name), Cause: "Tool names look like another tool's" + points,
			Message: fmt.Sprintf("The name %s%s looks like %s of %s.", name, points, other,
				f.owners[other][0].Name)})
	}
}

// skeleton returns a name without what is easily overlooked: case, separators, how it is encoded, and
// letters that look alike.
func skeleton(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1':
			return 'l'
		case '_', '-', '.', ' ':
			return -1
		}
		return r
	}, wording.Look(name))
}

// namesOtherServer looks for texts of a server that name a tool of another one, such as "call send_email
// first": they may direct what the model does there. Words are compared by digest, since no texts are kept.
func namesOtherServer(f *fleet, report reporter) {
	names := make(map[string]string, len(f.owners))
	for name := range f.owners {
		names[digest(name)] = name
	}
	for _, m := range f.members {
		for _, mention := range m.Mentions {
			if name, known := names[mention.Word]; known { // mentions leave out the server's own tools
				report(finding.Finding{Server: m.Name, Item: mention.Item, Path: mention.Path,
					New: rawjson.Quote(name), Message: fmt.Sprintf("The text names %s, a tool of %s.", name,
						f.owners[name][0].Name)})
			}
		}
	}
}
