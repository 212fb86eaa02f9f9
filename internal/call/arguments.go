package call

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Form is how an argument is written.
type Form int

// The forms of an argument.
const (
	Converted Form = iota // key=value: the value becomes what the schema wants
	Literal               // key:=JSON
	FromText              // key@=FILE: the text of a file, converted
	FromJSON              // key:=@FILE: the JSON in a file
)

// Argument is one argument as a person writes it.
type Argument struct {
	Key  string // a property; a.b is b inside a, and a[] a further element of a
	Form Form
	Text string // the value, or the name of the file
}

// ParseArgument reads key=value, key:=JSON, key@=FILE or key:=@FILE.
func ParseArgument(text string) (Argument, error) {
	key, value, found := strings.Cut(text, "=")
	switch {
	case !found && strings.Contains(text, "://"):
		return Argument{}, fmt.Errorf("invalid argument %q: put the server first", text)
	case !found && strings.HasPrefix(text, "{"):
		return Argument{}, fmt.Errorf("invalid argument %q: write --args before a whole object", text)
	case !found || key == "":
		return Argument{},
			fmt.Errorf("invalid argument %q: write key=value, key:=JSON, key@=FILE or key:=@FILE", text)
	case !utf8.ValidString(text):
		return Argument{}, fmt.Errorf("the argument %q is not UTF-8", text)
	}
	a := Argument{Key: key, Text: value}
	if name, ok := strings.CutSuffix(key, ":"); ok {
		a.Key, a.Form = name, Literal
		if file, ok := strings.CutPrefix(value, "@"); ok {
			a.Text, a.Form = file, FromJSON
		}
	} else if name, ok := strings.CutSuffix(key, "@"); ok {
		a.Key, a.Form = name, FromText
	}
	if a.Key == "" {
		return Argument{}, fmt.Errorf("%q has no key before %q", text, key)
	}
	return a, nil
}

// File returns the file that the argument names, if it names one.
func (a Argument) File() (name string, ok bool) {
	return a.Text, a.Form == FromText || a.Form == FromJSON
}

// Of returns the argument with the content of its file as its value.
func (a Argument) Of(content []byte) Argument {
	a.Text = string(content)
	switch a.Form {
	case FromText:
		a.Form = Converted
	case FromJSON:
		a.Form = Literal
	}
	return a
}

// value returns the JSON value of the argument at a place of the schema.
func (a Argument) value(at shape) (json.RawMessage, error) {
	switch {
	case !utf8.ValidString(a.Text):
		return nil, fmt.Errorf("%s is not UTF-8", a.Key)
	case a.Form == Converted:
		return at.convert(a.Text), nil
	case !json.Valid([]byte(a.Text)):
		return nil, fmt.Errorf("%s is not valid JSON; for a text write %s=", brief(a.Text), a.Key)
	}
	return json.RawMessage(strings.TrimSpace(a.Text)), nil
}

// Problem is one thing that is wrong with arguments, or with what a tool gave back.
type Problem struct {
	Path    string   // JSON pointer
	Message string   // to follow the path
	Word    string   // what was written, where one of Words may have been meant
	Words   []string // what could have been written
}

// Build sets the given arguments in base, a JSON object or nil, and keeps its other bytes. The problems are
// with the arguments as written; [Check] checks the whole object.
func Build(schema, base json.RawMessage, given []Argument) (json.RawMessage, []Problem) {
	if base == nil {
		base = json.RawMessage("{}")
	}
	if _, err := rawjson.Members(base); err != nil {
		return base,
			[]Problem{{Message: fmt.Sprintf("the arguments are %s; a JSON object is wanted",
				rawjson.TypeName(base))}}
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

// put sets one argument in whole and adds its path to seen. It returns whole unchanged with a problem, except
// for a name that the schema lacks, which is set all the same.
func (s shape) put(whole json.RawMessage, a Argument, seen map[string]bool) (json.RawMessage, *Problem) {
	names, at, more := s.find(a.Key)
	path := rawjson.Join("", names...)
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
		return changed, &Problem{Path: path, Message: "is not an argument of this tool", Word: a.Key,
			Words: names}
	}
	return changed, nil
}

// find returns the property that a key names: of this name, or nested with dots between. more reports that
// the key adds an element to an array.
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

// stranger returns the declared names if the given one is not among them and the schema does not allow
// others; else nil.
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
func replace(whole json.RawMessage, names []string,
	with func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	if len(names) == 0 {
		return with(whole)
	}
	if whole == nil {
		whole = json.RawMessage("{}")
	}
	members, err := rawjson.Members(whole)
	if err != nil {
		return nil, fmt.Errorf("has no place: what it would be inside of is %s", rawjson.TypeName(whole))
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
	return rawjson.Build(members...), err
}

// appended returns the list old with one more element: a new list when old is nil, an error when it is
// another value.
func appended(old, element json.RawMessage) (json.RawMessage, error) {
	if old == nil {
		return rawjson.List([]json.RawMessage{element}), nil
	}
	elements, err := rawjson.Elements(old)
	if err != nil {
		return nil, fmt.Errorf("is %s already, to which no element can be added", rawjson.TypeName(old))
	}
	return rawjson.List(append(elements, element)), nil
}

// Check returns what a schema finds wrong with a value. sure is false where that is undecided; there are no
// problems then.
func Check(against, value json.RawMessage) (problems []Problem, sure bool) {
	decoded, err := rawjson.Decode(against)
	if err != nil {
		return nil, false
	}
	v, err := rawjson.Decode(value)
	if err != nil {
		return []Problem{{Message: fmt.Sprintf("is not valid JSON: %v", err)}}, true
	}
	parsed, err := schema.Parse(against)
	if err != nil {
		return nil, false
	}
	faults, sure := parsed.Faults("", v, nil)
	root := shape{decoded, decoded}
	for _, f := range faults {
		problems = append(problems, root.explain(f, v)...)
	}
	return problems, sure
}

// explain returns a fault as problems that a person can fix.
func (s shape) explain(f schema.Fault, whole any) []Problem {
	at, value := s.follow(f.Path, whole)
	if f.Keyword == "required" || f.Keyword == "additionalProperties" {
		var all []Problem
		for _, name := range f.Names {
			p := Problem{Path: rawjson.Join(f.Path, name), Message: "is required, and missing"}
			if f.Keyword != "required" {
				p.Message, p.Word, p.Words = "is not taken", name, at.names()
			}
			all = append(all, p)
		}
		return all
	}
	p := Problem{Path: f.Path, Message: brief(value) + ": " + f.Reason}
	switch {
	case f.Keyword == "type":
		p.Message = fmt.Sprintf("%s is %s; %s is wanted", brief(value),
			rawjson.TypeName(json.RawMessage(brief(value))), alternatives(f.Want))
	case f.Keyword == "enum" || f.Keyword == "const":
		p.Message = fmt.Sprintf("%s is not allowed; %s is", brief(value), alternatives(f.Want))
		p.Word, _ = value.(string)
		for _, want := range f.Want {
			p.Words = append(p.Words, word(json.RawMessage(want)))
		}
	case len(f.Want) > 0:
		p.Message = fmt.Sprintf("%s is against %s %s", brief(value), f.Keyword, strings.Join(f.Want, ", "))
	}
	return []Problem{p}
}

// follow returns the place and the value at a JSON pointer.
func (s shape) follow(path string, value any) (shape, any) {
	for _, step := range rawjson.Split(path) {
		inner, ok := rawjson.Step(value, step)
		if _, isList := value.([]any); isList && ok {
			s, value = s.items(), inner
		} else if !isList {
			s, value = s.property(step), inner
		}
	}
	return s, value
}

// alternatives returns "a, b or c", cut when there are many.
func alternatives(words []string) string {
	const most = 12
	var distinct []string
	for _, w := range words {
		if !slices.Contains(distinct, w) {
			distinct = append(distinct, w)
		}
	}
	if more := len(distinct) - most; more > 0 {
		return fmt.Sprintf("%s or one of %d more", strings.Join(distinct[:most], ", "), more)
	}
	last := len(distinct) - 1
	if last < 1 {
		return strings.Join(distinct, "")
	}
	return strings.Join(distinct[:last], ", ") + " or " + distinct[last]
}

// Expand fills in a URI template (RFC 6570). A variable without a value is a problem, except in a query.
func Expand(text string, values map[string]string) (uri string, problems []Problem) {
	if !strings.Contains(text, "{") && len(values) == 0 {
		return text, nil
	}
	template, err := uritemplate.New(text)
	if err != nil {
		return text, []Problem{{Message: fmt.Sprintf("is not a URI template: %v", err)}}
	}
	known := uritemplate.Values{}
	names := template.Varnames()
	for _, name := range kit.SortedKeys(values) {
		if known.Set(name, uritemplate.String(values[name])); !slices.Contains(names, name) {
			problems = append(problems, Problem{Path: rawjson.Join("", name),
				Message: "is not a variable of the template", Word: name, Words: names})
		}
	}
	for _, name := range names {
		if _, given := values[name]; !given && !optional(text, name) {
			problems = append(problems, Problem{Path: rawjson.Join("", name),
				Message: "is required, and missing"})
		}
	}
	uri, err = template.Expand(known)
	if err != nil {
		return text, append(problems, Problem{Message: fmt.Sprintf("cannot be expanded: %v", err)})
	}
	return uri, problems
}

// optional reports whether a variable occurs only in a query: {?name} or {&name}.
func optional(template, name string) bool {
	for part := range strings.SplitSeq(template, "{") {
		inside, _, ok := strings.Cut(part, "}")
		if !ok || !slices.ContainsFunc(strings.Split(strings.TrimLeft(inside, "+#./;?&"), ","),
			func(v string) bool {
				v, _, _ = strings.Cut(strings.TrimSuffix(v, "*"), ":")
				return v == name
			}) {
			continue
		}
		if inside[0] != '?' && inside[0] != '&' {
			return false
		}
	}
	return true
}

// CheckPrompt returns the problems of a prompt's arguments: missing ones, and names that it does not declare.
// A prompt that declares none takes any.
func CheckPrompt(prompt snapshot.Item, values map[string]string) (problems []Problem) {
	var names []string
	arguments, _ := rawjson.Elements(prompt.Field("arguments"))
	for _, raw := range arguments {
		argument := rawjson.ObjectOf(raw)
		name := argument.Text("name")
		names = append(names, name)
		if _, given := values[name]; !given && string(argument["required"]) == "true" {
			problems = append(problems, Problem{Path: rawjson.Join("", name),
				Message: "is required, and missing"})
		}
	}
	for _, name := range kit.SortedKeys(values) {
		if len(names) > 0 && !slices.Contains(names, name) {
			problems = append(problems, Problem{Path: rawjson.Join("", name),
				Message: "is not an argument of this prompt", Word: name, Words: names})
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
	if len(raw) > 60 {
		return strings.ToValidUTF8(string(raw[:60]), "") + "…"
	}
	return string(raw)
}
