package usage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Verdict is what a schema does with the calls of a shape. The zero value is Undecided.
type Verdict int

// The verdicts. What rests on a text that is not kept is Undecided, never guessed.
const (
	Undecided Verdict = iota
	Accepted
	Refused
)

// Judge tells whether a schema accepts the calls of the shape.
func (s Shape) Judge(by *schema.Schema) Verdict {
	switch accepted, sure := by.Accepts(s.value()); {
	case !sure:
		return Undecided
	case accepted:
		return Accepted
	}
	return Refused
}

// Window are the days that count.
type Window struct {
	Days int
	From string // the first day
}

// ParseDays reads a time such as "30d", or one that time.ParseDuration reads, of a day at least.
func ParseDays(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	number, inDays := strings.CutSuffix(text, "d")
	n, err := strconv.Atoi(number)
	length := time.Duration(n) * day
	if !inDays {
		length, err = time.ParseDuration(text)
	}
	if err != nil || length < day || n > 36500 {
		return 0, fmt.Errorf("%q is no time of a day or more, such as 30d", text)
	}
	return length, nil
}

// WindowOf are the days before now.
func WindowOf(length time.Duration, now time.Time) Window {
	return Window{int(length / (24 * time.Hour)), dayOf(now.Add(-length))}
}

// Evidence are the recorded calls of one server in a window.
type Evidence struct {
	window Window
	uses   []Use
}

// Use is one record, as far as it lies in the window.
type Use struct {
	*Record
	Count, Errors int // calls, and those of them that failed
	Last          string
}

// Of are the recorded calls of a server, which may be recorded by any of its names.
func (rs *Records) Of(names []string, w Window) Evidence {
	e := Evidence{window: w}
	for _, r := range rs.All() {
		if slices.ContainsFunc(names, func(name string) bool { return sameName(r.Server, name) }) {
			if u := r.within(w); u.Count > 0 {
				e.uses = append(e.uses, u)
			}
		}
	}
	return e
}

func (r *Record) within(w Window) Use {
	u := Use{Record: r}
	for day, n := range r.Calls {
		if day >= w.From {
			u.Count, u.Errors, u.Last = u.Count+n, u.Errors+r.Failed[day], max(u.Last, day)
		}
	}
	return u
}

// Days is how long the window is.
func (e Evidence) Days() int { return e.window.Days }

// Calls is how many calls of the server there are.
func (e Evidence) Calls() int {
	total := 0
	for _, u := range e.uses {
		total += u.Count
	}
	return total
}

// Tool are the recorded calls of a tool of the server.
func (e Evidence) Tool(name string) []Use {
	var found []Use
	for _, u := range e.uses {
		if sameName(u.Tool, name) {
			found = append(found, u)
		}
	}
	return found
}

// Undecided is what can be said of a change that is about something else than arguments: how often the tool is called.
func (e Evidence) Undecided(tool string) *finding.Usage {
	return e.count(tool, func(u Use) (calls, refused, undecided int) { return u.Count, 0, u.Count })
}

// Gone are the calls of a tool that is not there any more.
func (e Evidence) Gone(tool string) *finding.Usage {
	return e.count(tool, func(u Use) (calls, refused, undecided int) { return u.Count, u.Count, 0 })
}

// Unheard are the calls that send a member which nobody reads any more. They are accepted, and undecided is what comes of that.
func (e Evidence) Unheard(tool, pointer string) *finding.Usage {
	steps := rawjson.Split(pointer)
	return e.count(tool, func(u Use) (calls, refused, undecided int) {
		if u.Arguments.may(steps) {
			return u.Count, 0, u.Count
		}
		return u.Count, 0, 0
	})
}

// may tells whether there is something at a place, or it is not known; * is every item and every member.
func (s Shape) may(steps []string) bool {
	switch {
	case len(steps) == 0:
		return true
	case s.Type == "object" && s.Members == nil, s.Type == "array" && s.Items == nil:
		return true
	}
	for _, item := range s.Items {
		if item.may(steps[1:]) {
			return true
		}
	}
	for name, member := range s.Members {
		if (steps[0] == "*" || steps[0] == name) && member.may(steps[1:]) {
			return true
		}
	}
	return false
}

// Refused are the calls that the old schema accepts and each of the others refuses. A call that was answered without an error
// was accepted, also where the old schema cannot be judged by what is kept of it.
func (e Evidence) Refused(tool string, old *schema.Schema, by ...*schema.Schema) *finding.Usage {
	listed := Choices(old.Raw())
	for _, s := range by {
		maps.Copy(listed, Choices(s.Raw()))
	}
	choices := slices.Sorted(maps.Keys(listed))
	return e.count(tool, func(u Use) (calls, refused, undecided int) {
		fates, certain := map[Verdict]bool{}, true
		for _, one := range u.Arguments.cases(choices) {
			before := one.Judge(old)
			certain = certain && before == Accepted
			if before != Refused {
				fates[one.judgeAll(by)] = true
			}
		}
		switch open := u.Errors; {
		case len(fates) == 0:
			return 0, 0, 0
		case len(fates) > 1 || fates[Undecided]:
			return u.Count, 0, u.Count
		case fates[Accepted]:
			return u.Count, 0, 0
		case certain:
			return u.Count, u.Count, 0
		default:
			return u.Count, u.Count - open, open
		}
	})
}

// judgeAll is Refused when each of the schemas refuses, and Accepted when one accepts.
func (s Shape) judgeAll(by []*schema.Schema) Verdict {
	worst := Refused
	for _, one := range by {
		switch s.Judge(one) {
		case Accepted:
			return Accepted
		case Undecided:
			worst = Undecided
		}
	}
	return worst
}

// mostCases bounds what a shape is taken apart into.
const mostCases = 64

// cases are the shapes with texts that are not kept taken for each of the choices that they may have been, and for none of them:
// one of these the call had. Where there are too many, the shape is the only one.
func (s Shape) cases(choices []string) []Shape {
	all := s.expand(choices)
	if len(all) > mostCases {
		return []Shape{s}
	}
	return all
}

func (s Shape) expand(choices []string) []Shape {
	switch {
	case s.Type == "string" && s.Value == nil:
		return s.alternatives(choices)
	case s.Items != nil:
		all := []Shape{{Type: s.Type, Items: []Shape{}}}
		for _, item := range s.Items {
			all = product(all, item.expand(choices), func(to Shape, one Shape) Shape {
				to.Items = append(slices.Clone(to.Items), one)
				return to
			})
		}
		return all
	case s.Members != nil:
		all := []Shape{{Type: s.Type, Members: map[string]Shape{}}}
		for _, name := range slices.Sorted(maps.Keys(s.Members)) {
			all = product(all, s.Members[name].expand(choices), func(to Shape, one Shape) Shape {
				to.Members = maps.Clone(to.Members)
				to.Members[name] = one
				return to
			})
		}
		return all
	}
	return []Shape{s}
}

// alternatives are the choices of the length that a text has, and the text that is none of them.
func (s Shape) alternatives(choices []string) []Shape {
	other := s
	all := []Shape{}
	for _, choice := range choices {
		if low, high := lengthRange(utf8.RuneCountInString(choice)); low == s.Low && high == s.High {
			all = append(all, Shape{Type: "string", Value: rawjson.Quote(choice)})
			other.except = append(other.except, choice)
		}
	}
	return append(all, other)
}

// product joins each of some shapes with each of others, as long as they are not too many.
func product(all, others []Shape, join func(Shape, Shape) Shape) []Shape {
	var out []Shape
	for _, to := range all {
		for _, one := range others {
			if len(out) > mostCases {
				return out
			}
			out = append(out, join(to, one))
		}
	}
	return out
}

// count adds up what is said of each recorded shape of a tool.
func (e Evidence) count(tool string, say func(Use) (calls, refused, undecided int)) *finding.Usage {
	out := &finding.Usage{Recorded: e.Calls(), Days: e.window.Days, Since: e.window.From}
	var all, affected callers
	most := 0
	for _, u := range e.Tool(tool) {
		calls, refused, undecided := say(u)
		out.Calls, out.Refused, out.Undecided = out.Calls+calls, out.Refused+refused, out.Undecided+undecided
		out.Last = max(out.Last, u.Last)
		all.add(u.Record)
		if refused > 0 {
			affected.add(u.Record)
		}
		if refused > most {
			most, out.Example = refused, u.Arguments.Example()
		}
	}
	if len(affected.Agents) == 0 {
		affected = all
	}
	out.Consumers, out.Projects = affected.Agents, affected.Projects
	return out
}

// callers are who made some calls, sorted.
type callers struct{ Agents, Projects []string }

func (c *callers) add(r *Record) {
	c.Agents = withName(c.Agents, r.Agent)
	if r.Project != "" {
		c.Projects = withName(c.Projects, r.Project)
	}
}

// withName is sorted names with one more.
func withName(names []string, name string) []string {
	at, known := slices.BinarySearch(names, name)
	if known {
		return names
	}
	return slices.Insert(names, at, name)
}

// Summary is what is known of the calls of one tool.
type Summary struct {
	Server, Tool  string
	Calls, Errors int
	Last          string
	Trend         [trendParts]int // calls in equal parts of the window, the oldest first
	callers
}

// Of tells whether the calls are those of a server with this name.
func (s Summary) Of(server string) bool { return sameName(s.Server, server) }

// Is tells whether the calls are those of a tool with this name.
func (s Summary) Is(tool string) bool { return sameName(s.Tool, tool) }

// trendParts is in how many parts a window is shown.
const trendParts = 12

// Summary is what is known of the calls of a tool of the server.
func (e Evidence) Summary(tool string, now time.Time) Summary {
	s := Summary{Tool: tool}
	for _, u := range e.Tool(tool) {
		s.add(u, e.window, now)
	}
	return s
}

func (s *Summary) add(u Use, w Window, now time.Time) {
	s.Calls, s.Errors, s.Last = s.Calls+u.Count, s.Errors+u.Errors, max(s.Last, u.Last)
	s.callers.add(u.Record)
	for day, n := range u.Calls {
		if at, ok := w.part(day, now); ok {
			s.Trend[at] += n
		}
	}
}

// Summaries are the tools that were called in a window, of all servers, those that were called most first.
func (rs *Records) Summaries(w Window, now time.Time) []Summary {
	var all []Summary
	for _, r := range rs.All() { // those of one tool stand together
		u := r.within(w)
		if u.Count == 0 {
			continue
		}
		if last := len(all) - 1; last < 0 || all[last].Server != r.Server || all[last].Tool != r.Tool {
			all = append(all, Summary{Server: r.Server, Tool: r.Tool})
		}
		all[len(all)-1].add(u, w, now)
	}
	slices.SortStableFunc(all, func(a, b Summary) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(b.Calls, a.Calls))
	})
	return all
}

// part is in which part of the window a day lies.
func (w Window) part(day string, now time.Time) (int, bool) {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil || day < w.From {
		return 0, false
	}
	today, _ := time.Parse(time.DateOnly, dayOf(now))
	ago := int(today.Sub(at) / (24 * time.Hour))
	return max(0, min(trendParts-1, trendParts-1-ago*trendParts/max(w.Days, 1))), true
}
