package call

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Elicitation is what a server asks a person for (specification, elicitation).
type Elicitation struct {
	Message string
	URL     string // where the person shall go; empty = the fields are asked for
	Host    string // of the URL
	Fields  []Field
	Schema  json.RawMessage // of the answer as a whole
}

// Visits are the URLs that a server wants visited before it can do what it was asked, by the data of its error
// (specification 2025-11-25, URLElicitationRequiredError).
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

func fieldOf(p rawjson.Member, required []string, at shape) Field {
	schema := rawjson.ObjectOf(p.Value)
	f := Field{Name: p.Key, Title: schema.Text("title"), About: schema.Text("description"), Default: schema["default"], place: at,
		Required: slices.Contains(required, p.Key)}
	f.Many, f.YesNo = at.types() == anArray, at.types() == aBoolean
	if f.Many {
		schema = rawjson.ObjectOf(schema["items"])
	}
	f.Choices = choicesIn(schema)
	return f
}

// choicesIn are the values of enum, with their titles in enumNames, or those of const in oneOf and anyOf.
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

// Value is what a person's text means for the field: of several choices with commas between them, and yes or no for true
// or false. Problems are those of the schema.
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

// faults are the problems that the field's schema has with a value.
func (f Field) faults(value json.RawMessage) []Problem {
	schema, err := json.Marshal(f.place.at)
	if err != nil {
		return nil
	}
	problems, _ := Check(schema, value)
	return problems
}

// yesNo is true or false for what people write instead, else value.
func yesNo(text string, value json.RawMessage) json.RawMessage {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes", "true":
		return json.RawMessage("true")
	case "n", "no", "false":
		return json.RawMessage("false")
	}
	return value
}

// Accepted is the ElicitResult of a person who answers. Nil fields are left out.
func Accepted(fields []Field, values []json.RawMessage) json.RawMessage {
	var members []rawjson.Member
	for i, f := range fields {
		if values[i] != nil {
			members = append(members, rawjson.Member{Key: f.Name, Value: values[i]})
		}
	}
	return rawjson.Build(rawjson.Member{Key: "action", Value: rawjson.Quote("accept")}, rawjson.Member{Key: "content", Value: rawjson.Build(members...)})
}

// Answer is the ElicitResult that answers given beforehand make, with the form's own defaults for what they leave out. It is nil
// when they are about none of its fields.
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

// given is what an argument says for the field.
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

// Consented is the ElicitResult of a person who went to the URL.
func Consented() json.RawMessage { return json.RawMessage(`{"action":"accept"}`) }

// Declined is the ElicitResult of a person who says no.
func Declined() json.RawMessage { return json.RawMessage(`{"action":"decline"}`) }

// Cancelled is the ElicitResult of a person who does not answer.
func Cancelled() json.RawMessage { return json.RawMessage(`{"action":"cancel"}`) }
