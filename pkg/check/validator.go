package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// drafts are the versions of JSON Schema by the address that "$schema" names, without its fragment.
func drafts() map[string]*jsonschema.Draft {
	return map[string]*jsonschema.Draft{
		"https://json-schema.org/draft/2020-12/schema": jsonschema.Draft2020,
		"https://json-schema.org/draft/2019-09/schema": jsonschema.Draft2019,
		"http://json-schema.org/draft-07/schema":       jsonschema.Draft7,
		"http://json-schema.org/draft-06/schema":       jsonschema.Draft6,
		"http://json-schema.org/draft-04/schema":       jsonschema.Draft4,
	}
}

const defaultDialect = "https://json-schema.org/draft/2020-12/schema"

// dialect is the address of the version that a document is written in, without its fragment.
func (d document) dialect() string {
	object, _ := d.value.(map[string]any)
	if name, ok := object["$schema"].(string); ok {
		return strings.TrimRight(strings.TrimSuffix(name, "#"), "/")
	}
	return defaultDialect
}

// known tells whether the dialect is one that can be read, and one for an unknown address over https instead of http.
func (d document) draft() *jsonschema.Draft {
	name := d.dialect()
	for address, draft := range drafts() {
		if bare(address) == bare(name) {
			return draft
		}
	}
	return nil
}

func bare(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	return rest
}

// newCompiler is one that fetches nothing and takes every format for a remark.
func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	for _, name := range formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	return c
}

// formats are the names that the validator would assert in older drafts.
var formats = []string{"regex", "json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email",
	"date", "time", "date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver", "idn-hostname", "idn-email"}

type nowhere struct{}

var errNotFetched = errors.New("a schema outside the document is not fetched")

// Load is part of jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) { return nil, errNotFetched }

// fault is one thing that a validator found wrong.
type fault struct {
	path   string // JSON pointer in what was validated
	reason string
}

// metaFaults are what the meta-schema of a document's dialect finds wrong with it, the deepest causes only.
func (d document) metaFaults(meta *jsonschema.Schema) []fault {
	return faults(meta.Validate(d.value))
}

// faults are the deepest causes of a validator's error, each place once.
func faults(err error) []fault {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var found []fault
	leaves(invalid, &found)
	slices.SortStableFunc(found, func(a, b fault) int { return len(b.path) - len(a.path) })
	var distinct []fault
	for _, f := range found {
		if !slices.ContainsFunc(distinct, func(d fault) bool { return d.path == f.path || strings.HasPrefix(d.path, f.path+"/") }) {
			distinct = append(distinct, f)
		}
	}
	return distinct
}

func leaves(e *jsonschema.ValidationError, found *[]fault) {
	for _, cause := range e.Causes {
		leaves(cause, found)
	}
	if len(e.Causes) > 0 {
		return
	}
	var path strings.Builder
	for _, token := range e.InstanceLocation {
		path.WriteString("/" + snapshot.PointerToken(token))
	}
	*found = append(*found, fault{path.String(), reasonOf(e)})
}

// reasonOf is why a validator refused a value, in a few words.
func reasonOf(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("is %s, where %s is wanted", article(k.Got), strings.Join(k.Want, " or "))
	case *kind.Enum, *kind.Const:
		return "is none of the values that are allowed there"
	}
	words := e.ErrorKind.KeywordPath()
	return fmt.Sprintf("is against %q", strings.Join(words, "/"))
}

func article(kind string) string {
	switch kind {
	case "array", "object", "integer":
		return "an " + kind
	case "null":
		return kind
	}
	return "a " + kind
}

// instances validate values against places of one document.
type instances struct {
	compiler *jsonschema.Compiler
	document document
	steps    int  // schemas that were visited for the value at hand
	unsure   bool // a pattern was asked that Go cannot read, so that the answer means nothing
}

const (
	documentURL = "mem:///tool"
	maxSteps    = 20_000 // unions in unions can take time without end
)

// validating prepares for instances of a document; nil when its schema cannot be read.
func (d document) validating() *instances {
	v := &instances{compiler: newCompiler(), document: d}
	v.compiler.UseRegexpEngine(v.pattern)
	v.compiler.RegisterVocabulary(&jsonschema.Vocabulary{URL: "mem:///steps", Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
		return step{v}, nil
	}})
	v.compiler.AssertVocabs()
	if draft := d.draft(); draft != nil {
		v.compiler.DefaultDraft(draft)
	}
	if v.compiler.AddResource(documentURL, d.value) != nil {
		return nil
	}
	return v
}

// faults are what is wrong with a value at a place; none when that cannot be told.
func (v *instances) faults(p place, value any) (found []fault) {
	defer func() {
		if recover() != nil {
			found = nil
		}
	}()
	v.steps, v.unsure = 0, false
	compiled, err := v.compiler.Compile(documentURL + "#" + fragment(strings.TrimPrefix(p.path(), v.document.path)))
	if err != nil {
		return nil
	}
	if found = faults(compiled.Validate(value)); v.unsure {
		return nil
	}
	return found
}

// step counts the schemas that a validation visits.
type step struct{ v *instances }

var errSteps = errors.New("too many steps")

// Validate is part of jsonschema.SchemaExt. To panic is the one way out that the validator leaves.
func (s step) Validate(*jsonschema.ValidatorContext, any) {
	if s.v.steps++; s.v.steps > maxSteps {
		panic(errSteps)
	}
}

// pattern reads a regular expression. One that Go cannot read makes every answer that rests on it unsure.
func (v *instances) pattern(text string) (jsonschema.Regexp, error) {
	compiled, err := regexp.Compile(text)
	if err != nil {
		return unread{text, v}, nil
	}
	return compiled, nil
}

type unread struct {
	text string
	v    *instances
}

// MatchString is part of jsonschema.Regexp.
func (u unread) MatchString(string) bool {
	u.v.unsure = true
	return false
}

// String is part of jsonschema.Regexp.
func (u unread) String() string { return u.text }

// fragment is a JSON pointer as the fragment of a URL.
func fragment(pointer string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", `"`, "%22", "^", "%5E").Replace(pointer)
}

// compact is a value for a message, cut when it is long.
func compact(value any) string {
	raw, _ := json.Marshal(value)
	if len(raw) > 60 {
		return string(raw[:60]) + "…"
	}
	return string(raw)
}
