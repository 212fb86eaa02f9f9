package usage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Replay is what the recorded calls of a tool say of it as it is now.
type Replay struct {
	Calls, Failed      int
	Refused, Undecided int
	Failing            string              // who made the calls that failed
	Fault              string              // what is wrong with the refused ones most often; empty = nothing is
	Wrong              string              // the argument that is wrong most often
	WrongCalls         int                 // in how many calls
	WrongFault         string              // what is wrong with it most often
	NeverGiven         []string            // arguments, sorted; none where that is not known
	NeverSent          map[string][]string // choices as JSON, by the argument that has them
}

// Replay judges the recorded calls of a tool by the schema of its arguments. With an error they are counted all the same.
func (e Evidence) Replay(tool string, input json.RawMessage) (Replay, error) {
	failing := e.count(tool, func(u Use) (calls, refused, undecided int) { return u.Count, u.Errors, 0 })
	out := Replay{Calls: failing.Calls, Failed: failing.Refused, Failing: failing.Callers()}
	by, err := schema.Parse(input)
	if err != nil {
		return out, err
	}
	faults, wrong := map[string]int{}, map[string]map[string]int{}
	for _, u := range e.Tool(tool) {
		switch u.Arguments.Judge(by) {
		case Refused:
			out.Refused += u.Count
			found, _ := by.Faults("", u.Arguments.value(), nil)
			for _, f := range found {
				faults[faultText(f)] += u.Count
			}
			countWrong(wrong, found, u.Count)
		case Undecided:
			out.Undecided += u.Count
		}
	}
	out.Fault, _ = mostFrequent(faults)
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if text, n := mostFrequent(wrong[name]); n > out.WrongCalls {
			out.Wrong, out.WrongCalls, out.WrongFault = name, n, text
		}
	}
	if out.Calls > 0 {
		out.NeverGiven, out.NeverSent = e.never(tool, rawjson.ObjectOf(rawjson.ObjectOf(input)["properties"]))
	}
	return out, nil
}

// countWrong counts by argument what is wrong with it in some calls.
func countWrong(wrong map[string]map[string]int, found []schema.Fault, calls int) {
	for _, f := range found {
		names := f.Names
		if steps := rawjson.Split(f.Path); len(steps) > 0 {
			names = steps[:1]
		}
		for _, name := range names {
			if wrong[name] == nil {
				wrong[name] = map[string]int{}
			}
			wrong[name][faultText(f)] += calls
		}
	}
}

// mostFrequent is what was counted most, the first by name of equals.
func mostFrequent(counts map[string]int) (text string, n int) {
	for _, one := range slices.Sorted(maps.Keys(counts)) {
		if counts[one] > n {
			text, n = one, counts[one]
		}
	}
	return text, n
}

// Unused are the arguments that were never given, and the choices that were never made as NAME=VALUE.
func (r Replay) Unused() []string {
	unused := slices.Clone(r.NeverGiven)
	for name, choices := range r.NeverSent {
		for _, choice := range choices {
			unused = append(unused, name+"="+choice)
		}
	}
	slices.Sort(unused)
	return unused
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

// never are the arguments that no call gave, and the choices that none made; none where the records do not tell.
func (e Evidence) never(tool string, properties rawjson.Object) (given []string, sent map[string][]string) {
	shapes := map[string][]Shape{}
	for _, u := range e.Tool(tool) {
		if u.Arguments.Members == nil {
			return nil, nil
		}
		for name, s := range u.Arguments.Members {
			shapes[name] = append(shapes[name], s)
		}
	}
	sent = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if len(shapes[name]) == 0 {
			given = append(given, name)
			continue
		}
		value, _ := rawjson.Decode(properties[name])
		eachChoice(value, func(choice any) {
			raw, _ := rawjson.Encode(choice)
			if !slices.Contains(sent[name], string(raw)) && !slices.ContainsFunc(shapes[name], func(s Shape) bool { return s.mayHold(raw) }) {
				sent[name] = append(sent[name], string(raw))
			}
		})
	}
	return given, sent
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
