package diff_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	second "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// TestComposedChangesHideNothing applies two to five changes to one input schema, several of them to its root
// object or to a shared definition, and asks independent validators with directed and random values that
// follow the old declaration. With the changes undone that have a finding, all values are accepted
// (docs/compatibility.md, section 1); a change without a finding breaks no value; and each witness is right
// before, wrong now, and wrong because of its change.
func TestComposedChangesHideNothing(t *testing.T) {
	victims := slices.DeleteFunc(realSchemas(t), func(v *victim) bool { return v.keyword != "inputSchema" })
	random := rand.New(rand.NewPCG(*seed, 7))
	seen := map[string]int{}
	for done := range *compositions {
		v := victims[random.IntN(len(victims))].shared(t, random)
		c := composition{victim: v, chosen: v.choose(random), compiled: map[string]*jsonschema.Schema{}}
		c.check(t, random, seen)
		if t.Failed() {
			t.Fatalf("after %d compositions", done)
		}
	}
	t.Logf("%d compositions of %d schemas: %v", *compositions, len(victims), seen)
	if seen["witnesses"] == 0 || seen["values"] == 0 {
		t.Error("nothing was checked")
	}
}

// TestAcceptedChangesHideNothing takes some of the changes over into the old schema, as accept does, or
// undoes them in the new one: of those that are left, the same must hold as of all together.
func TestAcceptedChangesHideNothing(t *testing.T) {
	victims := slices.DeleteFunc(realSchemas(t), func(v *victim) bool { return v.keyword != "inputSchema" })
	random := rand.New(rand.NewPCG(*seed, 8))
	seen := map[string]int{}
	for done := range *compositions {
		v := victims[random.IntN(len(victims))].shared(t, random)
		accepted, left := []*mutation{}, []*mutation{}
		for _, m := range v.choose(random) {
			if random.IntN(2) == 0 {
				accepted = append(accepted, m)
			} else {
				left = append(left, m)
			}
		}
		w := *v
		w.schema = v.with(t, accepted...)
		if properties, ok := decode(t, string(w.schema))["properties"].(map[string]any); !ok || len(properties) == 0 {
			continue
		}
		left = slices.DeleteFunc(left, func(m *mutation) bool { return !applies(t, w.schema, m) })
		c := composition{victim: &w, chosen: left, compiled: map[string]*jsonschema.Schema{}}
		c.check(t, random, seen)
		if t.Failed() {
			t.Fatalf("after %d compositions, with %s accepted", done, v.describe(accepted))
		}
	}
	t.Logf("%d compositions: %v", *compositions, seen)
	if seen["witnesses"] == 0 || seen["values"] == 0 {
		t.Error("nothing was checked")
	}
}

// applies reports whether the member that a change is about is still there, or the change brings it.
func applies(t *testing.T, schema json.RawMessage, m *mutation) bool {
	_, there := decode(t, string(schema))["properties"].(map[string]any)[m.member]
	return there || m.member == "" || strings.HasPrefix(m.name, "added")
}

// shared returns the schema with one of its texts as a definition that a second argument uses, too.
func (v *victim) shared(t *testing.T, random *rand.Rand) *victim {
	t.Helper()
	root := decode(t, string(v.schema))
	properties := root["properties"].(map[string]any)
	if random.IntN(3) > 0 || root["$defs"] != nil {
		return v
	}
	root["$defs"] = map[string]any{"Shared": map[string]any{"type": "string", "maxLength": json.Number("9")}}
	properties["zzFrom"], properties["zzTo"] = map[string]any{"$ref": "#/$defs/Shared"}, map[string]any{"$ref": "#/$defs/Shared"}
	w := *v
	w.schema, w.mutations = encode(t, root), maps.Clone(v.mutations)
	definition := func(edit func(map[string]any)) func(map[string]any) {
		return func(root map[string]any) { edit(root["$defs"].(map[string]any)["Shared"].(map[string]any)) }
	}
	w.mutations["zzFrom"] = []*mutation{
		{member: "zzFrom", name: "shared, longer", apply: definition(func(m map[string]any) { m["minLength"] = json.Number("2") })},
		{member: "zzFrom", name: "shared, open", apply: definition(func(m map[string]any) { delete(m, "maxLength") })},
		{member: "zzFrom", name: "shared, a number", apply: definition(func(m map[string]any) {
			replace(m, map[string]any{"type": "number"})
		})},
	}
	w.members = append(slices.Clone(v.members), "zzFrom")
	return &w
}

// choose takes changes of different members, and some of the root.
func (v *victim) choose(random *rand.Rand) []*mutation {
	var chosen []*mutation
	for _, i := range random.Perm(len(v.members))[:min(len(v.members), 1+random.IntN(4))] {
		name := v.members[i]
		of := v.mutations[name]
		if !strings.HasPrefix(name, "zz") && random.IntN(3) == 0 {
			of = rootMutations(name)
		}
		chosen = append(chosen, of[random.IntN(len(of))])
	}
	closed := &mutation{member: "", name: "closed", apply: func(root map[string]any) { root["additionalProperties"] = false }}
	fewer := &mutation{member: "", name: "fewer members", apply: func(root map[string]any) { root["maxProperties"] = json.Number("2") }}
	switch random.IntN(3) {
	case 0:
		return append(chosen, closed)
	case 1:
		return append(chosen, fewer)
	}
	return chosen
}

// rootMutations change the root object by what becomes of one member.
func rootMutations(name string) []*mutation {
	return []*mutation{
		{member: name, name: "gone", apply: func(root map[string]any) {
			delete(root["properties"].(map[string]any), name)
			release(root, name)
		}},
		{member: name, name: "renamed", apply: func(root map[string]any) {
			properties := root["properties"].(map[string]any)
			properties[name+"New"] = properties[name]
			delete(properties, name)
			if isRequired(root, name) {
				release(root, name)
				require(root, name+"New")
			}
		}},
		{member: name, name: "required", apply: func(root map[string]any) {
			if !isRequired(root, name) {
				require(root, name)
			}
		}},
	}
}

// A composition is some changes of one schema.
type composition struct {
	*victim
	chosen   []*mutation
	compiled map[string]*jsonschema.Schema
}

func (c composition) accepts(t *testing.T, value json.RawMessage, changes ...*mutation) bool {
	t.Helper()
	raw := c.with(t, changes...)
	if c.compiled[string(raw)] == nil {
		c.compiled[string(raw)] = compile(t, raw)
	}
	return fits(t, c.compiled[string(raw)], value)
}

func (c composition) without(some ...*mutation) []*mutation {
	return slices.DeleteFunc(slices.Clone(c.chosen), func(m *mutation) bool { return slices.Contains(some, m) })
}

func (c composition) check(t *testing.T, random *rand.Rand, seen map[string]int) {
	t.Helper()
	after := c.with(t, c.chosen...)
	found := c.compare(t, after)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s\n %s\n→%s\n%s\n"+format, append([]any{c.describe(c.chosen), c.schema, after, strings.Join(told(found), "\n")},
			args...)...)
	}
	var settled []*mutation
	for _, f := range found {
		if f.Level != finding.Breaking && f.Witness == nil && !strings.HasSuffix(f.Rule, "-unproven") {
			continue
		}
		by := c.by(f)
		settled = append(settled, by...)
		if f.Witness == nil {
			continue
		}
		seen["witnesses"]++
		if !c.accepts(t, f.Witness) || c.accepts(t, f.Witness, c.chosen...) {
			fail("%s: the witness %s was right: %v, is right: %v", f.Rule, f.Witness, c.accepts(t, f.Witness),
				c.accepts(t, f.Witness, c.chosen...))
		}
		if was, is, known := secondly(c.schema, after, f.Witness); known && (!was || is) {
			fail("%s: a second validator says of %s that it was right: %v, is right: %v", f.Rule, f.Witness, was, is)
		}
		if len(by) > 0 && !strings.Contains(f.Message, "unknown arguments are now rejected") &&
			!slices.ContainsFunc(by, func(m *mutation) bool {
				return !c.accepts(t, f.Witness, m) || c.accepts(t, f.Witness, c.without(m)...)
			}) {
			fail("%s: %s does not show that this change breaks", f.Rule, f.Witness)
		}
	}
	made := c.together(t, after)
	for _, value := range c.values(t, random) {
		if accepted, sure := made.Accepts(decoded(t, value)); sure && accepted != c.accepts(t, value, c.chosen...) {
			fail("the old schema with all edits accepts %s: %v", value, accepted)
			return
		}
		if !c.accepts(t, value) {
			continue
		}
		seen["values"]++
		if !c.accepts(t, value, c.without(settled...)...) {
			fail("%s is refused with everything undone that has a finding", value)
			return
		}
		if c.accepts(t, value, c.chosen...) {
			continue
		}
		for _, m := range c.without(settled...) {
			if m.name != "closed" && c.accepts(t, value, c.without(m)...) { // the closing is judged with its arguments restored
				fail("%s is refused because of %s %s, which has no finding", value, m.member, m.name)
				return
			}
		}
	}
}

// together returns the old schema with all edits, which is the new schema in other words.
func (c composition) together(t *testing.T, after json.RawMessage) *schema.Schema {
	t.Helper()
	old, err1 := schema.Parse(c.schema)
	new, err2 := schema.Parse(after)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	r := schema.Compare(t.Context(), old, new, schema.Budget{})
	all := make([]int, len(r.Edits))
	for i := range all {
		all[i] = i
	}
	return r.With(all...)
}

func decoded(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	value, err := rawjson.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// by returns the changes that a finding is about.
func (c composition) by(f finding.Finding) (by []*mutation) {
	steps := strings.Split(f.Path+"///", "/")
	for _, m := range c.chosen {
		switch {
		case m.member == "" && len(strings.Split(f.Path, "/")) == 2:
			named := map[string]string{"closed": "additional-properties", "fewer members": "size"}[m.name]
			if strings.Contains(f.Rule, named) || strings.Contains(f.Rule, "-schema-") {
				by = append(by, m)
			}
		case m.member != "" && steps[2] == "properties" &&
			(steps[3] == m.member || steps[3] == m.member+"New" || strings.HasPrefix(m.name, "shared") && steps[3] == "zzTo"):
			by = append(by, m)
		}
	}
	return by
}

// values are objects with members that the old schema declares: each changed member with values that show its
// limits, and random ones.
func (c composition) values(t *testing.T, random *rand.Rand) []json.RawMessage {
	t.Helper()
	root := decode(t, string(c.schema))
	properties := root["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(properties))
	base := map[string]any{}
	for _, name := range names {
		if isRequired(root, name) {
			base[name] = likely(properties[name], random)
		}
	}
	values := []json.RawMessage{encode(t, base)}
	put := func(name string, value any) {
		if _, declared := properties[name]; declared {
			with := maps.Clone(base)
			with[name] = value
			values = append(values, encode(t, with))
		}
	}
	for _, m := range c.chosen {
		if inner, ok := properties[m.member]; ok {
			for _, value := range candidates(inner) {
				put(m.member, value)
			}
		}
	}
	put("zzTo", "a")
	for range 12 {
		some := maps.Clone(base)
		for _, name := range names {
			if random.IntN(3) == 0 {
				of := candidates(properties[name])
				some[name] = of[random.IntN(len(of))]
			}
		}
		values = append(values, encode(t, some))
	}
	return values
}

func likely(schema any, random *rand.Rand) any {
	of := candidates(schema)
	return of[random.IntN(min(len(of), 2))]
}

// candidates are values of a member, those first that its schema is likely to accept.
func candidates(schema any) []any {
	o, _ := schema.(map[string]any)
	out, _ := o["enum"].([]any)
	out = slices.Clone(out)
	kind, _ := o["type"].(string)
	if list, ok := o["type"].([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	numbers := []any{json.Number("1"), json.Number("8"), json.Number("0"), json.Number("-1"), json.Number("0.5"), json.Number("1000")}
	texts := []any{"a", "bb", "", "A b", "2024-01-01", "https://example.com", strings.Repeat("x", 40)}
	switch kind {
	case "integer", "number":
		out = append(out, numbers...)
	case "boolean":
		out = append(out, true, false)
	case "array":
		out = append(out, []any{}, []any{"a"}, []any{"a", "b", "c"}, []any{json.Number("1")}, []any{map[string]any{}})
	case "object":
		if out = append(out, map[string]any{}); o["properties"] == nil { // no name is declared
			out = append(out, map[string]any{"key": "a"})
		}
	case "string":
		out = append(out, texts...)
	default:
		out = append(append(out, texts...), numbers...)
		out = append(out, true, []any{}, map[string]any{}, map[string]any{"k": "x"}, map[string]any{"k": "y"})
	}
	return append(out, nil)
}

// secondly asks a second validator about a value; known is false where it cannot read one of the schemas.
func secondly(old, new, value json.RawMessage) (was, is, known bool) {
	var answers []bool
	for _, raw := range []json.RawMessage{old, new} {
		var s second.Schema
		if json.Unmarshal(raw, &s) != nil {
			return false, false, false
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			return false, false, false
		}
		var v any
		if json.Unmarshal(value, &v) != nil {
			return false, false, false
		}
		answers = append(answers, resolved.Validate(v) == nil)
	}
	return answers[0], answers[1], true
}
