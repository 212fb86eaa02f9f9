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

// callsKeys are the keys of "calls".
type callsKeys struct {
	Ignore []syntax.Field
	Expect []expectKeys
}

// expectKeys are the keys of an expectation.
type expectKeys struct {
	Server, Tool, Contains     string
	Arguments, Matches, Equals syntax.Field
	IsError                    bool `key:"isError"`
	Source                     finding.Location
}

// calls returns the settings for replayed calls.
func (p *projectReader) calls(keys callsKeys) Calls {
	var c Calls
	for _, item := range keys.Ignore {
		pointer := item.Value.Text
		if !strings.HasPrefix(pointer, "/") {
			p.addProblem(item.Value.Line, "write a JSON pointer such as /structuredContent/updatedAt",
				`"calls.ignore": %q is not a JSON pointer`, pointer)
			continue
		}
		c.Ignore = append(c.Ignore, pointer)
	}
	for _, e := range keys.Expect {
		expected := Expectation{
			Server: e.Server, Tool: e.Tool, Contains: e.Contains, IsError: e.IsError, Source: e.Source,
			Arguments: p.json(e.Arguments, true), Matches: p.json(e.Matches, true),
			Equals: p.json(e.Equals, false),
		}
		if expected.Arguments == nil {
			expected.Arguments = json.RawMessage("{}")
		}
		c.Expect = append(c.Expect, expected)
	}
	return c
}

// json returns a value as JSON; nil where it is not set, or not an object where only objects are allowed.
func (p *projectReader) json(f syntax.Field, object bool) json.RawMessage {
	if f.Line == 0 || object && !p.want(f, syntax.Object) {
		return nil
	}
	value := f.Value.JSON()
	if !json.Valid(value) {
		p.addProblem(f.Line, "write numbers as in JSON, such as 0.5 and 1e3", "%q is not JSON", f.Key)
		return nil
	}
	return value
}
