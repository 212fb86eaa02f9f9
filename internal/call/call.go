// Package call turns what a person writes into the requests that make a server act, and their results into
// pieces. It sends, reads and writes nothing, and alone knows the request that calls a tool (layout_test.go).
package call

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Message is a request of the protocol: its method and the members of its params, each as it is to be sent.
type Message struct {
	Method string
	Params map[string]json.RawMessage
}

// ToolMethod is the method of the request that calls a tool.
const ToolMethod = "tools/call"

// Tool calls a tool with arguments, a JSON object (specification, tools, calling).
func Tool(name string, arguments json.RawMessage) Message {
	return Message{ToolMethod, map[string]json.RawMessage{"name": rawjson.Quote(name),
		"arguments": arguments}}
}

// Prompt gets a prompt filled in with arguments, a JSON object of strings (specification, prompts, getting).
func Prompt(name string, arguments json.RawMessage) Message {
	return Message{"prompts/get", map[string]json.RawMessage{"name": rawjson.Quote(name),
		"arguments": arguments}}
}

// Read reads a resource (specification, resources, reading).
func Read(uri string) Message {
	return Message{"resources/read", map[string]json.RawMessage{"uri": rawjson.Quote(uri)}}
}

// Complete asks what an argument that begins with prefix may be, by known values of others (specification,
// completion).
func Complete(to Reference, argument, prefix string, known map[string]string) Message {
	params := map[string]json.RawMessage{
		"ref": to.json(),
		"argument": rawjson.Build(rawjson.Member{Key: "name", Value: rawjson.Quote(argument)},
			rawjson.Member{Key: "value", Value: rawjson.Quote(prefix)}),
	}
	if len(known) > 0 {
		params["context"] = rawjson.Build(rawjson.Member{Key: "arguments", Value: Texts(known)})
	}
	return Message{"completion/complete", params}
}

// Reference is what an argument that is to be completed belongs to.
type Reference struct {
	Kind snapshot.Kind // Prompts or Templates
	Key  string        // its name, or its URI template
}

func (r Reference) json() json.RawMessage {
	kind, key := "ref/prompt", "name"
	if r.Kind == snapshot.Templates {
		kind, key = "ref/resource", "uri"
	}
	return rawjson.Build(rawjson.Member{Key: "type", Value: rawjson.Quote(kind)},
		rawjson.Member{Key: key, Value: rawjson.Quote(r.Key)})
}

// Again returns the message with answers and the server's state (since 2026-07-28, multi round-trip
// requests); nil = none.
func (m Message) Again(responses, state json.RawMessage) Message {
	params := map[string]json.RawMessage{}
	for name, value := range m.Params {
		params[name] = value
	}
	delete(params, "inputResponses")
	delete(params, "requestState")
	if responses != nil {
		params["inputResponses"] = responses
	}
	if state != nil {
		params["requestState"] = state
	}
	return Message{m.Method, params}
}

// Texts returns an object of strings, sorted by name.
func Texts(values map[string]string) json.RawMessage {
	return rawjson.Build(kit.Map(kit.SortedKeys(values), func(name string) rawjson.Member {
		return rawjson.Member{Key: name, Value: rawjson.Quote(values[name])}
	})...)
}

// Elicitation is what a server asks a person for (specification, elicitation).
type Elicitation struct {
	Message string
	URL     string // where the person shall go; empty = the fields are asked for
	Host    string // of the URL
	Fields  []Field
	Schema  json.RawMessage // of the answer as a whole
}

// Visits returns the URLs in a server's error that the user must visit first (specification 2025-11-25,
// URLElicitationRequiredError).
func Visits(data json.RawMessage) []string {
	var urls []string
	elicitations, _ := rawjson.Elements(rawjson.ObjectOf(data)["elicitations"])
	for _, raw := range elicitations {
		if address := rawjson.ObjectOf(raw).Text("url"); address != "" {
			urls = append(urls, address)
		}
	}
	return urls
}

// VisitRequired is the code of such an error.
const VisitRequired = -32042

// Field is one thing that a person is asked for.
type Field struct {
	Name     string
	Title    string
	About    string
	Required bool
	Many     bool            // several of the choices may be given
	YesNo    bool            // true or false, and nothing else
	Default  json.RawMessage // nil = none
	Choices  []Choice

	place shape
}

// Choice is one of the values that a field can have.
type Choice struct{ Value, Title string }

// Elicited reads the params of elicitation/create. The fields keep the order of the server.
func Elicited(params json.RawMessage) Elicitation {
	members := rawjson.ObjectOf(params)
	e := Elicitation{Message: members.Text("message"), Schema: members["requestedSchema"]}
	if members.Text("mode") == "url" {
		e.URL = members.Text("url")
		if address, err := url.Parse(e.URL); err == nil {
			e.Host = address.Host
		}
		return e
	}
	root := shapeOf(e.Schema)
	schema := rawjson.ObjectOf(e.Schema)
	required := rawjson.Texts(schema["required"])
	properties, _ := rawjson.Members(schema["properties"])
	for _, p := range properties {
		e.Fields = append(e.Fields, fieldOf(p, required, root.property(p.Key)))
	}
	return e
}

// fieldOf returns a field of a form from a property of its schema. The choices of a list are those of its
// elements.
func fieldOf(p rawjson.Member, required []string, at shape) Field {
	schema := rawjson.ObjectOf(p.Value)
	f := Field{Name: p.Key, Title: schema.Text("title"), About: schema.Text("description"),
		Default: schema["default"], place: at,
		Required: slices.Contains(required, p.Key)}
	f.Many, f.YesNo = at.types() == anArray, at.types() == aBoolean
	if f.Many {
		schema = rawjson.ObjectOf(schema["items"])
	}
	f.Choices = choicesIn(schema)
	return f
}

// choicesIn returns the values of enum, with their titles in enumNames, or those of const in oneOf and anyOf.
func choicesIn(schema rawjson.Object) []Choice {
	var all []Choice
	names, _ := rawjson.Elements(schema["enumNames"])
	values, _ := rawjson.Elements(schema["enum"])
	for i, value := range values {
		c := Choice{Value: word(value)}
		if i < len(names) {
			c.Title = word(names[i])
		}
		all = append(all, c)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		branches, _ := rawjson.Elements(schema[keyword])
		for _, branch := range branches {
			b := rawjson.ObjectOf(branch)
			if b["const"] != nil {
				all = append(all, Choice{b.Text("const"), b.Text("title")})
			}
		}
	}
	return all
}

// Value returns a person's text as a value of the field: choices with commas, yes or no for booleans.
// Problems are the schema's.
func (f Field) Value(text string) (json.RawMessage, []Problem) {
	value := f.place.convert(text)
	if f.YesNo {
		value = yesNo(text, value)
	}
	if f.Many && rawjson.TypeName(value) != "an array" {
		var all []json.RawMessage
		for part := range strings.SplitSeq(text, ",") {
			all = append(all, f.place.items().convert(strings.TrimSpace(part)))
		}
		value = rawjson.List(all)
	}
	return value, f.faults(value)
}

// faults returns the problems of a value by the schema of the field; nil also when that schema cannot be
// encoded.
func (f Field) faults(value json.RawMessage) []Problem {
	schema, err := json.Marshal(f.place.at)
	if err != nil {
		return nil
	}
	problems, _ := Check(schema, value)
	return problems
}

// yesNo returns true for yes and false for no, as people write them, else value.
func yesNo(text string, value json.RawMessage) json.RawMessage {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes", "true":
		return json.RawMessage("true")
	case "n", "no", "false":
		return json.RawMessage("false")
	}
	return value
}

// Accepted returns the ElicitResult of a person who answers. Nil fields are left out.
func Accepted(fields []Field, values []json.RawMessage) json.RawMessage {
	var members []rawjson.Member
	for i, f := range fields {
		if values[i] != nil {
			members = append(members, rawjson.Member{Key: f.Name, Value: values[i]})
		}
	}
	return rawjson.Build(rawjson.Member{Key: "action", Value: rawjson.Quote("accept")},
		rawjson.Member{Key: "content", Value: rawjson.Build(members...)})
}

// Answer returns the ElicitResult for answers given beforehand, with the form's own defaults for what they
// leave out. It is nil when they are about none of its fields.
func (e Elicitation) Answer(given []Argument) (json.RawMessage, []Problem) {
	values := make([]json.RawMessage, len(e.Fields))
	var problems []Problem
	answered := false
	for i, f := range e.Fields {
		values[i] = f.Default
		var wrong []Problem
		if at := slices.IndexFunc(given, func(a Argument) bool { return a.Key == f.Name }); at >= 0 {
			answered = true
			values[i], wrong = f.given(given[at])
		} else if f.Required && f.Default == nil {
			wrong = []Problem{{Message: "is required, and missing"}}
		}
		for _, p := range wrong {
			p.Path = rawjson.Join("", f.Name) + p.Path
			problems = append(problems, p)
		}
	}
	if !answered {
		return nil, nil
	}
	return Accepted(e.Fields, values), problems
}

// given returns the value of an answer on the command line, with its problems by the schema of the field.
// Only a Converted answer takes its type from the field; others must be JSON.
func (f Field) given(a Argument) (json.RawMessage, []Problem) {
	if a.Form == Converted {
		return f.Value(a.Text)
	}
	value, err := a.value(f.place)
	if err != nil {
		return nil, []Problem{{Message: err.Error()}}
	}
	return value, f.faults(value)
}

// The ElicitResults of a person who went to the URL, of one who says no, and of one who does not answer.
var (
	Consented = json.RawMessage(`{"action":"accept"}`)
	Declined  = json.RawMessage(`{"action":"decline"}`)
	Cancelled = json.RawMessage(`{"action":"cancel"}`)
)
