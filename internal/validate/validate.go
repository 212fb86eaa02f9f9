// Package validate says what is wrong with a JSON value by a JSON Schema, in terms that a person can act on.
//
// An independent validator judges. Nothing is fetched, formats are remarks, and what cannot be told, since it takes too
// long or rests on a pattern that Go cannot read, is told to be so.
package validate

import (
	"errors"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema validates values against places of one document. It serves one goroutine at a time.
type Schema struct {
	compiler *jsonschema.Compiler
	url      string
	steps    int  // schemas that were visited for the value at hand
	unsure   bool // a pattern was asked that Go cannot read, so that the answer means nothing
}

const (
	documentURL = "mem:///tool"
	maxSteps    = 20_000 // unions in unions can take time without end
	maxObjects  = 5_000  // objects in a schema: the validator's time to read them grows with their square
)

var errLarge = errors.New("the schema is too large to be read")

// New prepares for values of a decoded schema. The error says that it is too large, or that its identifiers cannot be read.
func New(schema any) (*Schema, error) {
	if objects(schema) > maxObjects {
		return nil, errLarge
	}
	s := &Schema{url: documentURL}
	s.compiler = s.newCompiler()
	s.compiler.RegisterVocabulary(&jsonschema.Vocabulary{URL: "mem:///steps", Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
		return step{s}, nil
	}})
	s.compiler.AssertVocabs()
	if address, known := Dialect(schema); known {
		s.compiler.DefaultDraft(drafts()[address])
	}
	return s, s.compiler.AddResource(s.url, schema)
}

// objects counts the objects in a decoded value, itself included.
func objects(value any) int {
	n := 0
	switch v := value.(type) {
	case map[string]any:
		n = 1
		for _, inner := range v {
			n += objects(inner)
		}
	case []any:
		for _, inner := range v {
			n += objects(inner)
		}
	}
	return n
}

// Meta prepares for schemas of a dialect that [Dialect] knows: their faults are those of its meta-schema.
func Meta(dialect string) *Schema {
	s := &Schema{url: dialect}
	s.compiler = s.newCompiler()
	return s
}

// Faults are what is wrong with a decoded value by the schema at a JSON pointer in the document. sure is false where that
// cannot be told; there are no faults then.
func (s *Schema) Faults(pointer string, value any) (found []Fault, sure bool) {
	defer func() {
		if recover() != nil {
			found, sure = nil, false
		}
	}()
	s.steps, s.unsure = 0, false
	compiled, err := s.compiler.Compile(s.url + "#" + fragment(pointer))
	if err != nil {
		return nil, false
	}
	if found = faults(compiled.Validate(value)); s.unsure {
		return nil, false
	}
	return found, true
}

// newCompiler is one that fetches nothing and takes every format for a remark.
func (s *Schema) newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(s.pattern)
	for _, name := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	return c
}

// formats are the names that the validator would assert in older drafts.
var formats = [...]string{"regex", "json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email",
	"date", "time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver", "idn-hostname", "idn-email"}

type nowhere struct{}

var errNotFetched = errors.New("a schema outside the document is not fetched")

// Load is part of jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) { return nil, errNotFetched }

// step counts the schemas that a validation visits.
type step struct{ s *Schema }

var errSteps = errors.New("too many steps")

// Validate is part of jsonschema.SchemaExt. To panic is the one way out that the validator leaves.
func (s step) Validate(*jsonschema.ValidatorContext, any) {
	if s.s.steps++; s.s.steps > maxSteps {
		panic(errSteps)
	}
}

// pattern reads a regular expression. One that Go cannot read makes every answer that rests on it unsure.
func (s *Schema) pattern(text string) (jsonschema.Regexp, error) {
	compiled, err := regexp.Compile(text)
	if err != nil {
		return unread{text, s}, nil
	}
	return compiled, nil
}

type unread struct {
	text string
	s    *Schema
}

// MatchString is part of jsonschema.Regexp.
func (u unread) MatchString(string) bool {
	u.s.unsure = true
	return false
}

// String is part of jsonschema.Regexp.
func (u unread) String() string { return u.text }

// fragment is a JSON pointer as the fragment of a URL.
func fragment(pointer string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", `"`, "%22", "^", "%5E").Replace(pointer)
}
