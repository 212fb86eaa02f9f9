package config

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Calls is what mcpctl.yaml sets for replayed calls.
type Calls struct {
	Ignore []string // JSON pointers into results; "*" stands for any member or index
	Expect []Expectation
}

// Expectation is a call with what its result must be, which is its JSON form.
type Expectation struct {
	Server    string           `json:"-"`
	Tool      string           `json:"-"`
	Arguments json.RawMessage  `json:"-"`                  // an object
	Contains  string           `json:"contains,omitempty"` // a part of its texts; empty = any
	Equals    json.RawMessage  `json:"equals,omitempty"`   // its structured content; nil = any
	IsError   bool             `json:"isError"`            // whether the tool must report an error
	Matches   json.RawMessage  `json:"matches,omitempty"`  // a schema of its structured content; nil = any
	Source    finding.Location `json:"-"`
}

// calls reads the settings for replayed calls.
func (r *projectReader) calls(f syntax.Field) (c Calls) {
	r.decode(f, keys{
		"ignore": func(f syntax.Field) {
			for _, item := range r.items(f) {
				if pointer := item.Value.Text; strings.HasPrefix(pointer, "/") {
					c.Ignore = append(c.Ignore, pointer)
				} else {
					r.addProblem(item.Line, "write a JSON pointer such as /structuredContent/updatedAt",
						`"calls.ignore": %q is not a JSON pointer`, pointer)
				}
			}
		},
		"expect": func(f syntax.Field) { c.Expect = decodeList(r.fieldReader, f, r.expectation) },
	})
	return c
}

// expectation reads one item of "calls.expect".
func (r *projectReader) expectation(f syntax.Field) Expectation {
	e := Expectation{Source: r.source(f)}
	var arguments, matches, equals syntax.Field
	if r.decode(f, keys{"server": &e.Server, "tool": &e.Tool, "arguments": &arguments, "isError": &e.IsError,
		"contains": &e.Contains, "matches": &matches, "equals": &equals}) {
		r.require(f, "server", e.Server, "name the server")
		r.require(f, "tool", e.Tool, "name the tool")
	}
	if e.Arguments = r.json(arguments, true); e.Arguments == nil {
		e.Arguments = json.RawMessage("{}")
	}
	e.Matches, e.Equals = r.json(matches, true), r.json(equals, false)
	return e
}

// json returns a value as JSON; nil where it is not set, or not an object where only objects are allowed.
func (r *projectReader) json(f syntax.Field, object bool) json.RawMessage {
	if f.Line == 0 || object && !r.want(f, syntax.Object) {
		return nil
	}
	value := f.Value.JSON()
	if !json.Valid(value) {
		r.addProblem(f.Line, "write numbers as in JSON, such as 0.5 and 1e3", "%q is not JSON", f.Key)
		return nil
	}
	return value
}
