package call

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Problem is one thing that is wrong with arguments, or with what a tool gave back.
type Problem struct {
	Path    string   // JSON pointer
	Message string   // to follow the path
	Word    string   // what was written, where one of Words may have been meant
	Words   []string // what could have been written
}

// Build makes the arguments of a tool: base, a JSON object or nil, with what the given arguments say put into it. Whatever
// is JSON already stays as it is, byte for byte. Problems are with the arguments as they are written; whether the whole is
// what the schema wants, [Check] tells.
func Build(schema, base json.RawMessage, given []Argument) (json.RawMessage, []Problem) {
	if base == nil {
		base = json.RawMessage("{}")
	}
	if _, err := rawjson.Members(base); err != nil {
		return base, []Problem{{Message: fmt.Sprintf("the arguments are %s; a JSON object is wanted", typeOf(base))}}
	}
	if !utf8.Valid(base) {
		return base, []Problem{{Message: "the arguments are not UTF-8"}}
	}
	root := shapeOf(schema)
	var problems []Problem
	seen := map[string]bool{}
	for _, a := range given {
		var problem *Problem
		if base, problem = root.put(base, a, seen); problem != nil {
			problems = append(problems, *problem)
		}
	}
	return base, problems
}

// put adds one argument to an object.
func (s shape) put(whole json.RawMessage, a Argument, seen map[string]bool) (json.RawMessage, *Problem) {
	names, at, more := s.find(a.Key)
	path := pointer(names...)
	more = more || a.Form == Converted && at.gathers(a.Text)
	if seen[path] && !more {
		return whole, &Problem{Path: path, Message: "is given twice"}
	}
	seen[path] = true
	if more {
		at = at.items()
	}
	value, err := a.value(at)
	if err != nil {
		return whole, &Problem{Path: path, Message: err.Error()}
	}
	changed, err := replace(whole, names, func(old json.RawMessage) (json.RawMessage, error) {
		if more {
			return appended(old, value)
		}
		return value, nil
	})
	if err != nil {
		return whole, &Problem{Path: path, Message: err.Error()}
	}
	if names := s.stranger(names); names != nil {
		return changed, &Problem{Path: path, Message: "is no argument of this tool", Word: a.Key, Words: names}
	}
	return changed, nil
}

// find is the property that a key means: one of exactly this name, or else one inside another, with dots between them.
// more tells that the key asks for a further element.
func (s shape) find(key string) (names []string, at shape, more bool) {
	for {
		if bare, ok := strings.CutSuffix(key, "[]"); ok && !s.declares(key) {
			names, at, _ := s.find(bare)
			return names, at, true
		}
		first, rest, nested := strings.Cut(key, ".")
		if !nested || s.declares(key) || first == "" || rest == "" {
			return append(names, key), s.property(key), false
		}
		names, s, key = append(names, first), s.property(first), rest
	}
}

// stranger are the names that the schema declares, when it does not declare the one that was written and does not say
// either that it takes others.
func (s shape) stranger(names []string) []string {
	for _, name := range names {
		if declared := s.names(); len(declared) > 0 && !slices.Contains(declared, name) && !s.open() {
			return declared
		}
		s = s.property(name)
	}
	return nil
}

// replace gives the place behind the names in an object a new value, and makes the objects on the way to it.
func replace(whole json.RawMessage, names []string, with func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	if len(names) == 0 {
		return with(whole)
	}
	if whole == nil {
		whole = json.RawMessage("{}")
	}
	members, err := rawjson.Members(whole)
	if err != nil {
		return nil, fmt.Errorf("has no place: what it would be inside of is %s", typeOf(whole))
	}
	at := -1
	for i, m := range members {
		if m.Key == names[0] {
			at = i // of a member that repeats the last one counts
		}
	}
	if at < 0 {
		at, members = len(members), append(members, rawjson.Member{Key: names[0]})
	}
	members[at].Value, err = replace(members[at].Value, names[1:], with)
	return object(members...), err
}

// appended is an array with one more element.
func appended(old, element json.RawMessage) (json.RawMessage, error) {
	if old == nil {
		return list([]json.RawMessage{element}), nil
	}
	elements, err := rawjson.Elements(old)
	if err != nil {
		return nil, fmt.Errorf("is %s already, to which no element can be added", typeOf(old))
	}
	return list(append(elements, element)), nil
}
