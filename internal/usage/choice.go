package usage

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

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
		for _, name := range slices.Sorted(maps.Keys(v)) {
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
	return slices.Sorted(maps.Keys(found))
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
