package schema

import "encoding/json"

// Family groups keywords whose changes are told under one rule name.
type Family string

// The families of keywords. A family names what an edit is about, never how severe it is.
const (
	FamilyType          Family = "type"
	FamilyNull          Family = "null" // only null joined or left the accepted types
	FamilyEnum          Family = "enum" // enum and const
	FamilyProperty      Family = "property"
	FamilyRequired      Family = "required"
	FamilyAdditional    Family = "additionalProperties"
	FamilyPattern       Family = "pattern"
	FamilyPatternProps  Family = "patternProperties"
	FamilyPropertyNames Family = "propertyNames"
	FamilyPropertyCount Family = "propertyCount"
	FamilyDependent     Family = "dependentRequired"
	FamilyConditional   Family = "conditional" // if/then/else and dependentSchemas
	FamilyUnevaluated   Family = "unevaluated"
	FamilyItems         Family = "items"
	FamilyTuple         Family = "tuple"
	FamilyItemCount     Family = "itemCount"
	FamilyUnique        Family = "uniqueItems"
	FamilyContains      Family = "contains"
	FamilyRange         Family = "range"
	FamilyMultiple      Family = "multipleOf"
	FamilyLength        Family = "length"
	FamilyFormat        Family = "format"
	FamilyContent       Family = "content"
	FamilyUnion         Family = "union" // anyOf, oneOf; allOf whose members do not match
	FamilyExclusion     Family = "exclusion"
	FamilyReference     Family = "reference"
	FamilyDialect       Family = "dialect"
	FamilyDefault       Family = "default"
	FamilyDescription   Family = "description"
	FamilyTitle         Family = "title"
	FamilyExamples      Family = "examples"
	FamilyDeprecated    Family = "deprecated"
	FamilyAccess        Family = "access" // readOnly, writeOnly
	FamilyUnknown       Family = "keyword"
	FamilySchema        Family = "schema" // a whole subschema, told as one
)

// Annotation reports whether keywords of the family never change which values are accepted.
func (f Family) Annotation() bool {
	switch f {
	case FamilyDialect, FamilyDefault, FamilyDescription, FamilyTitle, FamilyExamples, FamilyDeprecated,
		FamilyAccess, FamilyContent, FamilyFormat, FamilyUnknown:
		return true
	}
	return false
}

// Edit is one syntactic difference between two schemas, told once at the deepest place that holds it.
type Edit struct {
	Family Family
	// Keyword is the keyword that differs, as written in the new schema, or in the old one if it is gone there.
	Keyword string
	// Name is the property that an edit of the families property and required is about.
	Name string
	// OldPath and NewPath are the JSON pointers of the edited value in either document; empty where it is absent.
	OldPath, NewPath string
	// Instance is the place in the value the edit speaks of, as a JSON pointer with "*" for every item or undeclared
	// property: "/filter/tags/*". Empty is the whole value.
	Instance string
	// Also lists further instance places that share the edited definition.
	Also []string
	// Old and New are the values of the keyword; nil where it is absent.
	Old, New json.RawMessage
	// OldSchema and NewSchema are the schema objects that hold the edited keyword.
	OldSchema, NewSchema json.RawMessage

	hybrid func() (*Schema, error)
}

// Hybrid returns the old schema with only this edit applied, so that its own verdict can be asked.
func (e Edit) Hybrid() (*Schema, error) { return e.hybrid() }

// Edits lists the syntactic differences between two schemas along matched paths, with references resolved on both
// sides. A difference inside a shared definition is listed once. The order is that of the instance paths.
func Edits(before, after *Schema) []Edit { return nil }
