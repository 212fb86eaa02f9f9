package refute

// modern rewrites the keywords that 2020-12 took from older drafts, in a schema that names no draft: generators write
// them there, and the validator would refuse them. The schema given is not changed.
func modern(schema any) any {
	o, ok := schema.(map[string]any)
	if _, named := o["$schema"]; !ok || named {
		return schema
	}
	return modernSchema(o)
}

func modernSchema(v any) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := make(map[string]any, len(o))
	for key, value := range o {
		out[key] = modernKeyword(key, value)
	}
	if tuple, ok := out["items"].([]any); ok {
		out["prefixItems"] = tuple
		delete(out, "items")
		if rest, ok := out["additionalItems"]; ok {
			out["items"] = rest
		}
	}
	delete(out, "additionalItems")
	splitDependencies(out)
	return out
}

func modernKeyword(key string, value any) any {
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
			out[name] = modernSchema(sub)
		}
		return out
	}
	if list, ok := value.([]any); ok {
		out := make([]any, len(list))
		for i, sub := range list {
			out[i] = modernSchema(sub)
		}
		return out
	}
	return modernSchema(value)
}

func splitDependencies(o map[string]any) {
	table, ok := o["dependencies"].(map[string]any)
	if !ok {
		return
	}
	required, schemas := copied(o["dependentRequired"]), copied(o["dependentSchemas"])
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

func copied(v any) map[string]any {
	out := map[string]any{}
	table, _ := v.(map[string]any)
	for name, value := range table {
		out[name] = value
	}
	return out
}
