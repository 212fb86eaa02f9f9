package schema

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A base class is written as an arm of allOf, or as a reference beside properties. A member that moves from
// one arm to another is still the same member, and an arm that is closed refuses the members of all others.
// So the members of an object, what it requires and whether it is closed are read over all arms together: the
// schema is compared in other words for the same.

// maxArmNames bounds the names that the arms of a schema have together.
const maxArmNames = 20_000

// joinArms returns both schemas with the arms of objects joined. If one of them is too large, both stay as
// they are.
func joinArms(ctx context.Context, before, after *Schema, pool *Pool) (old, new *Schema) {
	old, whole := joined(ctx, before, after, pool)
	if new, also := joined(ctx, after, before, pool); whole && also {
		return old, new
	}
	return before, after
}

// joined returns a schema with the arms of objects joined, but for those that the other version combines in
// another way; false where they cannot be.
func joined(ctx context.Context, s, other *Schema, pool *Pool) (*Schema, bool) {
	switch {
	case !slices.ContainsFunc([]string{"allOf", "anyOf", "oneOf", "$ref"},
		func(k string) bool { return bytes.Contains(s.raw, []byte(`"`+k+`"`)) }):
		return s, true
	case len(s.doc.roots) > 1, bytes.Contains(s.raw, []byte("/allOf/")), // a reference may lead into an arm
		bytes.Contains(s.raw, []byte("ynamicRef")):
		return s, false
	}
	j := &joiner{doc: s.doc, left: maxArmNames,
		unions: !bytes.Contains(s.raw, []byte("/anyOf/0")) && !bytes.Contains(s.raw, []byte("/oneOf/0"))}
	root := j.visit(s.doc.root, other.doc.root)
	if !j.found || j.left < 0 {
		return s, j.left >= 0
	}
	new, err := ParseWithin(ctx, rawOf(root), pool)
	if err != nil || new.doc == nil {
		return s, false
	}
	return new, true
}

// A joiner rewrites the objects of a document.
type joiner struct {
	doc    *document
	left   int  // of maxArmNames
	unions bool // a union of one counts as an arm
	found  bool // something was joined
}

// visit returns a schema in which the arms of all objects are joined, those of the outer ones first. other is
// the schema at the same place of the other version.
func (j *joiner) visit(v, other any) any {
	o, isObject := v.(map[string]any)
	if !isObject || j.left < 0 {
		return v
	}
	out := maps.Clone(o)
	there, _ := other.(map[string]any)
	if arms, rest, ok := j.armsOf(o); ok && !recombined(o, there) {
		out, j.found = j.join(o, arms, rest), true
	}
	for keyword, value := range out {
		subs := Subschemas(keyword, value)
		if len(subs) == 0 {
			continue
		}
		others := map[string]any{}
		for _, sub := range Subschemas(keyword, there[keyword]) {
			others[rawjson.Join("", sub.Steps...)] = sub.Value
		}
		inner := kit.Map(subs, func(sub Subschema) any {
			return j.visit(sub.Value, others[rawjson.Join("", sub.Steps...)])
		})
		switch _, isList := value.([]any); {
		case subs[0].Steps == nil:
			out[keyword] = inner[0]
		case isList:
			out[keyword] = inner
		default:
			table := make(map[string]any, len(subs))
			for i, sub := range subs {
				table[sub.Steps[0]] = inner[i]
			}
			out[keyword] = table
		}
	}
	return out
}

// combinators are the keywords with a list of schemas about the same value.
var combinators = []string{"allOf", "anyOf", "oneOf"}

// recombined reports whether two objects combine the same schemas, or some of them, in another way: each has
// one list, and all members of the shorter one are in the other. That is one change of the combination, and
// none of the members.
func recombined(x, y map[string]any) bool {
	only := func(o map[string]any) (keyword string, members []string) {
		for _, k := range combinators {
			list, _ := o[k].([]any)
			if len(list) > 0 && keyword != "" {
				return "", nil
			} else if len(list) > 0 {
				keyword, members = k, kit.Map(list, canonical)
			}
		}
		return keyword, members
	}
	a, before := only(x)
	b, after := only(y)
	if a == "" || b == "" || a == b && (a == "allOf" || len(before) == len(after)) {
		return false
	}
	if len(before) > len(after) {
		before, after = after, before
	}
	known := kit.Set(after)
	return !slices.ContainsFunc(before, func(member string) bool { return !known[member] })
}

// shareArms makes one edit of what is the same change of a definition in several objects that it is an arm
// of: a member that it gained or lost, or requires or no longer does.
func (c *comparison) shareArms(old, new *document) {
	leaders := map[string]int{}
	kept := c.edits[:0]
	for _, e := range c.edits {
		key := c.armOf(e, old, new)
		if i, known := leaders[key]; known && key != "" {
			kept[i].alsoIn(e.Instance)
			kept[i].same = append(kept[i].same, e)
			continue
		}
		leaders[key] = len(kept)
		kept = append(kept, e)
	}
	c.edits = kept
}

// armOf names the definition, as written on both sides, that an edit of a member comes from, and the edit;
// empty if it comes from none.
func (c *comparison) armOf(e Edit, old, new *document) string {
	if e.at == nil || e.Family != FamilyProperty && e.Family != FamilyRequired {
		return ""
	}
	arms := func(doc *document, place string) (all []site) {
		value, _ := rawjson.At(doc.root, place)
		at := site{doc, place, value}
		for _, arm := range append(at.list("allOf"), at) {
			if target, refers := arm.follow(); refers {
				all = append(all, target)
			}
		}
		return all
	}
	holds := func(s site) (there, required bool) {
		names, _ := stringList(s.keywords()["required"])
		table, _ := s.keywords()["properties"].(map[string]any)
		_, there = table[e.Name]
		return there, slices.Contains(names, e.Name)
	}
	after := arms(new, e.at.new.place)
	for _, was := range arms(old, e.at.old.place) {
		there, required := holds(was)
		for _, is := range after {
			still, demanded := holds(is)
			if c.spend(64) || was.place != is.place || there == still && required == demanded {
				continue
			}
			return fmt.Sprintf("%s %s %s %t %t", was.place, e.Family, e.Name, e.Old == nil, e.Required)
		}
	}
	return ""
}

// An arm is what one part of an object says of its members.
type arm struct {
	referred   bool // the members are references to those of a definition
	properties map[string]any
	required   []string
	additional any
	restricts  bool // additional is there
	typed      bool
	notes      map[string]any
}

// armsOf returns the arms of an object, itself first, and the members of allOf that say more than an arm may.
func (j *joiner) armsOf(o map[string]any) (arms []arm, rest []any, ok bool) {
	list := j.members(o)
	kind := j.doc.owner("").dialect
	_, refers := o["$ref"].(string)
	if refers && kind.refAlone() || o["patternProperties"] != nil ||
		o["type"] != nil && o["type"] != "object" ||
		len(list) == 0 && !(refers && hasAny(o, "properties", "required", "additionalProperties")) {
		return nil, nil, false
	}
	own, fits := j.own(o)
	if !fits {
		return nil, nil, false
	}
	arms = []arm{own}
	if refers {
		target, simple := j.simple(map[string]any{"$ref": o["$ref"]}, map[string]bool{})
		if arms = append(arms, target...); !simple {
			return nil, nil, false
		}
	}
	for _, member := range list {
		if more, simple := j.simple(member, map[string]bool{}); simple {
			arms = append(arms, more...)
		} else {
			rest = append(rest, member)
		}
	}
	wraps := len(arms) == 2 && len(rest) == 0 && len(o) == len(own.notes)+1 // and is unwrapped later
	return arms, rest, !wraps && slices.ContainsFunc(arms[1:], func(a arm) bool {
		return len(a.properties)+len(a.required) > 0 || a.restricts
	})
}

// members returns the members of allOf, and the only one of a union: that one holds, too.
func (j *joiner) members(o map[string]any) []any {
	list, _ := o["allOf"].([]any)
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if value := o[keyword]; j.single(keyword, value) {
			list = append(slices.Clip(list), value.([]any)[0])
		}
	}
	return list
}

// single reports whether a keyword is a union of one that counts as an arm.
func (j *joiner) single(keyword string, value any) bool {
	only, _ := value.([]any)
	return j.unions && len(only) == 1 && (keyword == "anyOf" || keyword == "oneOf")
}

// own reads what an object says of its members by itself.
func (j *joiner) own(o map[string]any) (arm, bool) {
	a := arm{notes: map[string]any{}, typed: o["type"] == "object"}
	if v, there := o["properties"]; there {
		table, isTable := v.(map[string]any)
		if a.properties = table; !isTable {
			return a, false
		}
	}
	if v, there := o["required"]; there {
		names, isList := stringList(v)
		if a.required = names; !isList {
			return a, false
		}
	}
	a.additional, a.restricts = o["additionalProperties"]
	for keyword, value := range o {
		if _, note := annotations[keyword]; note {
			a.notes[keyword] = value
		}
	}
	j.left -= len(a.properties) + len(a.required) + 1
	return a, j.left >= 0
}

// simple returns the arms that a member of allOf is, if it says nothing but what members an object has.
func (j *joiner) simple(v any, seen map[string]bool) ([]arm, bool) {
	o, isObject := v.(map[string]any)
	if !isObject || o["type"] != nil && o["type"] != "object" {
		return nil, false
	}
	var arms []arm
	kind := j.doc.owner("").dialect
	if ref, refers := o["$ref"].(string); refers {
		doc, place, _, found := j.doc.resolve(ref, j.doc.owner(""))
		if !found || doc != j.doc || seen[place] {
			return nil, false
		}
		seen[place] = true
		target, _ := rawjson.At(doc.root, place)
		inner, simple := j.simple(target, seen)
		delete(seen, place)
		if !simple {
			return nil, false
		}
		if len(inner) == 1 && !inner[0].referred {
			inner[0] = inner[0].at(place)
		}
		if arms = inner; kind.refAlone() {
			return arms, true
		}
	}
	for keyword, value := range o {
		_, note := annotations[keyword]
		if j.single(keyword, value) {
			continue
		}
		switch keyword {
		case "type", "properties", "required", "additionalProperties", "allOf", "$ref", "$defs",
			"definitions", "$schema":
		default:
			if !note {
				return nil, false
			}
		}
	}
	own, fits := j.own(o)
	if !fits {
		return nil, false
	}
	if len(own.properties)+len(own.required) > 0 || own.restricts || own.typed || len(arms) == 0 {
		arms = append(arms, own)
	}
	for _, member := range j.members(o) {
		more, simple := j.simple(member, seen)
		if arms = append(arms, more...); !simple {
			return nil, false
		}
	}
	return arms, true
}

// at returns an arm that is a definition, with its members as references to it: a change in one of them is
// one change, wherever the definition is an arm.
func (a arm) at(place string) arm {
	a.referred = true
	refer := func(at ...string) any {
		return map[string]any{"$ref": (&url.URL{Fragment: rawjson.Join(place, at...)}).String()}
	}
	table := map[string]any{}
	for name, value := range a.properties {
		if table[name] = value; !refusing(value) {
			table[name] = refer("properties", name)
		}
	}
	if a.properties = table; a.restricts && !refusing(a.additional) && !unrestricted(a.additional) {
		a.additional = refer("additionalProperties")
	}
	return a
}

// join returns an object that says what all of its arms say.
func (j *joiner) join(o map[string]any, arms []arm, rest []any) map[string]any {
	out := maps.Clone(o)
	for _, keyword := range []string{"allOf", "$ref", "properties", "required", "additionalProperties"} {
		delete(out, keyword)
	}
	maps.DeleteFunc(out, j.single)
	if len(rest) > 0 {
		out["allOf"] = rest
	}
	var names, required []string
	var others []any
	restricts := false
	for _, a := range arms {
		names, required = append(names, kit.SortedKeys(a.properties)...), append(required, a.required...)
		if restricts = restricts || a.restricts; a.restricts && !unrestricted(a.additional) {
			others = append(others, a.additional)
		}
		if a.typed {
			out["type"] = "object"
		}
	}
	joinNotes(out, arms)
	additional := conjunction(others)
	if restricts {
		out["additionalProperties"] = additional
	}
	properties := map[string]any{}
	for _, name := range sortedNames(names) {
		var parts []any
		for _, a := range arms {
			if value, there := a.properties[name]; there {
				parts = append(parts, value)
			} else if a.restricts && !unrestricted(a.additional) {
				parts = append(parts, a.additional)
			}
		}
		if value := conjunction(parts); !refusing(value) || !refusing(additional) {
			properties[name] = value
		}
	}
	j.left -= len(names)
	if len(properties) > 0 || len(names) > 0 {
		out["properties"] = properties
	}
	if len(required) > 0 {
		out["required"] = asAny(sortedNames(required))
	}
	return out
}

// joinNotes adds the annotations of arms to an object that lacks them, and all of their descriptions.
func joinNotes(out map[string]any, arms []arm) {
	var texts []string
	for _, a := range arms {
		for keyword, note := range a.notes {
			if _, there := out[keyword]; !there && keyword != "description" {
				out[keyword] = note
			}
		}
		if text, is := a.notes["description"].(string); is && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) > 0 {
		out["description"] = strings.Join(texts, "\n\n")
	}
}

// conjunction returns the schema that says what all of some schemas say.
func conjunction(parts []any) any {
	distinct := kit.Distinct(kit.Map(parts, canonical))
	switch {
	case len(parts) == 0:
		return true
	case slices.ContainsFunc(parts, refusing):
		return false
	case len(distinct) == 1:
		return parts[0]
	}
	return map[string]any{"allOf": parts}
}
