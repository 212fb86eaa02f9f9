package usage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// trendParts is in how many parts a window is shown.
const trendParts = 12

// Called is what is known of the calls of a tool of the server.
func (e Evidence) Called(tool string) finding.Called {
	return calledIn(finding.Called{Tool: tool}, e.window, e.tool(tool))
}

func calledIn(c finding.Called, w Window, uses []Use) finding.Called {
	var all, failing callers
	c.Days, c.Trend, c.Agents = w.Days, make([]int, trendParts), []string{}
	for _, u := range uses {
		c.Calls, c.Failed, c.Last = c.Calls+u.Count, c.Failed+u.Errors, max(c.Last, u.Last)
		all.add(u.Record)
		if u.Errors > 0 {
			failing.add(u.Record)
		}
		for day, n := range u.Calls {
			if day >= w.From {
				c.Trend[w.part(day, trendParts)] += n
			}
		}
	}
	c.Agents, c.Projects = append(c.Agents, all.Agents...), all.Projects
	if c.Failed > 0 {
		c.Failing = (&finding.Usage{Consumers: failing.Agents, Projects: failing.Projects}).Callers()
	}
	return c
}

// Called are the tools that were called in a window, of all servers, those that were called most first.
func (rs *Records) Called(w Window) []finding.Called {
	uses := map[[2]string][]Use{}
	for _, r := range rs.All() {
		if u := r.within(w); u.Count > 0 && r.Answer == nil {
			tool := [2]string{r.Server, r.Tool}
			uses[tool] = append(uses[tool], u)
		}
	}
	all := []finding.Called{}
	for tool, of := range uses {
		all = append(all, calledIn(finding.Called{Server: tool[0], Tool: tool[1]}, w, of))
	}
	slices.SortFunc(all, func(a, b finding.Called) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Tool, b.Tool))
	})
	return all
}

// Replay is what is known of the calls of a tool, judged by the schema of its arguments. With an error it is what Called gives.
func (e Evidence) Replay(tool string, input json.RawMessage) (finding.Called, error) {
	out := e.Called(tool)
	by, err := schema.Parse(input)
	if err != nil {
		return out, err
	}
	faults := map[[2]string]int{} // by argument and what is wrong with it; without an argument of all
	for _, u := range e.tool(tool) {
		switch u.Arguments.Judge(by) {
		case Refused:
			out.Refused += u.Count
			countFaults(faults, u, by)
		case Undecided:
			out.Undecided += u.Count
		}
	}
	most := 0
	for _, f := range slices.SortedFunc(maps.Keys(faults), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		switch n := faults[f]; {
		case f[0] == "" && n > most:
			out.Fault, most = f[1], n
		case f[0] != "" && n > out.WrongCalls:
			out.Wrong, out.WrongCalls, out.WrongFault = f[0], n, f[1]
		}
	}
	if out.Calls > 0 {
		e.never(&out, rawjson.ObjectOf(rawjson.ObjectOf(input)["properties"]))
	}
	return out, nil
}

// countFaults counts what is wrong with some calls, by argument and of all.
func countFaults(faults map[[2]string]int, u Use, by *schema.Schema) {
	found, _ := by.Faults("", u.Arguments.value(), nil)
	for _, f := range found {
		names := f.Names
		if steps := rawjson.Split(f.Path); len(steps) > 0 {
			names = steps[:1]
		}
		for _, name := range append([]string{""}, names...) {
			faults[[2]string{name, faultText(f)}] += u.Count
		}
	}
}

func faultText(f schema.Fault) string {
	place := strings.Join(rawjson.Split(f.Path), ".")
	switch {
	case f.Keyword == "required":
		return strings.TrimPrefix(fmt.Sprintf("%s: %s is missing", place, strings.Join(f.Names, ", ")), ": ")
	case len(f.Names) > 0:
		return strings.TrimPrefix(fmt.Sprintf("%s: %s is not known", place, strings.Join(f.Names, ", ")), ": ")
	}
	return strings.TrimSpace(place + " " + f.Reason)
}

// never adds the arguments that no call gave, and the choices that none made; none where the records do not tell.
func (e Evidence) never(out *finding.Called, properties rawjson.Object) {
	shapes := map[string][]Shape{}
	for _, u := range e.tool(out.Tool) {
		if u.Arguments.Members == nil {
			return
		}
		for name, s := range u.Arguments.Members {
			shapes[name] = append(shapes[name], s)
		}
	}
	out.NeverSent = map[string][]string{}
	for _, name := range lists.SortedKeys(properties) {
		if len(shapes[name]) == 0 {
			out.NeverGiven, out.Unused = append(out.NeverGiven, name), append(out.Unused, name)
			continue
		}
		value, _ := rawjson.Decode(properties[name])
		eachChoice(value, func(choice any) {
			raw, _ := rawjson.Encode(choice)
			if !slices.Contains(out.NeverSent[name], string(raw)) && !slices.ContainsFunc(shapes[name], func(s Shape) bool { return s.mayHold(raw) }) {
				out.NeverSent[name] = append(out.NeverSent[name], string(raw))
				out.Unused = append(out.Unused, name+"="+string(raw))
			}
		})
	}
	slices.Sort(out.Unused)
}

// mayHold tells whether the value, or one in it, may be a choice.
func (s Shape) mayHold(choice json.RawMessage) bool {
	text, isText := rawjson.Text(choice)
	switch {
	case s.Value != nil:
		return string(s.Value) == string(choice)
	case s.Type == "null":
		return string(choice) == s.Type
	case s.Type == "string":
		low, high := lengthRange(utf8.RuneCountInString(text))
		return isText && s.Low == low && s.High == high
	case s.Items == nil && s.Members == nil:
		return true
	}
	may := func(one Shape) bool { return one.mayHold(choice) }
	return slices.ContainsFunc(s.Items, may) || slices.ContainsFunc(slices.Collect(maps.Values(s.Members)), may)
}

// A text that no schema lists is taken for a choice when it was sent so often at its place, and when texts like it are most of
// what was sent there, and few. Arguments of one name in all tools of a server are a place, too.
const (
	leastRepeats = 3
	mostChoices  = 20
)

// Choices are the texts that a schema lists as the values that are allowed.
func Choices(schema json.RawMessage) map[string]bool {
	found := map[string]bool{}
	value, _ := rawjson.Decode(schema) // what is none lists nothing
	eachChoice(value, func(choice any) {
		if text, ok := choice.(string); ok {
			found[text] = true
		}
	})
	return found
}

// eachChoice visits the values that a decoded schema lists.
func eachChoice(value any, visit func(any)) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			eachChoice(item, visit)
		}
	case map[string]any:
		listed, _ := v["enum"].([]any)
		if only, ok := v["const"]; ok {
			listed = append(listed, only)
		}
		for _, choice := range listed {
			visit(choice)
		}
		for _, name := range lists.SortedKeys(v) {
			eachChoice(v[name], visit)
		}
	}
}

// Settle lets go of the texts that are no choices. known gives the choices that the schema of a tool lists.
func (rs *Records) Settle(known func(server, tool string) map[string]bool) {
	all, at := rs.clear(), places{}
	for _, r := range all {
		at.add(r.Server, r.Tool, r.Arguments, sum(r.Calls))
	}
	for _, r := range all {
		listed := known(r.Server, r.Tool)
		r.Arguments = r.Arguments.each("", func(pointer string, s Shape) Shape {
			text, _ := rawjson.Text(s.Value)
			if s.Value == nil || listed[text] || at[[3]string{r.Server, r.Tool, pointer}].chooses(s.Value) || at[[3]string{r.Server, "", pointer}].chooses(s.Value) {
				return s
			}
			return hidden(text)
		})
		rs.add(*r)
	}
}

// Share leaves out what is nobody else's business: projects, texts that are no choices, and how far imports came.
func (rs *Records) Share(known func(server, tool string) map[string]bool) {
	rs.read = nil
	for _, r := range rs.byKey {
		r.Project = ""
	}
	rs.Settle(known)
}

// Texts are those that are kept of what was sent to a tool, sorted.
func (rs *Records) Texts(server, tool string) []string {
	found := map[string]bool{}
	for _, r := range rs.byKey {
		if r.Server == server && r.Tool == tool {
			r.Arguments.each("", func(_ string, s Shape) Shape {
				if text, ok := rawjson.Text(s.Value); ok {
					found[text] = true
				}
				return s
			})
		}
	}
	return lists.SortedKeys(found)
}

// places are what was sent, by server, tool and pointer; without a tool to all of them.
type places map[[3]string]*place

// place is what was sent at one place of arguments: each text that is known, and how many there were in all.
type place struct {
	texts map[string]int
	all   int
}

func (at places) add(server, tool string, arguments Shape, calls int) {
	arguments.each("", func(pointer string, s Shape) Shape {
		for _, key := range [][3]string{{server, tool, pointer}, {server, "", pointer}} {
			if at[key] == nil {
				at[key] = &place{texts: map[string]int{}}
			}
			at[key].all += calls
			if s.Value != nil {
				at[key].texts[string(s.Value)] += calls
			}
		}
		return s
	})
}

// chooses tells whether a text is a choice there.
func (p *place) chooses(text json.RawMessage) bool {
	repeated, different := 0, 0
	for _, n := range p.texts {
		if n >= leastRepeats {
			repeated += n
			different++
		}
	}
	return p.texts[string(text)] >= leastRepeats && different <= mostChoices && 2*repeated >= p.all
}
