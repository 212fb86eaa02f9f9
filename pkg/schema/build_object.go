package schema

// objects reads the keywords for objects (2020-12 core §10.3.2, validation §6.5).
func (w *writer) objects() {
	w.properties()
	w.required()
	w.propertyNames()
	w.length("minProperties", opMinProperties)
	w.length("maxProperties", opMaxProperties)
	w.dependentRequired()
	w.dependentSchemas("dependentSchemas")
	if w.dialectOf("dependencies").dependencies() {
		w.dependentSchemas("dependencies")
	}
}

// properties reads properties, patternProperties and additionalProperties.
func (w *writer) properties() {
	table, ok := w.table("properties")
	if !ok {
		return
	}
	names := sortedKeys(table)
	for _, name := range names {
		w.add("properties", &node{op: opProperty, text: name, kids: []lit{yes(w.below(table[name], "properties", name))}})
	}
	byPattern, ok := w.table("patternProperties")
	if !ok {
		return
	}
	var patterns []*node
	for _, source := range sortedKeys(byPattern) {
		p := w.pattern(source, w.place)
		patterns = append(patterns, p)
		child := w.below(byPattern[source], "patternProperties", source)
		w.add("patternProperties", &node{op: opRest, within: []*node{p}, kids: []lit{yes(child)}})
	}
	if v, ok := w.has("additionalProperties"); ok {
		child := w.below(v, "additionalProperties")
		w.add("additionalProperties", &node{op: opRest, names: names, patterns: patterns, kids: []lit{yes(child)}})
	}
}

// table reads a keyword whose value is an object; it reports false where the keyword is malformed.
func (w *writer) table(keyword string) (map[string]any, bool) {
	v, ok := w.has(keyword)
	if !ok {
		return nil, true
	}
	table, ok := v.(map[string]any)
	if !ok {
		w.malformed(keyword, "is not an object")
	}
	return table, ok
}

func (w *writer) required() {
	v, ok := w.has("required")
	if !ok {
		return
	}
	names, ok := stringList(v)
	if !ok {
		w.malformed("required", "is not an array of names")
		return
	}
	for _, name := range names {
		w.add("required", &node{op: opRequired, text: name})
	}
}

func stringList(v any) ([]string, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, len(list))
	for i, item := range list {
		if out[i], ok = item.(string); !ok {
			return nil, false
		}
	}
	return out, true
}

func (w *writer) propertyNames() {
	if v, ok := w.has("propertyNames"); ok {
		w.add("propertyNames", &node{op: opPropertyNames, kids: []lit{yes(w.condition(v, "propertyNames"))}})
	}
}

// dependentRequired says: either the property is not there, or others are.
func (w *writer) dependentRequired() {
	table, _ := w.table("dependentRequired")
	for _, name := range sortedKeys(table) {
		names, ok := stringList(table[name])
		if !ok {
			w.malformed("dependentRequired", "is not an object of arrays of names")
			return
		}
		w.add("dependentRequired", dependency(name, requireAll(names)))
	}
}

func requireAll(names []string) *node {
	out := all()
	for _, name := range names {
		out.kids = append(out.kids, yes(&node{op: opRequired, text: name}))
	}
	return out
}

// dependency is: where the value is an object with the property, it satisfies the consequence.
func dependency(name string, consequence *node) *node {
	absent := &node{op: opProperty, text: name, kids: []lit{yes(some())}}
	return some(yes(absent), yes(consequence))
}

// dependentSchemas reads the keyword of that name, or the dependencies of older drafts, which mix both forms.
func (w *writer) dependentSchemas(keyword string) {
	table, _ := w.table(keyword)
	for _, name := range sortedKeys(table) {
		if names, ok := stringList(table[name]); ok && keyword == "dependencies" {
			w.add(keyword, dependency(name, requireAll(names)))
			continue
		}
		w.add(keyword, dependency(name, w.sub(table[name], keyword, name)))
	}
}
