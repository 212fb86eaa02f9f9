package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Fault is one thing that is wrong with a value.
type Fault struct {
	Path    string   // JSON pointer in the value
	Reason  string   // in a few words, to follow the path
	Keyword string   // the keyword of the schema that the value is against
	Names   []string // of "required" the properties that are missing, of the other keywords about names those that are not known
	Want    []string // of "type" the types, of "enum" and "const" the values as JSON, of a bound the bound

	union bool // found in one branch of a union: another may have been meant
}

// faults are the causes of a validator's error; of those in the branches of unions the deepest, each place once.
func faults(err error) []Fault {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var found []Fault
	leaves(invalid, false, &found)
	slices.SortStableFunc(found, func(a, b Fault) int { return len(b.Path) - len(a.Path) })
	var distinct []Fault
	for _, f := range found {
		at := slices.IndexFunc(distinct, f.follows)
		switch {
		case at < 0:
			distinct = append(distinct, f)
		case distinct[at].Path == f.Path && distinct[at].Keyword == "type" && f.Keyword == "type":
			distinct[at].Want = append(distinct[at].Want, f.Want...) // the branches of a union
		}
	}
	return distinct
}

// follows tells whether a fault says no more than a deeper one, or one at the same place.
func (f Fault) follows(other Fault) bool {
	if f.union || other.union {
		return other.Path == f.Path || strings.HasPrefix(other.Path, f.Path+"/")
	}
	return other.Path == f.Path && other.Keyword == f.Keyword
}

func leaves(e *jsonschema.ValidationError, union bool, found *[]Fault) {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		union = true
	}
	for _, cause := range e.Causes {
		leaves(cause, union, found)
	}
	if len(e.Causes) > 0 {
		return
	}
	var path strings.Builder
	for _, token := range e.InstanceLocation {
		path.WriteString(rawjson.Join("", token))
	}
	f := Fault{Path: path.String(), Reason: reasonOf(e), Keyword: strings.Join(e.ErrorKind.KeywordPath(), "/"), union: union}
	f.explain(e.ErrorKind)
	*found = append(*found, f)
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

// explain fills in what a message to a person needs beside the reason.
func (f *Fault) explain(k jsonschema.ErrorKind) {
	switch k := k.(type) {
	case *kind.Type:
		f.Want = slices.Clone(k.Want)
	case *kind.Enum:
		f.Want = texts(k.Want...)
	case *kind.Const:
		f.Want = texts(k.Want)
	case *kind.Required:
		f.Keyword, f.Names = "required", slices.Clone(k.Missing)
	case *kind.AdditionalProperties:
		f.Keyword, f.Names = "additionalProperties", slices.Clone(k.Properties)
	case *kind.Minimum:
		f.Want = []string{k.Want.RatString()}
	case *kind.Maximum:
		f.Want = []string{k.Want.RatString()}
	case *kind.ExclusiveMinimum:
		f.Want = []string{k.Want.RatString()}
	case *kind.ExclusiveMaximum:
		f.Want = []string{k.Want.RatString()}
	case *kind.MultipleOf:
		f.Want = []string{k.Want.RatString()}
	case *kind.Pattern:
		f.Want = []string{k.Want}
	case *kind.MinLength:
		f.Want = []string{fmt.Sprint(k.Want)}
	case *kind.MaxLength:
		f.Want = []string{fmt.Sprint(k.Want)}
	case *kind.MinItems:
		f.Want = []string{fmt.Sprint(k.Want)}
	case *kind.MaxItems:
		f.Want = []string{fmt.Sprint(k.Want)}
	}
}

func texts(values ...any) []string {
	all := make([]string, len(values))
	for i, v := range values {
		raw, err := json.Marshal(v)
		if all[i] = string(raw); err != nil {
			all[i] = fmt.Sprint(v)
		}
	}
	return all
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
