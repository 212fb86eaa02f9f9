package judge

import (
	"maps"
	"slices"
)

// modern prepares a schema for the validator. Where it names no draft, keywords that 2020-12 took from older ones get
// their new names: generators write them there, and the validator would refuse them. Where it names an older draft,
// const beside $ref is left out: those drafts ignore it, and the validator does not. The schema given is not changed.
func modern(schema any) any {
	o, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	switch dialect, named := o["$schema"]; {
	case !named:
		return rewritten(o, renamed)
	case slices.Contains(refAlone(), dialect):
		return rewritten(o, withoutConst)
	}
	return schema
}

// refAlone are the values of "$schema" in whose drafts a reference has no siblings (draft-07 §8.3).
func refAlone() []any {
	return []any{"http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-06/schema",
		"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"}
}

func withoutConst(o map[string]any) {
	if _, ok := o["$ref"].(string); ok {
		delete(o, "const")
	}
}

func renamed(o map[string]any) {
	if tuple, ok := o["items"].([]any); ok {
		o["prefixItems"] = tuple
		delete(o, "items")
		if rest, ok := o["additionalItems"]; ok {
			o["items"] = rest
		}
	}
	delete(o, "additionalItems")
	splitDependencies(o)
}

// rewritten copies a schema with an edit made to every schema object in it.
func rewritten(v any, edit func(map[string]any)) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(o))
	for key, value := range o {
		out[key] = rewrittenKeyword(key, value, edit)
	}
	edit(out)
	return out
}

func rewrittenKeyword(key string, value any, edit func(map[string]any)) any {
	switch key {
	case "const", "enum", "default", "examples":
		return value
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		table, ok := value.(map[string]any)
		if !ok {
			return value
		}
		out := make(map[string]any, len(table))
		for name, sub := range table {
			out[name] = rewritten(sub, edit)
		}
		return out
	}
	if list, ok := value.([]any); ok {
		out := make([]any, len(list))
		for i, sub := range list {
			out[i] = rewritten(sub, edit)
		}
		return out
	}
	return rewritten(value, edit)
}

func splitDependencies(o map[string]any) {
	table, ok := o["dependencies"].(map[string]any)
	if !ok {
		return
	}
	required, schemas := Copied(o["dependentRequired"]), Copied(o["dependentSchemas"])
	for name, dependency := range table {
		if list, ok := dependency.([]any); ok {
			required[name] = list
		} else {
			schemas[name] = dependency
		}
	}
	o["dependentRequired"], o["dependentSchemas"] = required, schemas
	delete(o, "dependencies")
}

// Copied is a copy of an object, empty for anything else.
func Copied(v any) map[string]any {
	if table, ok := v.(map[string]any); ok {
		return maps.Clone(table)
	}
	return map[string]any{}
}
