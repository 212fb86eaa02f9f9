package schema

import (
	"maps"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/refute"
)

// judge asks the independent validator whether the schema accepts a value.
func (s *Schema) judge(value any, formats bool) answer {
	if s.standsFor != nil {
		return s.standsFor.judge(value, formats)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.judges[formats]
	if !ok {
		j, _ = refute.NewJudge(s.judged(), formats)
		s.judges[formats] = j
	}
	if j == nil {
		return unsure
	}
	valid, err := j.Valid(value)
	if err != nil {
		return unsure
	}
	return answerOf(valid)
}

// judged is the schema as the validator reads it: it must name its draft.
func (s *Schema) judged() any {
	if s.doc == nil {
		return nil
	}
	root := s.doc.root
	if s.doc.owner("").dialect.draft == Draft04 {
		root = constAsEnum(root)
	}
	o, ok := root.(map[string]any)
	if _, named := o["$schema"]; !ok || named || s.unnamed == Draft202012 {
		return root
	}
	out := maps.Clone(o)
	out["$schema"] = s.unnamed.URI()
	return out
}

// constAsEnum writes const as the enum of one value, which draft-04 has.
func constAsEnum(v any) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(o)
	for _, sub := range subschemas(o) {
		replace(out, sub.tokens, constAsEnum(sub.value))
	}
	if value, ok := o["const"]; ok {
		delete(out, "const")
		if _, both := o["enum"]; both {
			out["allOf"] = append(slices.Clone(listOf(o["allOf"])), map[string]any{"enum": []any{value}})
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
