package call

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Mismatch is one thing that is wrong with arguments, or with a result.
type Mismatch struct {
	Path    string // JSON pointer
	Message string // to follow the path
}

// String returns the problem as one line that can be printed.
func (p Mismatch) String() string {
	return printable.Message(strings.TrimSpace(p.Path + " " + p.Message))
}

// typed returns the problem of an argument as one line, with the place as call takes it: a.b.
func (p Mismatch) typed() string {
	if steps := rawjson.Split(p.Path); strings.HasPrefix(p.Path, "/") && !strings.Contains(p.Path, ".") {
		p.Path = strings.Join(steps, ".")
	}
	return p.String()
}

// lacking is the message about an argument that is not there.
const lacking = "is required but missing"

// InvalidError is wrong arguments of a tool or prompt.
type InvalidError struct {
	name     string
	problems []Mismatch
}

// Error returns a line for each problem.
func (e InvalidError) Error() string {
	text := e.name + ": invalid arguments, nothing was called"
	for _, p := range e.problems {
		text += "\n  " + p.typed()
	}
	return text
}

// Lacks reports whether an argument of that name is required, and not given.
func (e InvalidError) Lacks(name string) bool {
	return slices.ContainsFunc(e.problems, func(p Mismatch) bool {
		return p.Message == lacking && (p.Path == name || p.Path == rawjson.Join("", name))
	})
}

// invalid returns the usage error for arguments of what has a name; nil without problems.
func invalid(name string, problems []Mismatch) error {
	if len(problems) == 0 {
		return nil
	}
	return exit.Misuse(InvalidError{name, problems})
}

// Check returns what a schema finds wrong with a value. sure is false where that is undecided; there are no
// problems then.
func Check(against, value json.RawMessage) (problems []Mismatch, sure bool) {
	v, err := rawjson.Decode(value)
	if err != nil {
		return []Mismatch{{Message: fmt.Sprintf("is not valid JSON: %v", err)}}, true
	}
	parsed, err := schema.Parse(against)
	if err != nil {
		return nil, false
	}
	faults, sure := parsed.Faults("", v, nil)
	root := shapeOf(against)
	for _, f := range faults {
		problems = append(problems, root.explain(f, v)...)
	}
	return kit.Distinct(problems), sure
}

// explain returns a fault as problems that a person can fix.
func (s shape) explain(f schema.Fault, value any) []Mismatch {
	for _, step := range rawjson.Split(f.Path) {
		if _, isList := value.([]any); isList {
			s = s.items()
		} else {
			s = s.property(step)
		}
		value, _ = rawjson.Step(value, step)
	}
	var all []Mismatch
	switch {
	case f.Keyword == "required":
		for _, name := range f.Names {
			all = append(all, Mismatch{rawjson.Join(f.Path, name), lacking})
		}
		return all
	case f.Keyword == "additionalProperties":
		for _, name := range f.Names {
			all = append(all, Mismatch{rawjson.Join(f.Path, name),
				"is not taken" + kit.DidYouMean(name, s.names())})
		}
		return all
	}
	shown := brief(value)
	message := shown + ": " + f.Reason
	choices := s.listed()
	among := slices.ContainsFunc(choices, func(l listed) bool { return brief(l.value) == shown })
	switch {
	case len(choices) > 0 && !among:
		message = notAmong(choices, nil, value)
	case f.Keyword == "type":
		message = fmt.Sprintf("%s is %s, want %s", shown, rawjson.TypeName(json.RawMessage(shown)),
			strings.Join(kit.Distinct(f.Want), " or "))
	case f.Keyword == "enum" || f.Keyword == "const":
		if some, types := s.alternatives(); len(types) > 0 {
			return []Mismatch{{f.Path, notAmong(some, types, value)}}
		}
		written, _ := value.(string)
		words := kit.Map(f.Want, func(want string) string { return word(json.RawMessage(want)) })
		message = fmt.Sprintf("%s is not allowed; use %s%s", shown, kit.Some(kit.Distinct(f.Want)),
			kit.DidYouMean(written, words))
	case len(f.Want) > 0:
		message = fmt.Sprintf("%s is against %s %s", shown, f.Keyword, strings.Join(f.Want, ", "))
	}
	return []Mismatch{{f.Path, message}}
}

// mostNamed is how many values a message names.
const mostNamed = 50

// notAmong returns the message for a value that is none of those that a schema lists, and of no other type
// that it takes.
func notAmong(choices []listed, types []string, value any) string {
	written, _ := value.(string)
	var names, words []string
	for _, l := range choices {
		word, isText := l.value.(string)
		if isText {
			words = append(words, word)
		}
		name := brief(l.value)
		if l.title != "" && l.title != word {
			name += " (" + kit.Clip(l.title, 60) + ")"
		}
		names = append(names, name)
	}
	names = kit.Distinct(append(names, types...))
	text := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if more := len(names) - mostNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s is not allowed; use %s%s", brief(value), text, kit.DidYouMean(written, words))
}

// checkNames returns the problems of values by name: required ones that are missing, and those that are not
// among the known.
func checkNames(values map[string]string, known, required []string, what string) (problems []Mismatch) {
	for _, name := range kit.Distinct(required) {
		if _, given := values[name]; !given {
			problems = append(problems, Mismatch{name, lacking})
		}
	}
	for _, name := range kit.SortedKeys(values) {
		if !slices.Contains(known, name) {
			problems = append(problems, Mismatch{name, "is not " + what + kit.DidYouMean(name, known)})
		}
	}
	return problems
}

// brief returns a value for a message, cut when it is long.
func brief(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return kit.Clip(string(raw), 60)
}
