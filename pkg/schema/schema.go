// Package schema decides whether every JSON value that one JSON Schema accepts is accepted by another.
//
// [Contains] answers with one of three verdicts, and never guesses. Compatible is a proof. Incompatible comes
// with a witness: a value that the narrow schema accepts and the wide one rejects. Unknown names the
// construct, or the bound in steps, that stopped the decision. [Compare] separates the edits between two
// versions of a schema, and [Revision.Judge] decides what each of them breaks. [Schema.Faults] lists the
// faults of one value.
//
// JSON Schema 2020-12 is read, and the drafts since 04 where "$schema" names them. References are resolved
// inside the document: nothing is ever fetched. Numbers are exact; "format" and the content keywords are
// annotations. Section 7 of docs/compatibility.md lists what is not decided. A nil context never ends.
package schema

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Schema is a parsed JSON Schema. It is immutable and safe for concurrent use.
type Schema struct {
	raw      json.RawMessage
	doc      *document
	plain    *node        // the schema as it is written
	declared func() *node // the schema for a caller that sends declared properties only
	problems []Problem
	builder  *builder
}

// Problem is a part of a schema without meaning, such as a malformed keyword. It equals itself, and otherwise
// is Unknown.
type Problem struct {
	Path    string // JSON pointer
	Message string
}

// Parse reads a schema in the dialect that its "$schema" names, 2020-12 if it names none. A schema that names
// none may also use the tuple form of items and the dependencies of older drafts.
//
// The error says that raw is not one JSON value, or not an object or boolean.
func Parse(raw json.RawMessage) (*Schema, error) {
	return (&Schema{raw: raw}).parse(soonMeter(readingUnits(len(raw))), nil)
}

// ParseWithin parses like [Parse] with work from a pool, and ends with the context. The rest of the schema is
// unknown.
func ParseWithin(ctx context.Context, raw json.RawMessage, pool *Pool) (*Schema, error) {
	m, _ := pool.meter(ctx, readingUnits(len(raw)))
	s, err := (&Schema{raw: raw}).parse(m, pool)
	if err == nil {
		pool.lacked(s.doc == nil)
	}
	return s, err
}

// parse returns an error only for what is not JSON or not a schema. A schema that is too large, or that the
// work does not suffice for, is one about which nothing is known.
func (s *Schema) parse(m *meter, pool *Pool) (*Schema, error) {
	limit, raw := m.left, s.raw
	sum := sha256.Sum256(raw)
	if len(raw) > maxBytes || nesting(raw) > maxNesting {
		return s.unread(sum, "the schema is too large or nested too deeply"), nil
	}
	root, err := rawjson.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("reading schema: %w", err)
	}
	switch root.(type) {
	case map[string]any, bool:
	default:
		return nil, fmt.Errorf("reading schema: a schema is an object or a boolean")
	}
	m.spend(len(raw))
	doc := newDocument(m, root, string(sum[:]))
	pool.take(limit - m.left)
	if m.left < 0 {
		return s.unread(sum, outOfSteps.what), nil
	}
	s.doc, doc.written.Raw = doc, raw
	b := newBuilder(doc, m)
	s.build(b, site{doc, "", root}.part(), pool)
	s.problems = b.problems
	return s, nil
}

// unread turns the schema into one about which nothing is known.
func (s *Schema) unread(sum [sha256.Size]byte, why string) *Schema {
	s.plain = seal(&node{op: opOpaque, text: "size\x00" + string(sum[:]), why: why})
	s.declared = func() *node { return s.plain }
	return s
}

// build makes the assertions of the schema, those of its callers when they are asked for, with work from a
// pool.
func (s *Schema) build(b *builder, top *part, pool *Pool) {
	limit := b.left
	root := func(r role) *node {
		before := b.left
		n := b.root(top, r)
		pool.take(before - b.left)
		b.left = max(b.left, limit/2) // what is written leaves as much for what is declared
		return n
	}
	s.plain = root(asWritten)
	s.declared = sync.OnceValue(func() *node { return root(asDeclared) })
	s.builder = b
}

// asWritten returns the schema for callers that send undeclared properties, too.
func (s *Schema) asWritten() *Schema {
	plain := &Schema{raw: s.raw, doc: s.doc, plain: s.plain, builder: s.builder}
	plain.declared = func() *node { return s.plain }
	return plain
}

// inside returns the schema at a place of the document.
func (s *Schema) inside(place string) *Schema {
	if place == "" || s.doc == nil {
		return s
	}
	value, _ := rawjson.At(s.doc.root, place)
	return s.variant(soonMeter(s.doc.limit), nil, nil, site{s.doc, place, value}.part())
}

// variant returns the schema that a part of the document is with patches.
func (s *Schema) variant(m *meter, pool *Pool, ps *patches, top *part) *Schema {
	s.declared() // nodes are added no more after this
	v := &Schema{raw: s.raw, doc: s.doc}
	b := newBuilder(s.doc, m)
	b.patches, b.written = ps, s.builder.nodes
	if ps != nil {
		b.spend(64 * len(ps.edits))
	}
	v.build(b, top, pool)
	return v
}

// Raw returns the schema as it was given.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Problems lists the parts of the schema that have no meaning, in the order of the document's pointers.
func (s *Schema) Problems() []Problem { return slices.Clone(s.problems) }

// At returns the value that a JSON pointer leads to in the schema, as written; nil if there is none.
func (s *Schema) At(pointer string) json.RawMessage {
	if s.doc == nil {
		return nil
	}
	return s.doc.raw(pointer)
}

// Verdict is the answer of [Contains]. The zero value is Unknown: nothing is claimed until it is shown.
type Verdict int

const (
	// Unknown says that neither a proof nor a counterexample was found within the budget.
	Unknown Verdict = iota
	// Compatible says that every value the narrow schema accepts is accepted by the wide one.
	Compatible
	// Incompatible says that a value exists which the narrow schema accepts and the wide one rejects.
	Incompatible
)

// String returns the verdict as one lower-case word.
func (v Verdict) String() string {
	switch v {
	case Compatible:
		return "compatible"
	case Incompatible:
		return "incompatible"
	}
	return "unknown"
}

// Result is the answer of [Contains] with its evidence.
type Result struct {
	Verdict Verdict
	// Path is the JSON pointer of the construct that stopped the decision, and Reason says in a few words why
	// it did, or why no witness is shown. [Schema.Faults] of the wide schema lists what is wrong with a
	// witness.
	Path, Reason string
	// Witness is accepted by the narrow schema and rejected by the wide one; nil also where it is too large
	// to be shown.
	Witness json.RawMessage
	value   any // that is the witness, or would be
	// Steps counts the work done, in units that are the same on every machine.
	Steps int
}

// Semantics chooses which values count as sent by a caller of the narrow schema.
type Semantics int

const (
	// Declared is the default: where an object schema lists properties and says nothing of others, or that
	// anything goes, callers send the listed ones only. An additionalProperties with a schema is a
	// declaration. Numbers beyond ±(2^53−1), on which programs do not agree (RFC 7493 §2.2), do not count.
	Declared Semantics = iota
	// Strict is plain set inclusion: every value the narrow schema accepts counts.
	Strict
)

// Budget bounds and tunes one decision. The zero value is the default budget.
type Budget struct {
	// Steps is the number of units of work after which the answer is Unknown; 0 means DefaultSteps.
	Steps int
	// Semantics is Declared unless set.
	Semantics Semantics
	// Pool, if there is one, bounds the work of all decisions together that are made with it.
	Pool *Pool
}

// DefaultSteps is the number of units of work that a [Budget] allows unless it says otherwise.
const DefaultSteps = 50_000

// maxInside is the number of nested values that are followed.
const maxInside = 256

// steps returns the steps that a decision may take: those of the budget, but no more than the pool has left.
func (b Budget) steps() int {
	steps := cmp.Or(b.Steps, DefaultSteps)
	if b.Pool != nil {
		steps = min(steps, max(b.Pool.Left, 0))
	}
	return steps
}

// pooled returns the budget with a pool for many decisions.
func (b Budget) pooled() Budget {
	if b.Pool == nil {
		b.Pool = &Pool{Left: 20 * cmp.Or(b.Steps, DefaultSteps)}
	}
	return b
}
