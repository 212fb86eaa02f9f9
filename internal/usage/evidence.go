package usage

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Window are the days that count.
type Window struct {
	Days     int
	From, To string // the first day and the last one
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
	return Window{int(length / (24 * time.Hour)), dayOf(now.Add(-length)), dayOf(now)}
}

// part is in which of so many equal parts of the window a day of it lies.
func (w Window) part(day string, parts int) int {
	at, _ := time.Parse(time.DateOnly, day)
	today, _ := time.Parse(time.DateOnly, w.To)
	ago := int(today.Sub(at) / (24 * time.Hour))
	return max(0, min(parts-1, parts-1-ago*parts/max(w.Days, 1)))
}

// Evidence are the recorded calls of one server in a window, and their answers.
type Evidence struct {
	window        Window
	uses, answers []Use
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
		u := r.within(w)
		switch known := slices.ContainsFunc(names, func(name string) bool { return SameName(r.Server, name) }); {
		case !known || u.Count == 0:
		case r.Answer != nil:
			e.answers = append(e.answers, u)
		default:
			e.uses = append(e.uses, u)
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

func (e Evidence) tool(name string) []Use { return usesOf(e.uses, name) }

func usesOf(all []Use, tool string) []Use {
	return lists.Filter(all, func(u Use) bool { return SameName(u.Tool, tool) })
}

// Undecided is what can be said of a change of which the records do not tell: how often the tool is called.
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

// Held are the answers that held a member; undecided like unrecorded answers. Failed calls got none.
func (e Evidence) Held(tool, pointer string) *finding.Usage {
	steps := rawjson.Split(pointer)
	out := e.count(tool, func(u Use) (calls, refused, undecided int) { return u.Count, 0, u.Count - u.Errors })
	out.Member = strings.ReplaceAll(strings.Join(steps, "."), ".*", "[]")
	var receivers callers
	for _, u := range usesOf(e.answers, tool) {
		held, known := u.held(steps)
		if known {
			out.Answers, out.Undecided = out.Answers+u.Count, max(0, out.Undecided-u.Count)
		}
		if held {
			out.Held, out.Undecided = out.Held+u.Count, out.Undecided+u.Count
			receivers.add(u.Record)
		}
	}
	if out.Held > 0 {
		out.Consumers, out.Projects = receivers.Agents, receivers.Projects
	}
	return out
}

// count adds up what is said of each recorded shape of a tool.
func (e Evidence) count(tool string, say func(Use) (calls, refused, undecided int)) *finding.Usage {
	out := &finding.Usage{Recorded: e.Calls(), Days: e.window.Days, Since: e.window.From}
	var all, affected callers
	most := 0
	for _, u := range e.tool(tool) {
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
	for names, name := range map[*[]string]string{&c.Agents: r.Agent, &c.Projects: r.Project} {
		if at, known := slices.BinarySearch(*names, name); !known && name != "" {
			*names = slices.Insert(*names, at, name)
		}
	}
}

// Verdict is what a schema does with the calls of a shape. The zero value is Undecided.
type Verdict int

// The verdicts. What rests on a text that is not kept is Undecided, never guessed.
const (
	Undecided Verdict = iota
	Accepted
	Refused
)

// Judge is Refused when each of the schemas refuses the calls of the shape, and Accepted when one accepts them.
func (s Shape) Judge(by ...*schema.Schema) Verdict {
	verdict, value := Refused, s.value()
	for _, one := range by {
		switch accepted, sure := one.Accepts(value); {
		case accepted && sure:
			return Accepted
		case !sure:
			verdict = Undecided
		}
	}
	return verdict
}

// Refused are the calls that the old schema accepts and each of the others refuses. A call that was answered without an error
// was accepted, also where the old schema cannot be judged by what is kept of it.
func (e Evidence) Refused(tool string, old *schema.Schema, by ...*schema.Schema) *finding.Usage {
	listed := Choices(old.Raw())
	for _, s := range by {
		maps.Copy(listed, Choices(s.Raw()))
	}
	choices := lists.SortedKeys(listed)
	return e.count(tool, func(u Use) (calls, refused, undecided int) {
		fates, certain := map[Verdict]bool{}, true
		for _, one := range u.Arguments.cases(choices) {
			before := one.Judge(old)
			certain = certain && before == Accepted
			if before != Refused {
				fates[one.Judge(by...)] = true
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

// mostCases bounds what a shape is taken apart into.
const mostCases = 64

// cases are the shapes with unkept texts taken for each choice that they may be, and for none. Too many: the shape alone.
func (s Shape) cases(choices []string) []Shape {
	var all []Shape
	for n, total := 0, 1; n < total; n++ { // n counts through the alternatives of all texts, as digits
		rest, combined := n, 1
		all = append(all, s.each("", func(_ string, text Shape) Shape {
			if text.Value != nil {
				return text
			}
			may := text.alternatives(choices)
			chosen := may[rest%len(may)]
			rest, combined = rest/len(may), min(combined*len(may), mostCases+1)
			return chosen
		}))
		if total = combined; total > mostCases {
			return []Shape{s}
		}
	}
	return all
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
