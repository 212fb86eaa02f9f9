package schema

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Schema is a parsed JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	raw      json.RawMessage
	doc      *document
	plain    *node        // the schema as it is written
	declared func() *node // the schema for a caller that sends declared properties only
	problems []Problem
	loops    bool // it refers to itself in place, which no validator gives a meaning
	unnamed  Draft
}

// Problem is a part of a schema that has no meaning, such as a malformed keyword or a reference to nowhere. A schema
// with problems is still compared: what has no meaning is equal to itself and otherwise makes the verdict Unknown.
type Problem struct {
	Path    string // JSON pointer
	Message string
}

// Parse reads a schema in the dialect that its "$schema" names, 2020-12 if it names none. A schema that names none
// may also use the tuple form of items and the dependencies of older drafts.
//
// The error says that raw is not one JSON value, or not an object or boolean.
func Parse(raw json.RawMessage) (*Schema, error) { return ParseDraft(raw, Draft202012) }

// ParseDraft is like [Parse] with another dialect for a schema that names none.
func ParseDraft(raw json.RawMessage, unnamed Draft) (*Schema, error) {
	s := &Schema{raw: raw, unnamed: unnamed}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", unnamed, raw))
	if len(raw) > maxBytes || nesting(raw) > maxNesting {
		s.plain = seal(&node{op: opOpaque, text: "size\x00" + string(sum[:]), why: "the schema is too large or nested too deeply"})
		s.declared = func() *node { return s.plain }
		return s, nil
	}
	root, err := decode(raw)
	if err != nil {
		return nil, err
	}
	switch root.(type) {
	case map[string]any, bool:
	default:
		return nil, fmt.Errorf("reading schema: a schema is an object or a boolean")
	}
	s.doc = newDocument(root, string(sum[:]), unnamed)
	b := newBuilder(s.doc)
	s.plain = b.root(asWritten)
	s.declared = sync.OnceValue(func() *node { return b.root(asDeclared) })
	s.problems, s.loops = b.problems, b.loops
	return s, nil
}

// Raw returns the schema as it was given.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Problems lists the parts of the schema that have no meaning, in the order of the document's pointers.
func (s *Schema) Problems() []Problem { return slices.Clone(s.problems) }

func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
