// Package judge asks an independent validator whether a schema accepts a value. Only tests import it: it is what the
// verdicts of the schema engine are held against.
package judge

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// Answer is what the validator says. It is Unsure where a pattern it cannot read was consulted, or its work was cut
// short.
type Answer int

// The answers.
const (
	Unsure Answer = iota
	Yes
	No
)

// MaxTicks bounds the schema objects that one evaluation may visit; combinators can nest to exponential cost.
const MaxTicks = 100_000

// A Judge is a schema with the independent validator for it. It loads nothing and reads patterns as ECMA-262 has them.
// It serves one goroutine at a time.
type Judge struct {
	Root  any    // the schema as the validator is given it
	URL   string // its address
	Ticks int    // the schema objects that the last question visited

	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by JSON pointer; nil where it does not compile
	opaque   bool                          // a pattern without known meaning was consulted
}

// New reads a schema, decoded from JSON with numbers as [json.Number]; it is not changed. An error means that the
// validator cannot read it: it is invalid, refers outside itself, or is too large to judge.
func New(root any, name string, assertFormats bool) (*Judge, error) {
	if err := Check(root); err != nil {
		return nil, fmt.Errorf("reading a schema: %w", err)
	}
	root = modern(root)
	v := &Judge{Root: root, compiler: jsonschema.NewCompiler(), URL: "mem:///" + name, compiled: map[string]*jsonschema.Schema{}}
	v.compiler.UseLoader(refusal{})
	v.compiler.UseRegexpEngine(v.readPattern)
	v.compiler.DefaultDraft(jsonschema.Draft2020)
	v.compiler.RegisterVocabulary(&jsonschema.Vocabulary{URL: "mem:///ticks", Compile: v.tick})
	v.compiler.AssertVocabs()
	if assertFormats {
		v.compiler.AssertFormat()
	} else {
		v.ignoreFormats()
	}
	if err := v.compiler.AddResource(v.URL, root); err != nil {
		return nil, fmt.Errorf("reading a schema: %w", err)
	}
	return v, v.compile("")
}

// Valid reports whether the schema accepts the instance, decoded from JSON with numbers as [json.Number]. An error
// means that the validator cannot tell.
func (v *Judge) Valid(instance any) (bool, error) {
	if err := Check(instance); err != nil {
		return false, fmt.Errorf("judging an instance: %w", err)
	}
	switch v.Accepts("", instance) {
	case Yes:
		return true, nil
	case No:
		return false, nil
	}
	return false, fmt.Errorf("judging an instance: the answer rests on a pattern that is not decided, or takes too long")
}

// compile readies the schema at a JSON pointer.
func (v *Judge) compile(at string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			v.compiled[at], err = nil, fmt.Errorf("reading a schema: the validator gave up: %v", r)
		}
	}()
	v.Ticks = 0
	s, err := v.compiler.Compile(v.URL + "#" + escapeFragment(at))
	v.compiled[at] = s
	if err != nil {
		return fmt.Errorf("reading a schema: %w", err)
	}
	return nil
}

// Accepts asks the schema at a JSON pointer about a value.
func (v *Judge) Accepts(at string, value any) (a Answer) {
	s, known := v.compiled[at]
	if !known {
		_ = v.compile(at) // a schema that does not compile is remembered as nil
		s = v.compiled[at]
	}
	if s == nil {
		return Unsure
	}
	defer func() {
		if recover() != nil {
			a = Unsure
		}
	}()
	v.opaque, v.Ticks = false, 0
	err := s.Validate(value)
	switch {
	case v.opaque:
		return Unsure
	case err != nil:
		return No
	}
	return Yes
}

// ignoreFormats makes every format an annotation; drafts before 2019-09 assert them otherwise.
func (v *Judge) ignoreFormats() {
	for _, name := range [...]string{"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6",
		"hostname", "email", "date", "time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template",
		"semver", "idn-hostname", "idn-email"} {
		v.compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
}

// errTicks is what an evaluation panics with that visits too much; the library offers no other way out.
var errTicks = errors.New("too many steps")

// tick attaches a counter to every schema object.
func (v *Judge) tick(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
	return counter{v}, nil
}

type counter struct{ v *Judge }

// Validate counts a visit, and panics after too many.
func (c counter) Validate(*jsonschema.ValidatorContext, any) {
	if c.v.Ticks++; c.v.Ticks > MaxTicks {
		panic(errTicks)
	}
}

// refusal is a loader that loads nothing.
type refusal struct{}

// Load refuses every address.
func (refusal) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside the document", url)
}

// readPattern never fails: a pattern without known meaning marks each answer that rests on it.
func (v *Judge) readPattern(ecma string) (jsonschema.Regexp, error) {
	p, err := pattern.Parse(ecma)
	if err != nil {
		return &unread{v, ecma}, nil
	}
	return p, nil
}

type unread struct {
	v    *Judge
	ecma string
}

// String returns the pattern as it was written.
func (u *unread) String() string { return u.ecma }

// MatchString notes that the pattern was asked; what it returns does not count.
func (u *unread) MatchString(string) bool {
	u.v.opaque = true
	return false
}

// escapeFragment writes a JSON pointer for the fragment of an address.
func escapeFragment(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
