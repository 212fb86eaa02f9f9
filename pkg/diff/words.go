package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// acceptsMore is the cause of what lets callers send more than before.
const acceptsMore = "Arguments accept more"

// words returns the placeholders that the sentences of rules may contain, each followed by what takes its
// place.
func (r *revision) words(ch *change) []string {
	name := r.subject(ch.Instance)
	if inAlternative().MatchString(ch.Path) && !ch.union {
		name += " (in one alternative)"
	}
	words := []string{
		"name", name, "keyword", code(ch.Keyword), "constraint", code(ch.Keyword),
		"removed", briefly(ch.Removed), "added", briefly(ch.Added),
	}
	switch {
	case ch.Family == schema.FamilyProperty, ch.Family == schema.FamilyRequired:
		words = append(words, "default", brief(defaultOf(r, ch)))
	case limits[ch.Family] != "":
		words = append(words, "was", interval(ch.before(), ch.Keywords),
			"is", interval(ch.after(), ch.Keywords), "limit", limits[ch.Family])
	case ch.Family == schema.FamilyDeprecated:
		words = append(words, "deprecated", either(isTrue(ch.New), "now deprecated", "no longer deprecated"))
	case ch.Family == schema.FamilyDescription:
		was, is := ch.documentedDefaults()
		words = append(words, "was", was, "is", is)
	}
	if ch.successor != nil {
		words = append(words, "new", code(ch.successor.Name)+wording.CodePoints(ch.Name, ch.successor.Name))
	}
	return words
}

// limits names what a bound is of.
var limits = map[schema.Family]string{
	schema.FamilyRange:         "range",
	schema.FamilyLength:        "length",
	schema.FamilyItemCount:     "number of elements",
	schema.FamilyPropertyCount: "number of members",
}

// inAlternative is a place inside one member of a union.
var inAlternative = kit.Pattern(`/(anyOf|oneOf)/\d+(/|$)`)

// dotted writes a JSON pointer as people write a path.
var dotted = strings.NewReplacer("/", ".", "~1", "/", "~0", "~")

// subject returns the part of a call that an edit is about, in words: "`filter.tags[]`".
func (r *revision) subject(instance string) string {
	input := r.direction == finding.Input
	if instance == "" {
		return either(input, "the input", "the result")
	}
	name := strings.ReplaceAll(instance[1:]+"/", "/[]", "[]")
	name = dotted.Replace(strings.TrimSuffix(name, "/"))
	return code(name) + either(input, "", " in the result")
}

// anotherGenerator is the cause of what changes with the library that writes a server's schemas.
const anotherGenerator = "Schemas come from a different generator; callers are unaffected"

// fromGenerator reports whether a harmless change comes with the library that writes a server's schemas. Some
// write out the integers that every reader knows exactly (RFC 7493 section 2.2).
func fromGenerator(r *revision, ch *change) bool {
	switch ch.Family {
	case schema.FamilyRange:
		return r.direction == finding.Input && ch.effect == narrows
	case schema.FamilyAdditional, schema.FamilyReference, schema.FamilyUnevaluated:
		return slices.ContainsFunc(r.Edits,
			func(e schema.Edit) bool { return e.Family == schema.FamilyDialect })
	}
	return false
}

// interval returns the bounds of a schema, in words.
func interval(v view, keywords []string) string {
	var least, most []string
	for _, keyword := range keywords {
		value := string(v[keyword])
		switch {
		case value == "":
		case keyword == "exclusiveMinimum":
			least = append(least, "more than "+value)
		case keyword == "exclusiveMaximum":
			most = append(most, "less than "+value)
		case strings.HasPrefix(keyword, "min"):
			least = append(least, "at least "+value)
		default:
			most = append(most, "at most "+value)
		}
	}
	return cmp.Or(strings.Join(append(least, most...), " and "), "no limit")
}
