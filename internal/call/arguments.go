package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// argument is one argument as a person writes it.
type argument struct {
	key  string // a property; a.b is b inside a, and a[] a further element of a
	text string // the value
	json bool   // the value is JSON; else it becomes what the schema wants
}

// arguments reads words: key=value, key:=JSON, key@=FILE with a text or key:=@FILE with JSON; and the object
// that a flag gives.
func arguments(p host.Process, words []string, flag, base string) ([]argument, json.RawMessage, error) {
	var given []argument
	for _, word := range words {
		a, file, err := parseArgument(word)
		if err != nil {
			return nil, nil, err
		}
		if file != "" {
			content, err := content(p, file)
			if err != nil {
				return nil, nil, exit.Usagef("reading %s: %w", a.key, err)
			}
			a.text = string(content)
		}
		given = append(given, a)
	}
	if base == "" {
		return given, nil, nil
	}
	whole := []byte(base)
	if name, ok := strings.CutPrefix(base, "@"); ok || base == "-" {
		var err error
		if whole, err = content(p, name); err != nil {
			return nil, nil, exit.Usagef("reading %s: %w", flag, err)
		}
	}
	if !json.Valid(whole) {
		return nil, nil, errNotJSON(flag)
	}
	return given, whole, nil
}

// parseArgument reads an argument, or the name of the file that has its value.
func parseArgument(word string) (a argument, file string, err error) {
	key, value, found := strings.Cut(word, "=")
	switch {
	case !found && strings.Contains(word, "://"):
		return a, "", errArgument(word, "put the server first")
	case !found && strings.HasPrefix(word, "{"):
		return a, "", errArgument(word, "write --args before a whole object")
	case !utf8.ValidString(word):
		return a, "", exit.Usagef("the argument %q is not UTF-8", word)
	}
	a = argument{key: key, text: value}
	if name, ok := strings.CutSuffix(key, ":"); ok {
		a.key, a.json = name, true
		if name, ok := strings.CutPrefix(value, "@"); ok {
			file = name
		}
	} else if name, ok := strings.CutSuffix(key, "@"); ok {
		a.key, file = name, value
	}
	if !found || a.key == "" {
		return a, "", errArgument(word, "write key=value, key:=JSON, key@=FILE or key:=@FILE")
	}
	return a, file, nil
}

// maxArgument bounds a file that becomes an argument.
const maxArgument = 16 << 20

// content returns the contents of a file, or of standard input for "-".
func content(p host.Process, name string) ([]byte, error) {
	if name == "-" {
		return files.ReadLimited(p.In, maxArgument)
	}
	return files.Read(name, maxArgument)
}

// texts reads words such as key=value, by key. A value written as JSON is an error: prompts and templates
// take texts only.
func texts(p host.Process, words []string) (map[string]string, error) {
	given, _, err := arguments(p, words, "", "")
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, a := range given {
		if a.json {
			return nil, errNotText(a.key)
		}
		if _, twice := values[a.key]; twice {
			return nil, errTwice(a.key)
		}
		values[a.key] = a.text
	}
	return values, nil
}

// value returns the JSON value of the argument at a place of the schema.
func (a argument) value(at shape) (json.RawMessage, error) {
	switch {
	case !utf8.ValidString(a.text):
		return nil, fmt.Errorf("%s is not UTF-8", a.key)
	case !a.json:
		return at.convert(a.text), nil
	case !json.Valid([]byte(a.text)):
		return nil, fmt.Errorf("%s is not valid JSON; for a text write %s=", brief(a.text), a.key)
	}
	return json.RawMessage(strings.TrimSpace(a.text)), nil
}

// build sets the given arguments in base, a JSON object or nil, and keeps its other bytes. The problems are
// with the arguments as written; Check checks the whole object.
func build(schema, base json.RawMessage, given []argument) (json.RawMessage, []Mismatch) {
	if base == nil {
		base = json.RawMessage("{}")
	}
	if _, err := rawjson.Members(base); err != nil {
		return base, []Mismatch{{Message: fmt.Sprintf("the arguments are %s, want a JSON object",
			rawjson.TypeName(base))}}
	}
	if !utf8.Valid(base) {
		return base, []Mismatch{{Message: "the arguments are not UTF-8"}}
	}
	root := shapeOf(schema)
	var problems []Mismatch
	seen := map[string]bool{}
	for _, a := range given {
		names, place, more := root.find(a.key)
		path := rawjson.Join("", names...)
		more = more || !a.json && place.gathers(a.text)
		changed, err := a.put(base, names, place, more)
		if seen[path] && !more {
			err = errors.New("is given twice")
		}
		seen[path] = true
		if err != nil {
			problems = append(problems, Mismatch{path, err.Error()})
			continue
		}
		base = changed
		if known := root.undeclared(names); known != nil {
			problems = append(problems, Mismatch{path,
				"is not an argument of this tool" + kit.DidYouMean(a.key, known)})
		}
	}
	return base, problems
}

// find returns the property that a key names: of this name, or nested with dots between. more reports that
// the key adds an element to an array.
func (s shape) find(key string) (names []string, at shape, more bool) {
	for {
		if bare, ok := strings.CutSuffix(key, "[]"); ok && !s.declares(key) {
			inner, at, _ := s.find(bare)
			return append(names, inner...), at, true
		}
		first, rest, nested := strings.Cut(key, ".")
		if !nested || s.declares(key) || first == "" || rest == "" {
			return append(names, key), s.property(key), false
		}
		names, s, key = append(names, first), s.property(first), rest
	}
}

// undeclared returns the declared names if the given one is not among them and the schema does not allow
// others; else nil.
func (s shape) undeclared(names []string) []string {
	for _, name := range names {
		if declared := s.names(); len(declared) > 0 && !slices.Contains(declared, name) && !s.open() {
			return declared
		}
		s = s.property(name)
	}
	return nil
}

// put returns a whole object with the argument at a path of names, and makes missing objects. With more it is
// a further element of a list.
func (a argument) put(whole json.RawMessage, names []string, at shape, more bool) (json.RawMessage, error) {
	if len(names) > 0 {
		if whole == nil {
			whole = json.RawMessage("{}")
		}
		members, err := rawjson.Members(whole)
		if err != nil {
			return nil, fmt.Errorf("has no place: what it would be inside of is %s", rawjson.TypeName(whole))
		}
		last := len(members)
		for i, m := range members {
			if m.Key == names[0] {
				last = i // of a member that repeats the last one counts
			}
		}
		if last == len(members) {
			members = append(members, rawjson.Member{Key: names[0]})
		}
		members[last].Value, err = a.put(members[last].Value, names[1:], at, more)
		return rawjson.Build(members...), err
	}
	if !more {
		return a.value(at)
	}
	value, err := a.value(at.items())
	if err != nil || whole == nil {
		return rawjson.List([]json.RawMessage{value}), err
	}
	elements, err := rawjson.Elements(whole)
	if err != nil {
		return nil, fmt.Errorf("is %s already, to which no element can be added", rawjson.TypeName(whole))
	}
	return rawjson.List(append(elements, value)), nil
}

// expand fills in a URI template (RFC 6570). A variable without a value is a problem, except in a query.
func expand(text string, values map[string]string) (uri string, problems []Mismatch) {
	if !strings.Contains(text, "{") && len(values) == 0 {
		return text, nil
	}
	template, err := uritemplate.New(text)
	if err != nil {
		return text, []Mismatch{{Message: fmt.Sprintf("is not a URI template: %v", err)}}
	}
	path, _ := uritemplate.New(query().ReplaceAllString(text, "")) // as valid as the whole
	problems = checkNames(values, template.Varnames(), path.Varnames(), "a variable of the template")
	known := uritemplate.Values{}
	for name, value := range values {
		known.Set(name, uritemplate.String(value))
	}
	if uri, err = template.Expand(known); err != nil {
		problems = append(problems, Mismatch{Message: fmt.Sprintf("cannot be expanded: %v", err)})
	}
	return uri, problems
}

// query matches the variables of a URI template that form a query.
var query = kit.Pattern(`\{[?&][^}]*\}`)

// checkPrompt returns the problems of a prompt's arguments. A prompt that declares none takes any.
func checkPrompt(prompt snapshot.Item, values map[string]string) []Mismatch {
	var names, required []string
	declared, _ := rawjson.Elements(prompt.Field("arguments"))
	for _, raw := range declared {
		a := rawjson.ObjectOf(raw)
		if names = append(names, a.Text("name")); string(a["required"]) == "true" {
			required = append(required, a.Text("name"))
		}
	}
	if names == nil {
		return nil
	}
	return checkNames(values, names, required, "an argument of this prompt")
}
