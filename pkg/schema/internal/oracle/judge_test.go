package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Answer is Unsure where a pattern that cannot be read was consulted, or the work was cut short.
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

// newJudge reads a decoded schema, numbers as [json.Number]. An error: it is invalid, refers outside itself, or is too large.
func newJudge(root any, name string) (*Judge, error) {
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
	v.ignoreFormats()
	if err := v.compiler.AddResource(v.URL, root); err != nil {
		return nil, fmt.Errorf("reading a schema: %w", err)
	}
	return v, v.compile("")
}

// Valid reports whether the schema accepts the decoded instance. An error means that the validator cannot report.
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
	return understood{v, p, ecma}, nil
}

type understood struct {
	v *Judge
	*pattern.Pattern
	ecma string
}

func (r understood) String() string { return r.ecma }

func (r understood) MatchString(s string) bool {
	found, sure := r.Match(s)
	r.v.opaque = r.v.opaque || !sure
	return found
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

// The limits of what is put to the validator. Its own cost grows with the square of the number of schemas.
const (
	MaxValues   = 60_000
	MaxDepth    = 250
	maxExponent = 400
)

// Check says why a decoded value is too large for the validator.
func Check(v any) error {
	var s size
	s.add(v, 1)
	return s.check()
}

// A size is what makes a JSON value costly to judge.
type size struct {
	values, depth int
	exponent      bool // some number has an exponent beyond maxExponent
}

func (s *size) add(v any, depth int) {
	s.values++
	s.depth = max(s.depth, depth)
	if s.values > MaxValues || depth > MaxDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, sub := range v {
			s.add(sub, depth+1)
		}
	case []any:
		for _, sub := range v {
			s.add(sub, depth+1)
		}
	case json.Number:
		s.exponent = s.exponent || !writable(v)
	}
}

func (s size) check() error {
	switch {
	case s.values > MaxValues:
		return fmt.Errorf("more than %d values are too many to judge", MaxValues)
	case s.depth > MaxDepth:
		return fmt.Errorf("nesting deeper than %d is too deep to judge", MaxDepth)
	case s.exponent:
		return fmt.Errorf("a number with an exponent beyond %d is too large to judge", maxExponent)
	}
	return nil
}

// writable reports whether a number can be calculated with at reasonable cost.
func writable(n json.Number) bool {
	mantissa, exponent, found := strings.Cut(strings.ToLower(string(n)), "e")
	if len(mantissa) > 10*maxExponent {
		return false
	}
	if !found {
		return true
	}
	e, err := strconv.Atoi(exponent)
	return err == nil && e <= maxExponent && e >= -maxExponent
}

// modern gives keywords of older drafts their new names where no draft is named, and leaves out const beside $ref in drafts
// that ignore it: the validator would not. The given schema stays.
func modern(schema any) any {
	o, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	switch dialect, named := o["$schema"]; {
	case !named:
		return rewritten(o, renamed)
	case slices.Contains(refAlone(), dialect):
		return rewritten(o, withoutConst)
	}
	return schema
}

// refAlone are the values of "$schema" in whose drafts a reference has no siblings (draft-07 §8.3).
func refAlone() []any {
	return []any{"http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-06/schema",
		"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"}
}

func withoutConst(o map[string]any) {
	if _, ok := o["$ref"].(string); ok {
		delete(o, "const")
	}
}

func renamed(o map[string]any) {
	if tuple, ok := o["items"].([]any); ok {
		o["prefixItems"] = tuple
		delete(o, "items")
		if rest, ok := o["additionalItems"]; ok {
			o["items"] = rest
		}
	}
	delete(o, "additionalItems")
	splitDependencies(o)
}

// rewritten copies a schema with an edit made to every schema object in it.
func rewritten(v any, edit func(map[string]any)) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(o))
	for key, value := range o {
		out[key] = rewrittenKeyword(key, value, edit)
	}
	edit(out)
	return out
}

func rewrittenKeyword(key string, value any, edit func(map[string]any)) any {
	switch key {
	case "const", "enum", "default", "examples", "dependentRequired":
		return value
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		table, ok := value.(map[string]any)
		if !ok {
			return value
		}
		out := make(map[string]any, len(table))
		for name, sub := range table {
			out[name] = rewritten(sub, edit)
		}
		return out
	}
	if list, ok := value.([]any); ok {
		out := make([]any, len(list))
		for i, sub := range list {
			out[i] = rewritten(sub, edit)
		}
		return out
	}
	return rewritten(value, edit)
}

func splitDependencies(o map[string]any) {
	table, ok := o["dependencies"].(map[string]any)
	if !ok {
		return
	}
	required, schemas := copied(o["dependentRequired"]), copied(o["dependentSchemas"])
	for name, dependency := range table {
		if list, ok := dependency.([]any); ok {
			required[name] = list
		} else {
			schemas[name] = dependency
		}
	}
	o["dependentRequired"], o["dependentSchemas"] = required, schemas
	delete(o, "dependencies")
}

// copied is a copy of an object, empty for anything else.
func copied(v any) map[string]any {
	if table, ok := v.(map[string]any); ok {
		return maps.Clone(table)
	}
	return map[string]any{}
}
