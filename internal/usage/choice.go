package usage

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A text that no schema lists is taken for a choice when it was sent so often at its place, and when texts like it are most of
// what was sent there, and few.
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
	tools := map[string][]*Record{}
	for _, r := range rs.All() {
		tool := r.Server + "\x00" + r.Tool
		tools[tool] = append(tools[tool], r)
	}
	*rs = *NewRecords()
	for _, records := range tools {
		places := map[string]*place{}
		for _, r := range records {
			r.Arguments.texts("", func(pointer string, s Shape) {
				places[pointer] = places[pointer].with(s, sum(r.Calls))
			})
		}
		listed := known(records[0].Server, records[0].Tool)
		for _, r := range records {
			r.Arguments = r.Arguments.settled("", places, listed)
			rs.add(*r)
		}
	}
}

// place is what was sent at one place of a tool's arguments: each text that is known, and how many there were in all.
type place struct {
	texts map[string]int
	all   int
}

func (p *place) with(s Shape, calls int) *place {
	p = cmp.Or(p, &place{texts: map[string]int{}})
	p.all += calls
	if s.Value != nil {
		p.texts[string(s.Value)] += calls
	}
	return p
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

// texts visits the texts of a shape, each with its place; all items of an array are at one.
func (s Shape) texts(pointer string, visit func(string, Shape)) {
	if s.Type == "string" {
		visit(pointer, s)
	}
	for _, item := range s.Items {
		item.texts(rawjson.Join(pointer, "*"), visit)
	}
	for name, member := range s.Members {
		member.texts(rawjson.Join(pointer, name), visit)
	}
}

// settled is the shape with no texts but those that are choices.
func (s Shape) settled(pointer string, places map[string]*place, listed map[string]bool) Shape {
	if s.Type == "string" && s.Value != nil {
		if text, _ := rawjson.Text(s.Value); !listed[text] && !places[pointer].chooses(s.Value) {
			return hidden(text)
		}
	}
	s.Items = slices.Clone(s.Items)
	for i, item := range s.Items {
		s.Items[i] = item.settled(rawjson.Join(pointer, "*"), places, listed)
	}
	if s.Members != nil {
		members := map[string]Shape{}
		for name, member := range s.Members {
			members[name] = member.settled(rawjson.Join(pointer, name), places, listed)
		}
		s.Members = members
	}
	return s
}
