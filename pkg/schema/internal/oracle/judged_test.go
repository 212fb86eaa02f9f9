package oracle

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// judged asks the independent validator whether a schema accepts a value.
func judged(s *schema.Schema, value any) answer {
	j, err := newJudge(asJudged(decode(s.Raw())), "schema")
	if err != nil {
		return unsure
	}
	valid, err := j.Valid(value)
	if err != nil {
		return unsure
	}
	return answerOf(valid)
}

// read asks the package itself.
func read(s *schema.Schema, value any) answer {
	accepted, sure := s.Accepts(value)
	if !sure {
		return unsure
	}
	return answerOf(accepted)
}

func answerOf(ok bool) answer {
	if ok {
		return yes
	}
	return no
}

// asJudged is a schema as the validator reads it right.
func asJudged(root any) any {
	if draft, _, known := schema.DraftOf(root); known && draft <= schema.Draft07 {
		return spelledOut(root, draft)
	}
	return root
}

// spelledOut rewrites what the validator reads differently in older drafts: const, which it does not know in draft-04,
// and what stands beside $ref, of which it applies some (draft-07 §8.3 has all of it ignored).
func spelledOut(v any, d schema.Draft) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(o)
	for keyword, value := range o {
		for _, sub := range schema.Subschemas(keyword, value) {
			replace(out, append([]string{keyword}, sub.Steps...), spelledOut(sub.Value, d))
		}
	}
	if _, ref := o["$ref"].(string); ref {
		for _, k := range [...]string{"const", "contains", "else", "exclusiveMaximum", "exclusiveMinimum", "if",
			"propertyNames", "then"} {
			delete(out, k)
		}
		return out
	}
	if value, ok := o["const"]; ok && d == schema.Draft04 {
		delete(out, "const")
		if _, both := o["enum"]; both {
			more, _ := out["allOf"].([]any)
			out["allOf"] = append(slices.Clone(more), map[string]any{"enum": []any{value}})
		} else {
			out["enum"] = []any{value}
		}
	}
	return out
}

// replace puts v under one or two tokens of an object, copying what is between.
func replace(o map[string]any, path []string, v any) {
	if len(path) == 1 {
		o[path[0]] = v
		return
	}
	switch child := o[path[0]].(type) {
	case map[string]any:
		child = maps.Clone(child)
		child[path[1]] = v
		o[path[0]] = child
	case []any:
		child = slices.Clone(child)
		i, _ := strconv.Atoi(path[1])
		child[i] = v
		o[path[0]] = child
	}
}

func mustParse(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(raw))
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return s
}
