package diff

import (
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// schemaRow makes two rules, one for what a caller may send and one for what a reader gets.
type schemaRow struct {
	suffix        string // the rules are input-SUFFIX and output-SUFFIX
	input, output finding.Level
	effect        effect
	title, doc    string
	example       string
}

// effect is what a change does to the set of values that a schema accepts.
type effect int

const (
	narrows effect = iota // fewer values
	widens                // more values
	moves                 // some fewer, some more
	remarks               // the same values; what is said about them differs
)

// schemaRules are the rules about input and output schemas.
func schemaRules() []finding.Rule {
	rules := []finding.Rule{rootCombinatorRule()}
	for _, row := range slices.Concat(scalarRows(), objectRows(), arrayRows(), logicRows(), remarkRows()) {
		rules = append(rules, row.rule(finding.Input, row.input), row.rule(finding.Output, row.output))
	}
	return rules
}

func (r schemaRow) rule(direction finding.Direction, level finding.Level) finding.Rule {
	doc, instead := r.effect.consequence(direction)
	return finding.Rule{
		ID: string(direction) + "-" + r.suffix, Level: level, Direction: direction,
		Title: side(direction) + r.title, Doc: r.doc + " " + doc, Example: r.example, Instead: instead,
	}
}

func side(direction finding.Direction) string {
	if direction == finding.Input {
		return "Input: "
	}
	return "Output: "
}

// consequence is what the effect means to the other side of the call, and what the server's author can do.
func (e effect) consequence(direction finding.Direction) (doc, instead string) {
	input := direction == finding.Input
	switch {
	case e == narrows && input:
		return "A call that was accepted is refused where the value is one of those that are lost.",
			"Go on accepting the old values and convert them inside the server."
	case e == narrows:
		return "All that is returned was promised before.", "Nothing to do."
	case e == widens && input:
		return "All that was accepted still is.", "Nothing to do."
	case e == widens:
		return "A reader that was built for the old promise can meet a value that it never had to expect.",
			"Return the new values in a member of their own, or from a new tool."
	case e == moves && input:
		return "A call that was accepted is refused where the value is one of those that are lost.",
			"Accept the union of old and new values."
	case e == moves:
		return "A reader that was built for the old promise can meet a value that it never had to expect.",
			"Return the new values in a member of their own."
	case input:
		return "The same values are accepted; what a model makes of them may differ.", "Have the change reviewed like a text."
	}
	return "The same values are promised.", "Nothing to do."
}

// rootCombinatorRule has no mirror: model interfaces look at the root of input schemas only.
func rootCombinatorRule() finding.Rule {
	return finding.Rule{
		ID: "input-root-combinator-added", Level: finding.Warning, Direction: finding.Input,
		Title:   "Input: a combinator appeared at the root",
		Doc:     "anyOf, oneOf, allOf or not stands at the root of the input schema now. Some model interfaces refuse a tool whose root is anything but a plain object.",
		Example: `{"type":"object"} → {"type":"object","anyOf":[…]}`,
		Instead: "Move the combinator into a property, or offer two tools.",
	}
}

func scalarRows() []schemaRow {
	const breaking, warning, info = finding.Breaking, finding.Warning, finding.Info
	return []schemaRow{
		{"type-changed", breaking, breaking, moves, "the type is another one", "Neither the old nor the new types contain the others.", `string → integer`},
		{"type-narrowed", breaking, info, narrows, "fewer types", "The new types are a part of the old ones; integer is a part of number.", `number → integer`},
		{"type-widened", info, breaking, widens, "more types", "The old types are a part of the new ones; integer is a part of number.", `integer → number`},
		{"null-removed", breaking, info, narrows, "null is out", "null left the accepted values, however it was written: in a type array, as a branch of a union or in an enum.", `["string","null"] → "string"`},
		{"null-added", info, breaking, widens, "null is in", "null joined the accepted values, however it is written.", `"string" → anyOf [string, null]`},
		{"enum-added", breaking, info, narrows, "a free value became a fixed choice", "A set of values (enum or const) appeared where any value was right.", `string → enum [a, b]`},
		{"enum-removed", info, breaking, widens, "a fixed choice became a free value", "The set of values is gone.", `enum [a, b] → string`},
		{"enum-value-removed", breaking, info, narrows, "a value left the choice", "The set of values lost members.", `[a, b, c] → [a, b]`},
		{"enum-value-added", info, warning, widens, "a value joined the choice", "The set of values gained members. Sets of results grow so often that a careful reader has a branch for the unknown; for results it is a warning therefore.", `[a, b] → [a, b, c]`},
		{"const-changed", breaking, breaking, moves, "the one value is another one", "The set of one value holds another value now.", `const 1 → const 2`},
		{"range-narrowed", breaking, info, narrows, "a smaller range of numbers", "minimum, maximum and their exclusive forms are one interval, with integers rounded first; it shrank.", `maximum 100 → 50`},
		{"range-widened", info, breaking, widens, "a larger range of numbers", "minimum, maximum and their exclusive forms are one interval, with integers rounded first; it grew.", `minimum 1 → 0`},
		{"multiple-of-narrowed", breaking, info, narrows, "fewer multiples", "multipleOf appeared, or is a multiple of what it was.", `5 → 10`},
		{"multiple-of-widened", info, breaking, widens, "more multiples", "multipleOf is gone, or divides what it was.", `10 → 5`},
		{"length-narrowed", breaking, info, narrows, "fewer lengths of text", "The interval of minLength and maxLength shrank.", `maxLength 64 added`},
		{"length-widened", info, breaking, widens, "more lengths of text", "The interval of minLength and maxLength grew.", `maxLength 64 → 128`},
		{"pattern-narrowed", breaking, info, narrows, "a stricter pattern", "A pattern appeared, or matches a part of what it matched.", `^.+$ → ^[a-z]+$`},
		{"pattern-widened", info, breaking, widens, "a looser pattern", "A pattern is gone, or matches all that it matched and more.", `^[a-z]+$ → ^.+$`},
		{"pattern-changed", breaking, breaking, moves, "another pattern", "Some texts match the old pattern only.", `^a → ^b`},
		{"format-added", warning, info, remarks, "a format appeared", "A format is a remark in 2020-12, but many servers enforce it; with --assert-formats it is compared as a constraint.", `string → uuid`},
		{"format-removed", info, warning, remarks, "a format is gone", "A format is a remark in 2020-12; with --assert-formats it is compared as a constraint.", `uuid → string`},
		{"format-changed", warning, warning, remarks, "another format", "A format is a remark in 2020-12, but many servers enforce it; with --assert-formats it is compared as a constraint.", `date → date-time`},
		{"content-changed", warning, warning, remarks, "another encoding or media type of the text", "contentEncoding, contentMediaType or contentSchema differs: the text is packed in another way.", `base64 added`},
	}
}

func objectRows() []schemaRow {
	const breaking, warning, info = finding.Breaking, finding.Warning, finding.Info
	return []schemaRow{
		{"property-removed", breaking, breaking, narrows, "a property is gone", "Breaking for a call if the new schema refuses what sends the property, a warning if it only goes unheard; breaking for a result if it was required, a warning if it was not.", `{units, q} → {q}`},
		{"property-renamed", breaking, breaking, moves, "a property has another name", "A property is gone and one that is the same in everything but its name is new. It stands for both.", `labels → labelSelector`},
		{"optional-property-added", info, info, widens, "an optional property is new", "Values without it are as right as before. A warning for a result whose object was closed; breaking for a call with --semantics strict where the object was open.", `{q} → {q, limit}`},
		{"required-property-added", breaking, info, narrows, "a required property is new", "A default does not help: leaving the property out is against the schema.", `{q} → {q, region (required)}`},
		{"property-became-required", breaking, info, narrows, "a property is required now", "A property that could be left out joined required.", `required [] → [q]`},
		{"property-became-optional", info, breaking, widens, "a property can be left out now", "A property left required.", `required [q] → []`},
		{"additional-properties-closed", warning, info, narrows, "undeclared properties are out", "The declared properties are the same, others are forbidden now. Callers are taken to send declared properties only, so it is a warning where the old schema said nothing of others; where it declared that others are welcome it is breaking, and with --semantics strict always.", `additionalProperties absent → false`},
		{"additional-properties-opened", info, warning, widens, "undeclared properties are in", "Properties beyond the declared ones were forbidden and are not any more.", `additionalProperties false → absent`},
		{"additional-properties-narrowed", breaking, info, narrows, "fewer values under undeclared names", "The schema for properties beyond the declared ones is stricter, as for the values of a map.", `map of string or number → map of string`},
		{"additional-properties-widened", info, breaking, widens, "more values under undeclared names", "The schema for properties beyond the declared ones is looser, as for the values of a map.", `map of string → map of anything`},
		{"pattern-properties-narrowed", breaking, info, narrows, "fewer values under names of a pattern", "A schema for names of a pattern appeared or is stricter.", `^x- : string added`},
		{"pattern-properties-widened", info, breaking, widens, "more values under names of a pattern", "A schema for names of a pattern is gone or looser.", `^x- : string removed`},
		{"property-names-narrowed", breaking, info, narrows, "fewer names of properties", "propertyNames is stricter.", `pattern ^[a-z]+$ added`},
		{"property-names-widened", info, breaking, widens, "more names of properties", "propertyNames is looser.", `pattern ^[a-z]+$ removed`},
		{"properties-count-narrowed", breaking, info, narrows, "fewer numbers of properties", "The interval of minProperties and maxProperties shrank.", `maxProperties 5 added`},
		{"properties-count-widened", info, breaking, widens, "more numbers of properties", "The interval of minProperties and maxProperties grew.", `maxProperties 5 removed`},
		{"dependent-required-added", breaking, info, narrows, "one property requires another now", "dependentRequired gained an obligation.", `a → [b] added`},
		{"dependent-required-removed", info, breaking, widens, "one property no longer requires another", "dependentRequired lost an obligation.", `a → [b] removed`},
		{"unevaluated-closed", warning, info, narrows, "what no part of the schema speaks of is out", "unevaluatedProperties or unevaluatedItems appeared or is stricter.", `unevaluatedProperties false added`},
		{"unevaluated-opened", info, warning, widens, "what no part of the schema speaks of is in", "unevaluatedProperties or unevaluatedItems is gone or looser.", `unevaluatedProperties false removed`},
	}
}

func arrayRows() []schemaRow {
	const breaking, info = finding.Breaking, finding.Info
	return []schemaRow{
		{"items-constraint-added", breaking, info, narrows, "elements got a schema", "Elements of any kind were right; now they follow a schema.", `items absent → string`},
		{"items-constraint-removed", info, breaking, widens, "elements lost their schema", "Elements followed a schema; now any kind is right.", `items string → absent`},
		{"tuple-narrowed", breaking, info, narrows, "fewer tuples", "prefixItems, or what may follow it, is stricter.", `items false added after 2`},
		{"tuple-widened", info, breaking, widens, "more tuples", "prefixItems, or what may follow it, is looser.", `items false removed after 2`},
		{"items-count-narrowed", breaking, info, narrows, "fewer numbers of elements", "The interval of minItems and maxItems shrank.", `maxItems 10 added`},
		{"items-count-widened", info, breaking, widens, "more numbers of elements", "The interval of minItems and maxItems grew.", `minItems 1 removed`},
		{"unique-items-added", breaking, info, narrows, "repeated elements are out", "uniqueItems became true.", `uniqueItems absent → true`},
		{"unique-items-removed", info, breaking, widens, "repeated elements are in", "uniqueItems is not true any more.", `uniqueItems true → absent`},
		{"contains-narrowed", breaking, info, narrows, "more is asked of what an array contains", "contains, minContains or maxContains is stricter.", `contains string added`},
		{"contains-widened", info, breaking, widens, "less is asked of what an array contains", "contains, minContains or maxContains is looser.", `contains string removed`},
	}
}

func logicRows() []schemaRow {
	const breaking, warning, info, off = finding.Breaking, finding.Warning, finding.Info, finding.Off
	return []schemaRow{
		{"conditional-narrowed", breaking, info, narrows, "a condition asks for more", "if, then, else or dependentSchemas rejects values that were right.", `then requires token`},
		{"conditional-widened", info, breaking, widens, "a condition asks for less", "if, then, else or dependentSchemas accepts values that were wrong.", `then no longer requires token`},
		{"union-member-removed", breaking, info, narrows, "an alternative is gone", "A branch of anyOf or oneOf is gone or stricter, and the others do not cover what it accepted.", `anyOf [object, array] → anyOf [object]`},
		{"union-member-added", info, breaking, widens, "an alternative is new", "A branch of anyOf or oneOf is new or looser, and accepts what no other did.", `anyOf [object] → anyOf [object, array]`},
		{"exclusion-added", breaking, info, narrows, "values are ruled out", "not appeared or rules out more.", `not {const 0} added`},
		{"exclusion-removed", info, breaking, widens, "values are no longer ruled out", "not is gone or rules out less.", `not {const 0} removed`},
		{"schema-narrowed", breaking, info, narrows, "fewer values", "A value is shown that only the old schema accepts, and no single change explains it: several act together, or the construct has no rule of its own.", `several changes that only together reject`},
		{"schema-widened", info, breaking, widens, "more values", "All old values are accepted and new ones are, and no single change explains it.", `several changes that only together accept`},
		{"schema-incomparable", breaking, breaking, moves, "other values", "Some values are accepted by the old schema only and some by the new one only, and no rule of its own explains it.", `a branch replaced by another`},
		{"schema-unproven", warning, warning, moves, "whether the change is safe could not be decided", "Neither a proof nor a counterexample was found within the budget. The finding names what stopped the decision. Nothing is guessed, so the change may be breaking.", `unevaluatedProperties under oneOf`},
		{"schema-rewritten", off, off, remarks, "the same in other words", "The text differs and the meaning is proved to be the same in both directions. Off unless it is enabled.", `a definition inlined`},
		{"schema-dialect-changed", info, info, remarks, "another dialect of JSON Schema", "$schema differs. The comparison itself is made on the meaning, whatever the dialects.", `draft-07 → 2020-12`},
		{"schema-ref-unresolved", warning, warning, moves, "a reference leads nowhere", "A $ref of the new schema does not lead to a place inside it. References are never fetched.", `#/$defs/Missing`},
		{"schema-invalid", breaking, breaking, moves, "the schema is not a valid one", "The new schema is against its own dialect, or the root of an input schema is not of type object. Clients may drop the tool or refuse every call.", `required "a"`},
		{"schema-changed", warning, warning, moves, "a change that no rule explains", "The schemas differ in a way that the comparison has no words for. It is told because nothing may be hidden.", `a construct of a later dialect`},
	}
}

func remarkRows() []schemaRow {
	const warning, info = finding.Warning, finding.Info
	return []schemaRow{
		{"default-changed", warning, info, remarks, "another default", "Who leaves the value out gets another behaviour.", `10 → 50`},
		{"default-added", info, info, remarks, "a default appeared", "What happens when the value is left out is said now.", `absent → 10`},
		{"default-removed", warning, info, remarks, "a default is gone", "What happens when the value is left out is not said any more.", `10 → absent`},
		{"property-description-changed", warning, info, remarks, "another description", "The description of a property or another part of the schema is text that the model reads.", `"Rows." → "Rows, at most 50."`},
		{"property-description-added", info, info, remarks, "a description appeared", "The description of a property or another part of the schema is text that the model reads.", `absent → "Rows."`},
		{"property-description-removed", warning, info, remarks, "a description is gone", "The model loses what the text told it.", `"Rows." → absent`},
		{"property-title-changed", info, info, remarks, "another title", "Titles are for show.", `"Limit" → "Rows"`},
		{"examples-changed", info, info, remarks, "other examples", "Examples guide a model but bind nobody.", `["a"] → ["b"]`},
		{"property-deprecated", info, info, remarks, "deprecated now", "The author announces that this will go.", `deprecated absent → true`},
		{"property-undeprecated", info, info, remarks, "no longer deprecated", "The author takes back that this will go.", `deprecated true → absent`},
		{"access-changed", info, info, remarks, "readOnly or writeOnly differs", "Who may set the value is said in another way.", `readOnly absent → true`},
		{"keyword-changed", info, info, remarks, "a keyword differs that JSON Schema does not define", "Only those who know the keyword can tell what it means. nullable belongs here: it comes from OpenAPI and means nothing in JSON Schema.", `"x-order":1 → 2`},
	}
}
