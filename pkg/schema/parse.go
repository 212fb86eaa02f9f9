package schema

import "encoding/json"

// Schema is a parsed JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	raw json.RawMessage
}

// Parse reads a schema in the dialect that its "$schema" names, 2020-12 if it names none.
func Parse(raw json.RawMessage) (*Schema, error) { return ParseDraft(raw, Draft202012) }

// ParseDraft is like [Parse] with another dialect for a schema that names none.
func ParseDraft(raw json.RawMessage, unnamed Draft) (*Schema, error) {
	return &Schema{raw: raw}, nil
}

// Raw returns the schema as it was given.
func (s *Schema) Raw() json.RawMessage { return s.raw }
