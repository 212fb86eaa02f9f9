package check

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// costRules are about what a server costs every conversation that has it: for all, and in a project that has
// set limits.
var costRules = map[string]look{
	"tool-expensive":         expensive,
	"tool-never-called":      neverCalled,
	"budget-text-characters": textCharacters,
	"text-long": ofTexts(func(p passage, at spot) {
		if p.prose && len(p.text) > maxText {
			at.say("", nil, "The text has %d characters.", utf8.RuneCountInString(p.text))
		}
	}),
	"budget-server-tokens": func(s *server, report tell) {
		over(report, finding.Finding{}, "The server has about", func() int { return Tokens(s.Snapshot) },
			s.options.Budgets.ServerTokens, "tokens")
	},
	"budget-server-tools": func(s *server, report tell) {
		over(report, finding.Finding{}, "The server has", func() int { return len(s.tools) },
			s.options.Budgets.ServerTools, "tools")
	},
	"budget-tool-tokens": func(s *server, report tell) {
		for _, t := range s.tools {
			over(report, finding.Finding{Item: t.id}, "The tool costs about",
				func() int { return ToolTokens(t.Item) }, s.options.Budgets.ToolTokens, "tokens")
		}
	},
	"budget-item-bytes": func(s *server, report tell) {
		for _, i := range s.items {
			over(report, finding.Finding{Item: i.id}, "The item takes",
				func() int { return rawjson.Size(i.Raw) }, s.options.Budgets.ItemBytes, "bytes")
		}
	},
}

// fleetRules are about servers that one client has at the same time.
var fleetRules = map[string]func(fleet, tell){
	"budget-tokens": func(f fleet, report tell) {
		f.over(report, func(m Member) int { return m.Tokens }, f.budgets.Tokens,
			"tokens (estimated), more than the budget of %d")
	},
	"budget-tools": func(f fleet, report tell) {
		f.over(report, toolsOf, f.budgets.Tools, "tools, more than the budget of %d")
	},
	"fleet-too-many-tools": func(f fleet, report tell) {
		if len(f.members) > 1 {
			f.over(report, toolsOf, clientTools, "tools, more than the %d that some clients take")
		}
	},
	"tool-name-shared":        sharedNames,
	"tool-name-confusable":    confusableNames,
	"text-names-other-server": foreignTools,
}

const (
	maxToolTokens = 2000
	maxText       = 8000
	clientTools   = 128
)

func expensive(s *server, report tell) {
	for _, t := range s.tools {
		if len(t.Raw) <= maxToolTokens { // a token has a byte at least
			continue
		}
		if n := ToolTokens(t.Item); n > maxToolTokens {
			report(finding.Finding{Item: t.id, Message: fmt.Sprintf("The tool costs about %d tokens.", n)})
		}
	}
}

func textCharacters(s *server, report tell) {
	limit := s.options.Budgets.TextCharacters
	for _, w := range s.texts {
		for _, p := range w.texts {
			if limit > 0 && p.prose && len(p.text) > limit {
				over(report, finding.Finding{Item: w.item, Path: p.path()}, "The text has",
					func() int { return utf8.RuneCountInString(p.text) }, limit, "characters")
			}
		}
	}
}

// over reports one finding if a cost is above its limit; without a limit nothing is counted.
func over(report tell, place finding.Finding, has string, cost func() int, limit int, what string) {
	if limit == 0 {
		return
	}
	if n := cost(); n > limit {
		place.New, place.Message = encoded(n),
			fmt.Sprintf("%s %d %s, more than the budget of %d.", has, n, what, limit)
		report(place)
	}
}

// fleet is what the rules on all servers together need of each.
type fleet struct {
	members []Member
	owners  map[string][]int
	budgets Budgets
}

// Member is what rules on all servers together want to know of one of them. As JSON it can be kept, and
// judged with others later.
type Member struct {
	Name     string    `json:"name"`
	Tools    []string  `json:"tools"`  // the names of its tools
	Tokens   int       `json:"tokens"` // what it costs in a prompt; 0 without a budget
	Mentions []Mention `json:"mentions"`
}

// Mention is a word of a text that could be the name of a tool.
type Mention struct {
	Word string `json:"word"` // its digest: of what texts say no more is kept
	Item string `json:"item"`
	Path string `json:"path"`
}

func digest(word string) string {
	sum := sha256.Sum256([]byte(word))
	return fmt.Sprintf("%x", sum[:12])
}

// composed are words that nobody writes by chance: parts joined by an underscore, or by a capital inside.
var composed = kit.Pattern(`[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)+|[a-z0-9]+[A-Z][A-Za-z0-9]*`)

// composedIn are the composed words of a text. An expression reads slowly, and most words cannot be one.
func composedIn(text string) []string {
	var found []string
	for run := range strings.FieldsFuncSeq(text,
		func(r rune) bool {
			return r != '_' && r != '-' &&
				(r >= utf8.RuneSelf || !letterOrDigit(byte(r)))
		}) {
		if strings.ContainsAny(run, "_-") || strings.ContainsFunc(run[1:], unicode.IsUpper) {
			found = append(found, composed().FindAllString(run, -1)...)
		}
	}
	return found
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// memberOf keeps of a server what rules on all of them need, so that the rest of it can go.
func memberOf(s *server) Member {
	m := Member{Name: s.Name}
	m.Tools = kit.Map(s.tools, func(t tool) string { return t.Key })
	if s.options.Budgets.Tokens > 0 {
		m.Tokens = Tokens(s.Snapshot)
	}
	told, own := map[Mention]bool{}, kit.Set(m.Tools)
	for _, w := range s.texts {
		for _, word := range w.words {
			if once := (Mention{Word: word.text, Item: w.item}); !own[word.text] && !told[once] {
				told[once] = true
				m.Mentions = append(m.Mentions, Mention{digest(word.text), w.item, word.path})
			}
		}
	}
	return m
}

func toolsOf(m Member) int { return len(m.Tools) }

// over tells that all servers together are above a limit, the dearest first.
func (f fleet) over(report tell, of func(Member) int, limit int, what string) {
	if limit == 0 {
		return
	}
	members := slices.SortedFunc(slices.Values(f.members), func(a, b Member) int {
		return cmp.Or(cmp.Compare(of(b), of(a)), cmp.Compare(a.Name, b.Name))
	})
	total, parts := 0, []string{}
	for _, m := range members {
		total += of(m)
		parts = append(parts, fmt.Sprintf("%s %d", m.Name, of(m)))
	}
	if total <= limit {
		return
	}
	says := fmt.Sprintf(what, limit)
	one := finding.Finding{New: encoded(total),
		Message: fmt.Sprintf("The servers have %d %s: %s.", total, says, kit.Some(parts))}
	if len(f.members) == 1 {
		one.Server, one.Message = f.members[0].Name, fmt.Sprintf("The server has %d %s.", total, says)
	}
	report(one)
}

// ownersOf returns the servers that have a tool, by its name, as indexes of members sorted by name.
func ownersOf(members []Member) map[string][]int {
	all := map[string][]int{}
	for i, m := range members {
		for _, name := range m.Tools {
			had := all[name]
			if name != "" && (len(had) == 0 || had[len(had)-1] != i) {
				all[name] = append(had, i)
			}
		}
	}
	for _, at := range all {
		slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(members[a].Name, members[b].Name) })
	}
	return all
}

// first is the first server that has a tool.
func (f fleet) first(name string) Member { return f.members[f.owners[name][0]] }

func sharedNames(f fleet, report tell) {
	shared := make([][]string, len(f.members))
	for name, at := range f.owners {
		for _, i := range at[1:] {
			shared[i] = append(shared[i], name)
		}
	}
	for i, names := range shared {
		for _, name := range names {
			report(finding.Finding{Server: f.members[i].Name, Item: "tool/" + name, Path: "/name",
				New: rawjson.Quote(name),
				Message: fmt.Sprintf("%s has a tool of the same name, and comes first by name.",
					f.first(name).Name)})
		}
	}
}

func confusableNames(f fleet, report tell) {
	first := map[string]string{}
	var alike []finding.Finding
	for _, name := range kit.SortedKeys(f.owners) {
		other, seen := first[skeleton(name)]
		if !seen {
			first[skeleton(name)] = name
			continue
		}
		alike = append(alike, finding.Finding{Server: f.first(name).Name, Item: "tool/" + name, Path: "/name",
			New: rawjson.Quote(name), Message: fmt.Sprintf("The name looks like %q of %s.", other,
				f.first(other).Name)})
	}
	finding.Sort(alike)
	for _, one := range alike {
		report(one)
	}
}

// skeleton is a name without what eyes and models pass over: case, separators, and letters of other scripts
// that look Latin.
func skeleton(name string) string {
	return strings.Map(func(r rune) rune {
		switch r = wording.Latin(r); r {
		case '0':
			r = 'o'
		case '1':
			r = 'l'
		}
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

func foreignTools(f fleet, report tell) {
	said, names := map[string]bool{}, map[string]string{}
	for _, m := range f.members {
		for _, one := range m.Mentions {
			said[one.Word] = true
		}
	}
	for name := range f.owners {
		if word := digest(name); said[word] {
			names[word] = name
		}
	}
	for _, m := range f.members {
		for _, said := range m.Mentions {
			name, known := names[said.Word] // none of its own
			if known {
				report(finding.Finding{Server: m.Name, Item: said.Item, Path: said.Path,
					New:     rawjson.Quote(name),
					Message: fmt.Sprintf("The text names %s, a tool of %s.", name, f.first(name).Name)})
			}
		}
	}
}
