package usage

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// judge is the independent validator on whole values.
func judge(t *testing.T, raw string) func(value json.RawMessage) bool {
	t.Helper()
	raw = regexp.MustCompile(`"format":\s*"`).ReplaceAllString(raw, `"x-format":"`) // a remark, as everywhere here
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///s", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:///s")
	if err != nil {
		return nil // a schema that it does not read
	}
	return func(value json.RawMessage) bool {
		instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(value)))
		if err != nil {
			t.Fatal(err)
		}
		return compiled.Validate(instance) == nil
	}
}

// settled are the shapes that are kept of values that were sent to one tool.
func settled(values []json.RawMessage) []Shape {
	return settledOf(map[string][]json.RawMessage{"t": values}, nil)["t"]
}

// settledOf are the shapes that are kept of values that were sent to tools of one server.
func settledOf(values map[string][]json.RawMessage, known map[string]map[string]bool) map[string][]Shape {
	rs := NewRecords()
	for tool, of := range values {
		for n, v := range of { // an agent for each call tells them apart
			rs.Add(Call{Server: "s", Tool: tool, Agent: fmt.Sprint(n), Arguments: v}, Keep{Known: known[tool]}, now)
		}
	}
	rs.Settle(func(_, tool string) map[string]bool { return known[tool] })
	shapes := map[string][]Shape{}
	for tool, of := range values {
		shapes[tool] = make([]Shape, len(of))
	}
	for _, r := range rs.All() {
		n, _ := strconv.Atoi(r.Agent)
		shapes[r.Tool][n] = r.Arguments
	}
	return shapes
}

// TestShapesNeverContradict: for random schemas and values, what is said of the shape is what the independent validator says of the
// value, or nothing.
func TestShapesNeverContradict(t *testing.T) {
	said, all := 0, 0
	for seed := range uint64(400) {
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		raw := g.schema(3)
		valid := judge(t, raw)
		parsed, err := schema.Parse(json.RawMessage(raw))
		if valid == nil || err != nil {
			continue
		}
		var values []json.RawMessage
		for range 25 {
			values = append(values, json.RawMessage(g.object(3)))
		}
		for i, shape := range settled(values) {
			all++
			verdict := shape.Judge(parsed)
			if verdict == Undecided {
				continue
			}
			said++
			if accepted := valid(values[i]); accepted != (verdict == Accepted) {
				kept, _ := json.Marshal(shape)
				t.Fatalf("seed %d: %s accepts %s: %t, but its shape %s says %d", seed, raw, values[i], accepted, kept, verdict)
			}
		}
	}
	t.Logf("%d of %d decided", said, all)
	if all < 5000 || 2*said < all {
		t.Errorf("only %d of %d are decided", said, all)
	}
}

// TestChangesNeverContradict: for random pairs of schemas, what is said of a call that was answered, or refused, by the old one is so.
func TestChangesNeverContradict(t *testing.T) {
	said, all := 0, 0
	for seed := range uint64(600) {
		g := generator{rand.New(rand.NewPCG(seed, 13))}
		before, after := g.schema(3), g.schema(3)
		valid, remains := judge(t, before), judge(t, after)
		old, err := schema.Parse(json.RawMessage(before))
		now, errNow := schema.Parse(json.RawMessage(after))
		if valid == nil || remains == nil || err != nil || errNow != nil {
			continue
		}
		var values []json.RawMessage
		for range 10 {
			values = append(values, json.RawMessage(g.object(3)))
		}
		for i, shape := range settled(values) {
			right, stays := valid(values[i]), remains(values[i])
			use := Use{Record: &Record{Server: "s", Tool: "t", Agent: "a", Arguments: shape}, Count: 1}
			if !right {
				use.Errors = 1
			}
			all++
			u := Evidence{uses: []Use{use}}.Refused("t", old, now)
			if u.Undecided == 0 {
				said++
			}
			if u.Refused > 0 && (!right || stays) || u.Unaffected() && right && !stays {
				kept, _ := json.Marshal(shape)
				t.Fatalf("seed %d: %s → %s: %s was right %t, is right %t, of its shape %s it is said %v", seed, before, after, values[i], right, stays, kept, u)
			}
		}
	}
	t.Logf("%d of %d decided", said, all)
	if all < 3000 || 10*said < 8*all {
		t.Errorf("only %d of %d are decided", said, all)
	}
}

// TestRealisticCallsAreDecided: of calls that agents could make of tools of real servers, with and without faults, hardly any is left
// undecided, and none is told wrong. Where the schema is at hand when they are imported, the choices that it lists are kept; where it
// is not, those that were repeated are.
func TestRealisticCallsAreDecided(t *testing.T) {
	for name, schemas := range map[string]bool{"with snapshots": true, "without": false} {
		all, undecided, refused := realistic(t, 12, schemas)
		t.Logf("%s: %d calls, %d refused, %d undecided", name, all, refused, undecided)
		if all < 2000 || 10*refused < all || 20*undecided > all {
			t.Errorf("%s: of %d calls, %d are refused and %d undecided", name, all, refused, undecided)
		}
	}
}

// realistic judges so many calls of each tool of real servers, and counts.
func realistic(t *testing.T, calls int, schemas bool) (all, undecided, refused int) {
	listings, _ := filepath.Glob("../../testdata/listings/*.json")
	if len(listings) < 10 {
		t.Fatalf("only %d listings", len(listings))
	}
	for n, listing := range listings {
		data, err := os.ReadFile(listing)
		var surface struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
		if err == nil {
			err = json.Unmarshal(data, &surface)
		}
		if err != nil {
			t.Fatal(err)
		}
		g := generator{rand.New(rand.NewPCG(uint64(n), 11))}
		values, known := map[string][]json.RawMessage{}, map[string]map[string]bool{}
		for _, tool := range surface.Tools {
			for range calls {
				values[tool.Name] = append(values[tool.Name], json.RawMessage(g.call(tool.InputSchema)))
			}
			if schemas {
				known[tool.Name] = Choices(tool.InputSchema)
			}
		}
		shapes := settledOf(values, known)
		for _, tool := range surface.Tools {
			valid := judge(t, string(tool.InputSchema))
			parsed, err := schema.Parse(tool.InputSchema)
			if valid == nil || err != nil {
				continue
			}
			for i, shape := range shapes[tool.Name] {
				all++
				verdict, accepted := shape.Judge(parsed), valid(values[tool.Name][i])
				if !accepted {
					refused++
				}
				if verdict == Undecided {
					undecided++
				} else if accepted != (verdict == Accepted) {
					kept, _ := json.Marshal(shape)
					t.Fatalf("%s: %s accepts %s: %t, but its shape %s says %d", listing, tool.InputSchema, values[tool.Name][i], accepted, kept, verdict)
				}
			}
		}
	}
	return all, undecided, refused
}

// generator makes random schemas and values.
type generator struct{ *rand.Rand }

func (g generator) of(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g generator) schema(depth int) string {
	var parts []string
	for range 1 + g.IntN(3) {
		parts = append(parts, g.keyword(depth))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g generator) keyword(depth int) string {
	inner := func() string { return g.schema(depth - 1) }
	plain := []func() string{
		func() string {
			return `"type":` + g.of(`"string"`, `"integer"`, `"number"`, `"object"`, `["string","null"]`, `["object","array"]`)
		},
		func() string { return `"enum":[` + g.of(`"red","a"`, `1,1250,"x"`, `null,true`, `{"a":1},[1]`) + `]` },
		func() string { return `"const":` + g.scalar() },
		func() string { return fmt.Sprintf(`"minLength":%d`, g.IntN(30)) },
		func() string { return fmt.Sprintf(`"maxLength":%d`, g.IntN(30)) },
		func() string { return `"pattern":` + g.of(`"^a"`, `"[0-9]"`, `"^.{3,}$"`) },
		func() string { return `"minimum":` + g.of("0", "1200", "48.5", "-5") },
		func() string { return `"exclusiveMaximum":` + g.of("100", "1299", "49", "0.7") },
		func() string { return `"multipleOf":` + g.of("1", "5", "0.5", "0.1") },
		func() string { return `"required":["` + g.of("a", "b", "c") + `"]` },
		func() string { return fmt.Sprintf(`"maxProperties":%d`, g.IntN(4)) },
		func() string { return fmt.Sprintf(`"minItems":%d`, g.IntN(3)) },
		func() string { return `"uniqueItems":true` },
		func() string { return `"propertyNames":{"maxLength":1}` },
		func() string { return `"dependentRequired":{"a":["b"]}` },
	}
	if depth == 0 {
		return plain[g.IntN(len(plain))]()
	}
	nested := []func() string{
		func() string { return fmt.Sprintf(`"properties":{"a":%s,"b":%s}`, inner(), inner()) },
		func() string { return `"additionalProperties":` + g.of("false", inner()) },
		func() string { return `"patternProperties":{"^[ab]":` + inner() + `}` },
		func() string { return `"items":` + inner() },
		func() string { return `"prefixItems":[` + inner() + `]` },
		func() string { return `"contains":` + inner() },
		func() string {
			return fmt.Sprintf(`%s:[%s,%s]`, g.of(`"anyOf"`, `"oneOf"`, `"allOf"`), inner(), inner())
		},
		func() string { return `"not":` + inner() },
		func() string { return fmt.Sprintf(`"if":%s,"then":%s`, inner(), inner()) },
	}
	if g.IntN(3) > 0 {
		return nested[g.IntN(len(nested))]()
	}
	return plain[g.IntN(len(plain))]()
}

func (g generator) scalar() string {
	return g.of(`"red"`, `"a"`, `"some longer text"`, `"2026-01-02"`, "1", "0", "-3", "1250", "123456", "48.8566", "0.5", "1.0", "1e2", "true", "null", `"é💡"`)
}

func (g generator) value(depth int) string {
	switch n := g.IntN(6); {
	case depth == 0 || n < 4:
		return g.scalar()
	case n == 4:
		return "[" + g.scalar() + "," + g.value(depth-1) + "]"
	}
	return g.object(depth)
}

func (g generator) object(depth int) string {
	var members []string
	for _, name := range []string{"a", "b", "c", "Some Name"} {
		if g.IntN(5) < 2 && (name != "Some Name" || g.IntN(4) == 0) {
			members = append(members, fmt.Sprintf("%q:%s", name, g.value(depth-1)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// call is an object as an agent would send it to a tool: the required arguments, some of the others, and now and then a fault.
func (g generator) call(raw json.RawMessage) string {
	value, _ := rawjson.Decode(raw)
	root, _ := value.(map[string]any)
	object, _ := g.like(root, root, 0).(map[string]any)
	if object == nil {
		object = map[string]any{}
	}
	names := slices.Sorted(maps.Keys(object))
	switch n := g.IntN(8); {
	case n == 0:
		object["not_declared"] = true
	case n == 1 && len(names) > 0:
		delete(object, names[0])
	case n == 2 && len(names) > 0:
		object[names[0]] = []any{json.Number("1")}
	}
	text, _ := rawjson.Encode(object)
	return string(text)
}

// like is a value such as people and models send for a schema.
func (g generator) like(s, root map[string]any, depth int) any {
	for _, union := range []string{"anyOf", "oneOf", "allOf"} {
		if branches, ok := s[union].([]any); ok && len(branches) > 0 {
			if branch, ok := branches[g.IntN(len(branches))].(map[string]any); ok {
				s = branch
			}
		}
	}
	if ref, ok := s["$ref"].(string); ok && depth < 6 {
		at, _ := rawjson.At(root, strings.TrimPrefix(ref, "#"))
		target, _ := at.(map[string]any)
		return g.like(target, root, depth+1)
	}
	if choices, ok := s["enum"].([]any); ok {
		return choices[g.IntN(len(choices))]
	}
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok {
		kind, _ = kinds[0].(string)
	}
	switch kind {
	case "object":
		return g.members(s, root, depth)
	case "array":
		items, _ := s["items"].(map[string]any)
		return []any{g.like(items, root, depth+1), g.like(items, root, depth+1)}[:g.IntN(3)]
	case "integer", "number":
		return json.Number(g.of("1", "5", "10", "50", "100", "1000", "1234", "30000"))
	case "boolean":
		return g.IntN(2) == 0
	case "null":
		return nil
	}
	return g.of("fix the login page", "main", "octocat/hello-world", "https://example.com/a?b=c", "2026-01-02T03:04:05Z", "#submit", "/home/jane/notes.txt", "e12", "a "+strings.Repeat("long ", 60)+"text")
}

func (g generator) members(s, root map[string]any, depth int) any {
	properties, _ := s["properties"].(map[string]any)
	object := map[string]any{}
	required := fmt.Sprint(s["required"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, _ := properties[name].(map[string]any)
		if depth < 4 && (strings.Contains(required, name) || g.IntN(3) == 0) {
			object[name] = g.like(inner, root, depth+1)
		}
	}
	return object
}
