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

// remarkRules are the rules for changes that say nothing of values. One that ends in "-" has a rule each for
// what was added, removed and changed.
var remarkRules = map[schema.Family]string{
	schema.FamilyAccess:     "access-changed",
	schema.FamilyContent:    "content-changed",
	schema.FamilyDefault:    "default-",
	schema.FamilyDeprecated: "property-deprecation-changed",
	schema.FamilyDialect:    "schema-dialect-changed",
	schema.FamilyExamples:   "examples-changed",
	schema.FamilyFormat:     "format-",
	schema.FamilyTitle:      "property-title-changed",
	schema.FamilyUnknown:    "keyword-changed",
}

// suffix returns the rule of a change without its direction; empty if another part of the comparison reports
// it.
func (r *revision) suffix(ch *change) string {
	remark := remarkRules[ch.Family]
	if strings.HasSuffix(remark, "-") {
		remark += became(ch.Old == nil, ch.New == nil)
	}
	switch ch.Family {
	case schema.FamilyAccess, schema.FamilyDeprecated:
		return either(isTrue(ch.Old) == isTrue(ch.New), "", remark)
	case schema.FamilyDefault:
		rule, _ := ch.movedDefault()
		return cmp.Or(rule, remark)
	case schema.FamilyDescription:
		if was, is := ch.documentedDefaults(); was != is && r.direction == finding.Input {
			return "documented-default-changed"
		}
		old, _ := rawjson.Text(ch.Old)
		new, _ := rawjson.Text(ch.New)
		became := textBecame(old, new)
		return either(became == "", "", "property-description-"+became)
	case schema.FamilyUnknown:
		return either(r.modern && ch.Keyword == headerKeyword, "", remark)
	case schema.FamilyProperty:
		switch {
		case ch.successor != nil:
			return "property-renamed"
		case ch.New == nil:
			return "property-removed"
		case ch.Required:
			return "required-property-added" + r.withDefault(ch)
		}
		return "optional-property-added"
	case schema.FamilyRequired:
		if ch.New == nil {
			return "property-became-optional"
		}
		return "property-became-required" + r.withDefault(ch)
	case schema.FamilyEnum:
		switch {
		case ch.Old == nil || ch.New == nil:
			return "enum-" + became(ch.Old == nil, ch.New == nil)
		case len(ch.Removed) == 0:
			return "enum-value-added"
		case len(ch.Added) == 0:
			return "enum-value-removed"
		}
		return "const-changed"
	case schema.FamilyAdditional:
		switch {
		case schema.RefusesAll(ch.New):
			return "additional-properties-closed"
		case schema.RefusesAll(ch.Old):
			return "additional-properties-opened"
		// a model has become a map
		case !ch.breaks() && anyName(ch.Old) && !anyName(ch.New) &&
			r.After.At(ch.NewPath+"/properties") == nil:
			return "additional-properties-opened"
		}
		widened := ch.effect == widens || ch.effect == moves && r.direction == finding.Output
		return "additional-properties-" + either(widened, "widened", "narrowed")
	case schema.FamilyUnion:
		return ch.unionRule()
	}
	return cmp.Or(remark, r.oftenBreaks(ch), effectRule(ch.Family, ch.effect))
}

// withDefault returns the end of the rule about an argument that must be there now, and that a server can
// fill in.
func (r *revision) withDefault(ch *change) string {
	return either(r.direction == finding.Input && defaultOf(r, ch) != nil, "-with-default", "")
}

// oftenBreaks returns the rule for what makes most breaks of real releases, so that a project can lower it: a
// new lower bound of 0 or 1, and integers in place of numbers.
func (r *revision) oftenBreaks(ch *change) string {
	if r.direction == finding.Output || !ch.breaks() {
		return ""
	}
	if ch.Family == schema.FamilyType && len(ch.Removed) == 1 && string(ch.Removed[0]) == `"fraction"` {
		return "fractions-rejected"
	}
	if ch.Family == schema.FamilyRange && ch.Keywords[0] == "minimum" && ch.Old == nil {
		after := ch.after()
		lower := cmp.Or(string(after["minimum"]), string(after["exclusiveMinimum"]))
		return either(lower == "0" || lower == "1", "lower-bound-added", "")
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
func (ch *change) movedDefault() (suffix, message string) {
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
	switch moved := all[0].Same(wording.Default{Word: declared}); {
	case moved && ch.New == nil:
		return "default-removed", "the default of {name}[ ({old})] moved into the description"
	case moved:
		return "default-added", "the default of {name}[ ({new})] moved into the schema"
	case sure && ch.New == nil:
		return "default-changed", "the default of {name} changed[ from {old}] to " + stated
	case sure:
		return "default-changed", "the default of {name} changed from " + stated + "[, to {new}]"
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
func (ch *change) unionRule() string {
	count := func(raw json.RawMessage) int {
		alternatives, err := rawjson.Elements(raw)
		return either(err == nil || raw == nil, len(alternatives), 1)
	}
	grew := cmp.Compare(count(ch.New), count(ch.Old))
	if ch.effect == widens && grew > 0 || ch.effect == narrows && grew < 0 {
		return effectRule(schema.FamilyUnion, ch.effect)
	}
	return effectRule(schema.FamilySchema, ch.effect)
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
