package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/judge"
)

// judge asks the independent validator whether the schema accepts a value.
func (s *Schema) judge(value any, formats bool) answer {
	if s.loops || s.doc == nil {
		return unsure
	}
	j, err := judge.New(s.judged(), "schema", formats)
	if err != nil {
		return unsure
	}
	valid, err := j.Valid(value)
	if err != nil {
		return unsure
	}
	return answerOf(valid)
}

// judged is the schema as the validator reads it right.
func (s *Schema) judged() any {
	root := s.doc.root
	draft := s.doc.owner("").dialect.draft
	if draft <= Draft07 {
		root = spelledOut(root, draft)
	}
	o, ok := root.(map[string]any)
	if _, named := o["$schema"]; !ok || named || s.unnamed == Draft202012 {
		return root
	}
	out := maps.Clone(o)
	out["$schema"] = s.unnamed.URI()
	return out
}

// spelledOut rewrites what the validator reads differently in older drafts: const, which it does not know in draft-04,
// and what stands beside $ref, of which it applies some (draft-07 §8.3 has all of it ignored).
func spelledOut(v any, d Draft) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(o)
	for keyword, value := range o {
		for _, sub := range Subschemas(keyword, value) {
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
	if value, ok := o["const"]; ok && d == Draft04 {
		delete(out, "const")
		if _, both := o["enum"]; both {
			out["allOf"] = append(slices.Clone(listOf(out["allOf"])), map[string]any{"enum": []any{value}})
		} else {
			out["enum"] = []any{value}
		}
	}
	return out
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
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

// accepts reports whether a value satisfies a literal: inhabited is yes, void is no, and unsure is said where a
// construct is not understood or the work is too much. Formats are annotations unless they are asserted.
func accepts(l lit, v any, formats bool) answer {
	return newEvaluator(formats).accepts(l, v)
}
