package diff

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// sides are one rule for arguments and for results.
type sides struct{ input, output string }

func (s sides) of(direction finding.Direction) string {
	return either(direction == finding.Input, s.input, s.output)
}

// fates are what comes, goes and changes in arguments and in results.
type fates struct{ input, output fate }

func (f fates) of(direction finding.Direction) fate {
	return either(direction == finding.Input, f.input, f.output)
}

var (
	invalidSchemas  = sides{"input-schema-invalid", "output-schema-invalid"}
	unknownKeywords = sides{"input-keyword-changed", "output-keyword-changed"}

	enums = fates{fate{"input-enum-added", "input-enum-removed", "input-const-changed"},
		fate{"output-enum-added", "output-enum-removed", "output-const-changed"}}
	defaults = fates{fate{"input-default-added", "input-default-removed", "input-default-changed"},
		fate{"output-default-added", "output-default-removed", "output-default-changed"}}
	formats = fates{fate{"input-format-added", "input-format-removed", "input-format-changed"},
		fate{"output-format-added", "output-format-removed", "output-format-changed"}}
	propertyDescriptions = fates{fate{"input-property-description-added",
		"input-property-description-removed", "input-property-description-changed"},
		fate{"output-property-description-added", "output-property-description-removed",
			"output-property-description-changed"}}
)

// remarkRules are the rules for changes that say nothing of values.
var remarkRules = map[schema.Family]sides{
	schema.FamilyAccess:     {"input-access-changed", "output-access-changed"},
	schema.FamilyContent:    {"input-content-changed", "output-content-changed"},
	schema.FamilyDeprecated: {"input-property-deprecation-changed", "output-property-deprecation-changed"},
	schema.FamilyDialect:    {"input-schema-dialect-changed", "output-schema-dialect-changed"},
	schema.FamilyExamples:   {"input-examples-changed", "output-examples-changed"},
	schema.FamilyTitle:      {"input-property-title-changed", "output-property-title-changed"},
	schema.FamilyUnknown:    unknownKeywords,
}

// effects are the rules for what a change does to the set of values.
type effects map[effect]sides

var (
	limited = effects{
		narrows: {"input-size-narrowed", "output-size-narrowed"},
		widens:  {"input-size-widened", "output-size-widened"},
	}
	constraints = effects{
		narrows: {"input-constraint-narrowed", "output-constraint-narrowed"},
		widens:  {"input-constraint-widened", "output-constraint-widened"},
	}
	wholeSchemas = effects{
		narrows: {"input-schema-narrowed", "output-schema-narrowed"},
		widens:  {"input-schema-widened", "output-schema-widened"},
		moves:   {"input-schema-incomparable", "output-schema-incomparable"},
	}
)

// valueRules are the families whose rules go by the effect alone.
var valueRules = map[schema.Family]effects{
	schema.FamilyType: {
		narrows: {"input-type-narrowed", "output-type-narrowed"},
		widens:  {"input-type-widened", "output-type-widened"},
		moves:   {"input-type-changed", "output-type-changed"},
	},
	schema.FamilyNull: {
		narrows: {"input-null-removed", "output-null-removed"},
		widens:  {"input-null-added", "output-null-added"},
	},
	schema.FamilyRange: {
		narrows: {"input-range-narrowed", "output-range-narrowed"},
		widens:  {"input-range-widened", "output-range-widened"},
	},
	schema.FamilyPattern: {
		narrows: {"input-pattern-narrowed", "output-pattern-narrowed"},
		widens:  {"input-pattern-widened", "output-pattern-widened"},
		moves:   {"input-pattern-changed", "output-pattern-changed"},
	},
	schema.FamilyUnevaluated: {
		narrows: {"input-unevaluated-closed", "output-unevaluated-closed"},
		widens:  {"input-unevaluated-opened", "output-unevaluated-opened"},
	},
	schema.FamilyUnion: {
		narrows: {"input-union-member-removed", "output-union-member-removed"},
		widens:  {"input-union-member-added", "output-union-member-added"},
	},
	schema.FamilyLength:        limited,
	schema.FamilyItemCount:     limited,
	schema.FamilyPropertyCount: limited,
	schema.FamilyConditional:   constraints,
	schema.FamilyContains:      constraints,
	schema.FamilyDependent:     constraints,
	schema.FamilyExclusion:     constraints,
	schema.FamilyItems:         constraints,
	schema.FamilyMultiple:      constraints,
	schema.FamilyPatternProps:  constraints,
	schema.FamilyPropertyNames: constraints,
	schema.FamilyTuple:         constraints,
	schema.FamilyUnique:        constraints,
}

// valueRule returns the rule for a change with an effect; if its family has none, that of schemas as a whole.
func (r *revision) valueRule(family schema.Family, e effect) string {
	e = cmp.Or(e, moves)
	return cmp.Or(valueRules[family][e], wholeSchemas[e]).of(r.direction)
}

// rule returns the rule of a change; empty if another part of the comparison reports it.
func (r *revision) rule(ch *change) string {
	is := func(input, output string) string { return sides{input, output}.of(r.direction) }
	isNew, isGone, remark := ch.Old == nil, ch.New == nil, remarkRules[ch.Family].of(r.direction)
	switch ch.Family {
	case schema.FamilyAccess, schema.FamilyDeprecated:
		return either(isTrue(ch.Old) == isTrue(ch.New), "", remark)
	case schema.FamilyDefault:
		rule, _ := r.movedDefault(ch)
		return cmp.Or(rule, defaults.of(r.direction).of(isNew, isGone))
	case schema.FamilyFormat:
		return formats.of(r.direction).of(isNew, isGone)
	case schema.FamilyDescription:
		if was, is := ch.documentedDefaults(); was != is && r.direction == finding.Input {
			return "input-documented-default-changed"
		}
		old, _ := rawjson.Text(ch.Old)
		new, _ := rawjson.Text(ch.New)
		return propertyDescriptions.of(r.direction).ofText(old, new)
	case schema.FamilyUnknown:
		return either(r.modern && ch.Keyword == headerKeyword, "", remark)
	case schema.FamilyProperty:
		switch {
		case ch.successor != nil:
			return is("input-property-renamed", "output-property-renamed")
		case isGone:
			return is("input-property-removed", "output-property-removed")
		case ch.Required && r.filledIn(ch):
			return "input-required-property-added-with-default"
		case ch.Required:
			return is("input-required-property-added", "output-required-property-added")
		}
		return is("input-optional-property-added", "output-optional-property-added")
	case schema.FamilyRequired:
		switch {
		case isGone:
			return is("input-property-became-optional", "output-property-became-optional")
		case r.filledIn(ch):
			return "input-property-became-required-with-default"
		}
		return is("input-property-became-required", "output-property-became-required")
	case schema.FamilyEnum:
		switch {
		case isNew || isGone: // as below
		case len(ch.Removed) == 0:
			return is("input-enum-value-added", "output-enum-value-added")
		case len(ch.Added) == 0:
			return is("input-enum-value-removed", "output-enum-value-removed")
		}
		return enums.of(r.direction).of(isNew, isGone)
	case schema.FamilyAdditional:
		switch {
		case schema.RefusesAll(ch.New):
			return is("input-additional-properties-closed", "output-additional-properties-closed")
		case schema.RefusesAll(ch.Old), !ch.breaks() && anyName(ch.Old) && !anyName(ch.New) &&
			r.After.At(ch.NewPath+"/properties") == nil: // a model has become a map
			return is("input-additional-properties-opened", "output-additional-properties-opened")
		case ch.effect == widens || ch.effect == moves && r.direction == finding.Output:
			return is("input-additional-properties-widened", "output-additional-properties-widened")
		}
		return is("input-additional-properties-narrowed", "output-additional-properties-narrowed")
	case schema.FamilyUnion:
		return r.unionRule(ch)
	}
	return cmp.Or(remark, r.oftenBreaks(ch), r.valueRule(ch.Family, ch.effect))
}

// filledIn reports whether a server can fill in an argument that must be there now.
func (r *revision) filledIn(ch *change) bool {
	return r.direction == finding.Input && defaultOf(r, ch) != nil
}

// oftenBreaks returns the rule for what makes most breaks of real releases, so that a project can lower it: a
// new lower bound of 0 or 1, and integers in place of numbers.
func (r *revision) oftenBreaks(ch *change) string {
	if r.direction == finding.Output || !ch.breaks() {
		return ""
	}
	if ch.Family == schema.FamilyType && len(ch.Removed) == 1 && string(ch.Removed[0]) == `"fraction"` {
		return "input-fractions-rejected"
	}
	if ch.Family == schema.FamilyRange && ch.Keywords[0] == "minimum" && ch.Old == nil {
		after := ch.after()
		lower := cmp.Or(string(after["minimum"]), string(after["exclusiveMinimum"]))
		return either(lower == "0" || lower == "1", "input-lower-bound-added", "")
	}
	return ""
}

func either[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

func isTrue(raw json.RawMessage) bool { return string(raw) == "true" }

// documentedDefaults returns the defaults in the descriptions before and after; empty if the schema has the
// change, or one of the texts can be read in another way.
func (ch *change) documentedDefaults() (was, is string) {
	before, after := ch.before(), ch.after()
	old, spoken := documentedDefault(before)
	new, still := documentedDefault(after)
	if !spoken || !still || old.Same(new) || !same(before["default"], after["default"]) {
		return "", ""
	}
	return old.Word + old.Unit, new.Word + new.Unit
}

// documentedDefault returns the one default in the description of a schema. A word without quotes counts only
// if the enum has it.
func documentedDefault(v view) (wording.Default, bool) {
	all := wording.Defaults(v.text("description"))
	if len(all) != 1 || all[0].Word == "" ||
		all[0].Bare && !slices.Contains(rawjson.Texts(v["enum"]), all[0].Word) {
		return wording.Default{}, false
	}
	return all[0], true
}

// movedDefault returns the rule and the message for a default that went from the schema into the description,
// or came from there; empty if it did not.
func (r *revision) movedDefault(ch *change) (rule, message string) {
	value, side := ch.Old, ch.after()
	if value == nil {
		value, side = ch.New, ch.before()
	}
	all := wording.Defaults(side.text("description"))
	if ch.Old != nil && ch.New != nil || len(all) != 1 || all[0].Word == "" {
		return "", ""
	}
	declared := string(value)
	if text, ok := rawjson.Text(value); ok {
		declared = text
	}
	documented, sure := documentedDefault(side)
	stated := code(documented.Word+documented.Unit) + ", stated in the description only"
	rules := defaults.of(r.direction)
	switch moved := all[0].Same(wording.Default{Word: declared}); {
	case moved && ch.New == nil:
		return rules.removed, "the default of {name}[ ({old})] moved into the description"
	case moved:
		return rules.added, "the default of {name}[ ({new})] moved into the schema"
	case sure && ch.New == nil:
		return rules.changed, "the default of {name} changed[ from {old}] to " + stated
	case sure:
		return rules.changed, "the default of {name} changed from " + stated + "[, to {new}]"
	}
	return "", ""
}

// defaultOf returns the default of the property that a change is about, in the new schema; nil if there is
// none.
func defaultOf(r *revision, ch *change) json.RawMessage {
	place := ch.NewPath
	if ch.Family == schema.FamilyRequired {
		place = rawjson.Join(place, "properties", ch.Name)
	}
	const hops = 8 // of references
	for range hops {
		if given := r.After.At(rawjson.Join(place, "default")); given != nil && string(given) != "null" {
			return given
		}
		target, _ := rawjson.Text(r.After.At(rawjson.Join(place, "$ref")))
		inside, local := strings.CutPrefix(target, "#")
		if !local {
			return nil
		}
		place = inside
	}
	return nil
}

// anyName reports whether additionalProperties is absent or says that anything goes.
func anyName(raw json.RawMessage) bool { return raw == nil || unconstrained(raw) }

// unionRule names a change of alternatives: where their number does not go with the effect, as when a union
// is new, by the effect alone.
func (r *revision) unionRule(ch *change) string {
	count := func(raw json.RawMessage) int {
		alternatives, err := rawjson.Elements(raw)
		return either(err == nil || raw == nil, len(alternatives), 1)
	}
	grew := cmp.Compare(count(ch.New), count(ch.Old))
	if ch.effect == widens && grew > 0 || ch.effect == narrows && grew < 0 {
		return r.valueRule(schema.FamilyUnion, ch.effect)
	}
	return r.valueRule(schema.FamilySchema, ch.effect)
}

// values returns what differs before and after: of one keyword, or objects of the keywords that differ
// together.
func (ch *change) values() (member string, old, new json.RawMessage) {
	if len(ch.Keywords) == 0 {
		return ch.Keyword, ch.Old, ch.New
	}
	before, after := ch.before(), ch.after()
	differing := kit.Filter(ch.Keywords,
		func(keyword string) bool { return !same(before[keyword], after[keyword]) })
	switch len(differing) {
	case 0:
		return ch.Keyword, ch.Old, ch.New
	case 1:
		return differing[0], before[differing[0]], after[differing[0]]
	}
	return "", before.only(differing), after.only(differing)
}
