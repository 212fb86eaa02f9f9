package refute

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// An answer of the validator. It is unsure where a pattern it cannot read was consulted, or its work was cut short.
type answer int

const (
	unsure answer = iota
	yes
	no
)

// maxTicks bounds the schema objects that one evaluation may visit; combinators can nest to exponential cost.
const maxTicks = 100_000

// A validator wraps the independent one. It loads nothing and reads patterns as ECMA-262 has them.
type validator struct {
	compiler *jsonschema.Compiler
	url      string
	compiled map[string]*jsonschema.Schema // by JSON pointer; nil where it does not compile
	opaque   bool                          // a pattern without known meaning was consulted
	ticks    int
}

func newValidator(root any, name string, assertFormats bool) (*validator, error) {
	v := &validator{compiler: jsonschema.NewCompiler(), url: "mem:///" + name, compiled: map[string]*jsonschema.Schema{}}
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
	if err := v.compiler.AddResource(v.url, root); err != nil {
		return nil, fmt.Errorf("reading a schema: %w", err)
	}
	return v, v.compile("")
}

// compile readies the schema at a JSON pointer.
func (v *validator) compile(at string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			v.compiled[at], err = nil, fmt.Errorf("reading a schema: the validator gave up: %v", r)
		}
	}()
	v.ticks = 0
	s, err := v.compiler.Compile(v.url + "#" + escapeFragment(at))
	v.compiled[at] = s
	if err != nil {
		return fmt.Errorf("reading a schema: %w", err)
	}
	return nil
}

// accepts asks the schema at a JSON pointer about a value.
func (v *validator) accepts(at string, value any) (a answer) {
	s, known := v.compiled[at]
	if !known {
		_ = v.compile(at) // a schema that does not compile is remembered as nil
		s = v.compiled[at]
	}
	if s == nil {
		return unsure
	}
	defer func() {
		if recover() != nil {
			a = unsure
		}
	}()
	v.opaque, v.ticks = false, 0
	err := s.Validate(value)
	switch {
	case v.opaque:
		return unsure
	case err != nil:
		return no
	}
	return yes
}

// ignoreFormats makes every format an annotation; drafts before 2019-09 assert them otherwise.
func (v *validator) ignoreFormats() {
	for _, name := range [...]string{"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6",
		"hostname", "email", "date", "time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template",
		"semver", "idn-hostname", "idn-email"} {
		v.compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
}

// errTicks is what an evaluation panics with that visits too much; the library offers no other way out.
var errTicks = errors.New("too many steps")

// tick attaches a counter to every schema object.
func (v *validator) tick(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
	return counter{v}, nil
}

type counter struct{ v *validator }

// Validate counts a visit, and panics after too many.
func (c counter) Validate(*jsonschema.ValidatorContext, any) {
	if c.v.ticks++; c.v.ticks > maxTicks {
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
func (v *validator) readPattern(ecma string) (jsonschema.Regexp, error) {
	p, err := pattern.Parse(ecma)
	if err != nil {
		return &unread{v, ecma}, nil
	}
	return p, nil
}

type unread struct {
	v    *validator
	ecma string
}

// String returns the pattern as it was written.
func (u *unread) String() string { return u.ecma }

// MatchString notes that the pattern was asked; what it returns does not count.
func (u *unread) MatchString(string) bool {
	u.v.opaque = true
	return false
}
