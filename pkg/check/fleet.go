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
		on := func(m Member) int { return m.on(m.Tokens, m.TokensOn) }
		f.overBudget(report, func(m Member) int { return m.Tokens }, on, "tokens", f.budgets.Tokens)
	},
	"budget-tools": func(f *fleet, report reporter) {
		on := func(m Member) int { return m.on(len(m.Tools), m.ToolsOn) }
		f.overBudget(report, func(m Member) int { return len(m.Tools) }, on, "tools", f.budgets.Tools)
	},
	"fleet-too-many-tools":    tooManyTools,
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
	// how many of its tools are on in at least one of them, and what those cost; nil = all
	ToolsOn  *int `json:"toolsOn,omitempty"`
	TokensOn *int `json:"tokensOn,omitempty"`
	// how many are on in the applications that do not give all to their models
	OnIn map[string]int `json:"onIn,omitempty"`
}

// on returns the number of a member's tools or tokens that are on.
func (m Member) on(all int, on *int) int {
	if on == nil {
		return all
	}
	return *on
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
	if c := s.Clients; c != nil {
		m.ToolsOn, m.OnIn = &c.On, map[string]int{}
		if m.Tokens > 0 {
			m.TokensOn = &c.Tokens
		}
		for _, limit := range c.Filters {
			m.OnIn[limit.Application] = limit.On
		}
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

// counted returns the sum of a number of members, and the share of each, the largest first.
func counted(members []Member, count func(Member) int) (total int, shares string) {
	members = slices.SortedFunc(slices.Values(members), func(a, b Member) int {
		return cmp.Or(cmp.Compare(count(b), count(a)), cmp.Compare(a.Name, b.Name))
	})
	var each []string
	for _, m := range members {
		total += count(m)
		each = append(each, fmt.Sprintf("%s %d", m.Name, count(m)))
	}
	return total, kit.Some(each)
}

// overBudget reports all servers together if they are above a budget, which counts the tools that are off,
// too; 0 = no limit.
func (f *fleet) overBudget(report reporter, count, on func(Member) int, unit string, budget int) {
	total, shares := counted(f.members, count)
	if budget == 0 || total <= budget {
		return
	}
	if n, _ := counted(f.members, on); n < total {
		unit += fmt.Sprintf(", %d of them on", n)
	}
	all := finding.Finding{New: encoded(total),
		Message: fmt.Sprintf("The servers have %d %s (%s); the budget is %d.", total, unit, shares, budget)}
	if len(f.members) == 1 {
		all.Server = f.members[0].Name
		all.Message = fmt.Sprintf("The server has %d %s; the budget is %d.", total, unit, budget)
	}
	report(all)
}

// tooManyTools reports the servers of each application that gives more tools to its model than some accept,
// and together those whose application is unknown.
func tooManyTools(f *fleet, report reporter) {
	loads := map[string][]Member{} // by application
	for _, m := range f.members {
		if len(m.Applications) == 0 {
			loads[""] = append(loads[""], m)
		}
		for _, name := range m.Applications {
			loads[name] = append(loads[name], m)
		}
	}
	for _, name := range kit.SortedKeys(loads) {
		total, shares := counted(loads[name], func(m Member) int {
			if n, limited := m.OnIn[name]; limited {
				return n
			}
			return m.on(len(m.Tools), m.ToolsOn)
		})
		if len(loads[name]) < 2 || total <= clientTools {
			continue
		}
		found, subject := finding.Finding{New: encoded(total)}, "The servers have"
		if name != "" {
			found.Path, subject = rawjson.Join("", name), name+" loads"
		}
		found.Message = fmt.Sprintf("%s %d tools (%s); some clients accept at most %d.", subject, total,
			shares, clientTools)
		report(found)
	}
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
