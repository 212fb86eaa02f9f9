package diff_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

var (
	compositions = flag.Int("compositions", tenth(300), "how many composed changes of real tools are compared")
	seed         = flag.Uint64("seed", 1, "of the composed changes")
)

// full makes seeded and corpus-wide properties run in full: make test-full sets it, make test runs a tenth.
var full = os.Getenv("MCPCTL_FULL") != ""

// tenth returns n, and a tenth of it in make test.
func tenth(n int) int {
	if full {
		return n
	}
	return max(n/10, 1)
}

// A mutation changes one member of the input or output schema of a tool.
type mutation struct {
	member, name string
	apply        func(root map[string]any)
	alone        []string           // what is reported of it when nothing else changed
	validator    *jsonschema.Schema // of the schema with it alone
}

// A victim is one schema of a real tool, with what can be done to its members.
type victim struct {
	name, keyword string
	schema        json.RawMessage
	members       []string
	mutations     map[string][]*mutation // by member
	validator     *jsonschema.Schema
}

// TestComposedChangesAreReportedLikeSingleOnes changes two to four members of a real tool at once: what is reported
// is what is reported of each change alone, at the same level, and each witness shows its own change.
func TestComposedChangesAreReportedLikeSingleOnes(t *testing.T) {
	victims := realSchemas(t)
	random := rand.New(rand.NewPCG(*seed, 0))
	checked := map[string]int{}
	for done := range *compositions {
		v := victims[random.IntN(len(victims))]
		var chosen []*mutation
		for _, i := range random.Perm(len(v.members))[:min(len(v.members), 2+random.IntN(3))] {
			of := v.mutations[v.members[i]]
			chosen = append(chosen, of[random.IntN(len(of))])
		}
		v.judge(t, chosen, checked)
		if t.Failed() {
			t.Fatalf("after %d compositions", done)
		}
	}
	t.Logf("%d compositions of %d schemas: %v", *compositions, len(victims), checked)
	if checked["witness"] == 0 || checked["breaking"] == 0 {
		t.Error("nothing broke")
	}
}

// judge compares a schema with several changes at once to what is said of each alone.
func (v *victim) judge(t *testing.T, chosen []*mutation, checked map[string]int) {
	t.Helper()
	after := v.with(t, chosen...)
	found := v.compare(t, after)
	got, want := told(found), []string{}
	for _, m := range chosen {
		if m.alone == nil {
			alone := v.with(t, m)
			m.alone, m.validator = told(v.compare(t, alone)), compile(t, alone)
			if m.alone == nil {
				m.alone = []string{}
			}
		}
		want = append(want, m.alone...)
	}
	slices.Sort(want)
	if difference := cmp.Diff(slices.Compact(want), got); difference != "" {
		t.Errorf("%s\n %s\n→%s\nsays (-alone +composed):\n%s", v.describe(chosen), v.schema, after, difference)
		return
	}
	for _, f := range found {
		checked[f.Level.String()]++
		if f.Level == finding.Breaking && f.Witness == nil && f.Hint != "the example is too large to print" {
			t.Errorf("%s: %s has no witness: %s", v.describe(chosen), f.Rule, f.Hint)
		}
		if f.Witness != nil {
			checked["witness"]++
			v.confirm(t, f, chosen, after, checked)
		}
	}
}

// confirm asks an independent validator whether a witness shows the change at its place, and only that.
func (v *victim) confirm(t *testing.T, f finding.Finding, chosen []*mutation, after json.RawMessage, checked map[string]int) {
	t.Helper()
	place := strings.TrimPrefix(f.Pointer(), "/"+v.keyword+"/properties/")
	i := slices.IndexFunc(chosen, func(m *mutation) bool { return place == m.member || strings.HasPrefix(place, m.member+"/") })
	if i < 0 {
		t.Fatalf("%s: %s at %s belongs to no change", v.describe(chosen), f.Rule, f.Pointer())
	}
	from, to := v.validator, compile(t, after)
	others := slices.Delete(slices.Clone(chosen), i, i+1)
	with := func(changes ...*mutation) *jsonschema.Schema { return compile(t, v.with(t, changes...)) }
	alone, undone := chosen[i].validator, with
	if v.keyword == "outputSchema" { // there the old schema must take what the new one gives
		from, to, alone = to, from, with(others...)
		undone = func(kept ...*mutation) *jsonschema.Schema {
			return with(slices.DeleteFunc(slices.Clone(chosen), func(m *mutation) bool { return slices.Contains(kept, m) })...)
		}
	}
	if !fits(t, from, f.Witness) || fits(t, to, f.Witness) {
		t.Errorf("%s: %s does not show %s at %s: right before %v, right now %v",
			v.describe(chosen), f.Witness, f.Rule, f.Pointer(), fits(t, from, f.Witness), fits(t, to, f.Witness))
	}
	switch {
	case fits(t, undone(others...), f.Witness):
		checked["right once undone"]++
	case !fits(t, alone, f.Witness):
		checked["refused by one change alone"]++
	default:
		t.Errorf("%s: %s is right with the change at %s alone, and wrong still with it undone", v.describe(chosen), f.Witness, f.Pointer())
	}
}

func (v *victim) describe(chosen []*mutation) string {
	text := v.name + " " + v.keyword + ":"
	for _, m := range chosen {
		text += " " + m.member + " " + m.name + ","
	}
	return text
}

// with is the schema with changes.
func (v *victim) with(t *testing.T, changes ...*mutation) json.RawMessage {
	t.Helper()
	root := decode(t, string(v.schema))
	for _, m := range changes {
		m.apply(root)
	}
	raw, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func (v *victim) compare(t *testing.T, after json.RawMessage) []finding.Finding {
	t.Helper()
	surface := func(schema json.RawMessage) string {
		tool := `{"name":"t","inputSchema":` + string(schema) + `}`
		if v.keyword == "outputSchema" {
			tool = `{"name":"t","inputSchema":{"type":"object"},"outputSchema":` + string(schema) + `}`
		}
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[` + tool + `]}`
	}
	return compared(t, parse(t, surface(v.schema)), parse(t, surface(after)), diff.Options{})
}

func told(findings []finding.Finding) []string {
	lines := []string{}
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %s", f.Pointer(), f.Rule, f.Level))
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func compile(t *testing.T, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) {
		re, err := regexp2.Compile(text, regexp2.ECMAScript)
		return ecmaScript{re}, err
	})
	for _, format := range []string{"uri", "email", "uuid", "date-time", "date", "hostname", "ipv4", "regex", "uri-reference"} { // remarks
		compiler.RegisterFormat(&jsonschema.Format{Name: format, Validate: func(any) error { return nil }})
	}
	if err := compiler.AddResource("tool.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("tool.json")
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return schema
}

// ecmaScript is a pattern as the specification wants it read; Go's own have no lookahead.
type ecmaScript struct{ *regexp2.Regexp }

func (p ecmaScript) MatchString(s string) bool {
	matches, err := p.Regexp.MatchString(s)
	return err == nil && matches
}

func fits(t *testing.T, schema *jsonschema.Schema, value json.RawMessage) bool {
	t.Helper()
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(instance) == nil
}

// realSchemas are the schemas of real servers that have members to change.
func realSchemas(t *testing.T) []*victim {
	t.Helper()
	files, err := filepath.Glob("../../testdata/listings/*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d listings, %v", len(files), err)
	}
	var victims []*victim
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range parse(t, string(data)).Tools.Items() {
			for _, keyword := range []string{"inputSchema", "outputSchema"} {
				if v := newVictim(t, tool.Field(keyword)); v != nil {
					v.name, v.keyword = filepath.Base(file)+" "+tool.Key, keyword
					victims = append(victims, v)
				}
			}
		}
	}
	return victims
}

// newVictim is a schema with at least two members to change; nil for any other, and for one that refers to
// itself.
func newVictim(t *testing.T, raw json.RawMessage) *victim {
	t.Helper()
	if raw == nil || bytes.Contains(raw, []byte(`"$ref"`)) {
		return nil
	}
	v := &victim{schema: raw, mutations: map[string][]*mutation{}}
	properties, _ := decode(t, string(raw))["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		member, ok := properties[name].(map[string]any)
		if ok && !strings.ContainsAny(name, "/~") {
			v.mutations[name] = mutationsOf(name, member)
		}
	}
	if len(v.mutations) < 2 {
		return nil
	}
	root := decode(t, string(raw))
	for name, union := range unions(len(raw)) {
		member := decode(t, union)
		root["properties"].(map[string]any)[name] = member
		v.mutations[name] = append(unionMutations(name, member), mutationsOf(name, member)...)
	}
	v.schema = encode(t, root)
	for _, fresh := range []string{"zzLimit", "zzRegion"} {
		v.mutations[fresh] = additions(fresh)
	}
	v.members = slices.Sorted(maps.Keys(v.mutations))
	v.validator = compile(t, v.schema)
	return v
}

// unions are members that real schemas of this project lack: alternatives with null, as generators of OpenAPI 3.1
// write them.
func unions(n int) map[string]string {
	either := []string{
		`{"oneOf": [{"type": "string"}, {"type": "null"}]}`,
		`{"oneOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "null"}]}`,
		`{"oneOf": [{"type": "null"}, {"type": "string", "maxLength": 9}, {"type": "integer", "minimum": 1}]}`,
	}
	tagged := []string{
		`{"oneOf": [{"type": "object", "properties": {"k": {"const": "x"}}, "required": ["k"]}, {"type": "object", "properties": {"k": ` +
			`{"const": "y"}}, "required": ["k"]}, {"type": "null"}]}`,
		`{"anyOf": [{"type": "string", "minLength": 3}, {"type": "number"}, {"type": "null"}]}`,
		`{"type": ["string", "null"]}`,
		`{"anyOf": [{"type": "string"}, {"type": "null"}]}`,
	}
	return map[string]string{"zzEither": either[n%len(either)], "zzTagged": tagged[n%len(tagged)]}
}

// unionMutations change one alternative of a union, null, or the way in which it is written.
func unionMutations(name string, member map[string]any) []*mutation {
	var all []*mutation
	add := func(what string, edit func(member map[string]any, keyword string, list []any)) {
		all = append(all, &mutation{member: name, name: what, apply: func(root map[string]any) {
			m := root["properties"].(map[string]any)[name].(map[string]any)
			for _, keyword := range []string{"anyOf", "oneOf"} {
				if list, ok := m[keyword].([]any); ok {
					edit(m, keyword, list)
					return
				}
			}
			inner := maps.Clone(m)
			inner["type"] = "string"
			replace(m, map[string]any{})
			edit(m, "oneOf", []any{inner, map[string]any{"type": "null"}})
		}})
	}
	isNull := func(alternative any) bool { return alternative.(map[string]any)["type"] == "null" }
	others := func(list []any) []any { return slices.DeleteFunc(slices.Clone(list), isNull) }
	joins := func(what string, alternative func() map[string]any) {
		add(what, func(m map[string]any, keyword string, list []any) {
			m[keyword] = append(slices.Clone(list), alternative())
		})
	}
	joins("a list joins", func() map[string]any { return map[string]any{"type": "array"} })
	joins("a number joins", func() map[string]any { return map[string]any{"type": "number"} })
	joins("null joins", func() map[string]any { return map[string]any{"type": "null"} })
	joins("a type with null joins", func() map[string]any { return map[string]any{"type": []any{"array", "null"}} })
	add("null leaves", func(m map[string]any, keyword string, list []any) { m[keyword] = others(list) })
	add("only null stays", func(m map[string]any, keyword string, _ []any) { m[keyword] = []any{map[string]any{"type": "null"}} })
	add("the first other leaves", func(m map[string]any, keyword string, list []any) {
		m[keyword] = append(others(list)[1:], map[string]any{"type": "null"})
	})
	add("the first other is shorter", func(m map[string]any, keyword string, list []any) {
		first := maps.Clone(others(list)[0].(map[string]any))
		first["maxLength"], first["maximum"], first["maxProperties"] = json.Number("1"), json.Number("1"), json.Number("0")
		m[keyword] = append([]any{map[string]any{"type": "null"}, first}, others(list)[1:]...)
	})
	add("the other keyword", func(m map[string]any, keyword string, list []any) {
		delete(m, keyword)
		m[map[string]string{"anyOf": "oneOf", "oneOf": "anyOf"}[keyword]] = list
	})
	add("the other keyword, and a number", func(m map[string]any, keyword string, list []any) {
		delete(m, keyword)
		m[map[string]string{"anyOf": "oneOf", "oneOf": "anyOf"}[keyword]] = append(slices.Clone(list), map[string]any{"type": "number"})
	})
	add("a union in null", func(m map[string]any, keyword string, list []any) {
		delete(m, keyword)
		m["anyOf"] = []any{map[string]any{"type": "null"}, map[string]any{keyword: others(list)}}
	})
	add("not null beside", func(m map[string]any, keyword string, list []any) {
		m[keyword], m["not"] = list, map[string]any{"const": nil}
	})
	return all
}

// additions bring in a member that was not there.
func additions(name string) []*mutation {
	put := func(schema map[string]any, required bool) func(map[string]any) {
		return func(root map[string]any) {
			root["properties"].(map[string]any)[name] = schema
			if required {
				require(root, name)
			}
		}
	}
	text := func() map[string]any { return map[string]any{"type": "string", "description": "The " + name} }
	defaulted := text()
	defaulted["default"] = "all"
	return []*mutation{
		{member: name, name: "added", apply: put(text(), false)},
		{member: name, name: "added, required", apply: put(text(), true)},
		{member: name, name: "added, required, default", apply: put(defaulted, true)},
	}
}

func require(root map[string]any, name string) {
	required, _ := root["required"].([]any)
	root["required"] = append(slices.Clone(required), name)
}

func isRequired(root map[string]any, name string) bool {
	required, _ := root["required"].([]any)
	return slices.Contains(required, any(name))
}

func release(root map[string]any, name string) {
	if required, ok := root["required"].([]any); ok {
		root["required"] = slices.DeleteFunc(slices.Clone(required), func(other any) bool { return other == name })
	}
}

// mutationsOf are the changes that fit a member.
func mutationsOf(name string, member map[string]any) []*mutation {
	var all []*mutation
	add := func(what string, edit func(member map[string]any)) {
		all = append(all, &mutation{member: name, name: what, apply: func(root map[string]any) {
			edit(root["properties"].(map[string]any)[name].(map[string]any))
		}})
	}
	all = append(all,
		&mutation{member: name, name: "requirement turned", apply: func(root map[string]any) {
			if isRequired(root, name) {
				release(root, name)
			} else {
				require(root, name)
			}
		}},
		&mutation{member: name, name: "gone", apply: func(root map[string]any) {
			delete(root["properties"].(map[string]any), name)
			release(root, name)
		}},
	)
	add("described", func(m map[string]any) { m["description"] = "Something else." })
	add("replaced by a choice", func(m map[string]any) { replace(m, map[string]any{"enum": []any{"x", "y", nil}}) })
	add("null lost to a oneOf", func(m map[string]any) {
		replace(m, map[string]any{"oneOf": []any{map[string]any{"type": []any{"integer", "null"}}, map[string]any{"type": "null"}}})
	})
	add("a union", func(m map[string]any) {
		inner := maps.Clone(m)
		replace(m, map[string]any{"anyOf": []any{inner, map[string]any{"type": "integer", "minimum": 3}}})
	})
	add("wrapped", func(m map[string]any) {
		inner := maps.Clone(m)
		replace(m, map[string]any{"allOf": []any{inner}})
	})
	switch member["type"] {
	case "string":
		add("longer", func(m map[string]any) { m["minLength"] = json.Number("2") })
		add("a pattern", func(m map[string]any) { m["pattern"] = "^[a-z]+$" })
		add("nullable", func(m map[string]any) { m["type"] = []any{"string", "null"} })
		add("a number", func(m map[string]any) { replace(m, map[string]any{"type": "number"}) })
		if member["pattern"] == nil { // which the validator gives up on
			add("a high limit", func(m map[string]any) { m["maxLength"] = json.Number("70000") })
		}
		add("the keyword of a number", func(m map[string]any) { m["maximum"] = json.Number("3") })
	case "integer", "number":
		add("smaller", func(m map[string]any) { m["maximum"] = json.Number("7") })
		add("larger", func(m map[string]any) { delete(m, "minimum"); delete(m, "maximum") })
		add("text", func(m map[string]any) { replace(m, map[string]any{"type": "string"}) })
		add("the keyword of a text", func(m map[string]any) { m["maxLength"] = json.Number("3") })
	case "array":
		add("fewer", func(m map[string]any) { m["maxItems"] = json.Number("2") })
		add("a high limit", func(m map[string]any) { m["maxItems"] = json.Number("70000") })
		add("of booleans", func(m map[string]any) { m["items"] = map[string]any{"type": "boolean"} })
	case "object":
		add("closed", func(m map[string]any) { m["additionalProperties"] = false })
		add("asks for a key", func(m map[string]any) { require(m, "key") })
		add("in two arms", func(m map[string]any) {
			properties, _ := m["properties"].(map[string]any)
			first, second := map[string]any{}, map[string]any{}
			for name, property := range properties {
				[]map[string]any{first, second}[len(name)%2][name] = property
			}
			arms := []any{map[string]any{"properties": first}, map[string]any{"properties": second, "required": []any{"zzKey"}}}
			delete(m, "properties")
			m["allOf"] = arms
		})
	case "boolean":
		add("always true", func(m map[string]any) { m["const"] = true })
	}
	if choice, ok := member["enum"].([]any); ok && len(choice) > 1 {
		add("fewer choices", func(m map[string]any) { m["enum"] = choice[1:] })
		add("more choices", func(m map[string]any) { m["enum"] = append(slices.Clone(choice), "another one") })
	}
	return all
}

// replace makes another schema of one.
func replace(m, by map[string]any) {
	clear(m)
	maps.Copy(m, by)
}
