package usage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Replay is what a schema does with the recorded calls of a tool.
type Replay struct {
	Calls, Refused, Undecided int
	Fault                     string   // what is wrong most often; empty = nothing is
	Unused                    []string // arguments that were never given, and choices, as NAME=VALUE, that were never made; none where that is not known
}

// Replay judges the recorded calls of a tool by the schema of its arguments.
func (e Evidence) Replay(tool string, input json.RawMessage) (Replay, error) {
	by, err := schema.Parse(input)
	if err != nil {
		return Replay{}, err
	}
	var out Replay
	faults := map[string]int{}
	for _, u := range e.Tool(tool) {
		out.Calls += u.Count
		switch u.Arguments.Judge(by) {
		case Refused:
			out.Refused += u.Count
			found, _ := by.Faults("", u.Arguments.value(), nil)
			for _, f := range found {
				faults[faultText(f)] += u.Count
			}
		case Undecided:
			out.Undecided += u.Count
		}
	}
	for _, text := range slices.Sorted(maps.Keys(faults)) {
		if faults[text] > faults[out.Fault] {
			out.Fault = text
		}
	}
	if out.Calls > 0 {
		out.Unused = e.unused(tool, rawjson.ObjectOf(rawjson.ObjectOf(input)["properties"]))
	}
	return out, nil
}

// faultText is a fault with its place.
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

// unused are the arguments that no call gave, and the choices that none made.
func (e Evidence) unused(tool string, properties rawjson.Object) []string {
	given, chosen, hidden := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, u := range e.Tool(tool) {
		if u.Arguments.Members == nil {
			return nil
		}
		for name, s := range u.Arguments.Members {
			given[name] = true
			chosen[name+"="+string(s.Value)] = true
			hidden[name] = hidden[name] || s.Value == nil
		}
	}
	var unused []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !given[name] {
			unused = append(unused, name)
			continue
		}
		choices, _ := rawjson.Elements(rawjson.ObjectOf(properties[name])["enum"])
		for _, choice := range choices {
			if !hidden[name] && !chosen[name+"="+string(choice)] {
				unused = append(unused, name+"="+string(choice))
			}
		}
	}
	return unused
}
