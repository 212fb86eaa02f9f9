package schema

import "strconv"

// arrays reads the keywords for arrays (2020-12 core §10.3.1, validation §6.4).
func (w *writer) arrays() {
	w.items()
	w.contains()
	w.length("minItems", opMinItems)
	w.length("maxItems", opMaxItems)
	if v, ok := w.has("uniqueItems"); ok {
		switch v {
		case true:
			w.add("uniqueItems", &node{op: opUnique})
		case false:
		default:
			w.malformed("uniqueItems", "is not a boolean")
		}
	}
}

// items reads the schemas by position and the one for the rest, in the spelling of either draft.
func (w *writer) items() {
	prefix, rest := w.tuple()
	if prefix == "" && rest == "" {
		return
	}
	list, isList := w.o[prefix].([]any)
	if prefix != "" && !isList {
		w.malformed(prefix, "is not an array of schemas")
		return
	}
	for i, v := range list {
		w.add(prefix, &node{op: opItem, count: i, kids: []lit{yes(w.below(v, prefix, strconv.Itoa(i)))}})
	}
	if rest != "" {
		w.add(rest, &node{op: opItems, count: len(list), kids: []lit{yes(w.below(w.o[rest], rest))}})
	}
}

// tuple returns the keywords that hold the schemas by position and the schema of the rest; empty where there is none.
func (w *writer) tuple() (prefix, rest string) {
	items, hasItems := w.o["items"]
	_, isList := items.([]any)
	if isList && w.dialectOf("items").tuples() {
		if _, ok := w.o["additionalItems"]; ok {
			rest = "additionalItems"
		}
		return "items", rest
	}
	if _, ok := w.has("prefixItems"); ok {
		prefix = "prefixItems"
	}
	if hasItems {
		rest = "items"
	}
	return prefix, rest
}

// contains reads contains with its bounds (2020-12 core §10.3.1.3, validation §6.4.4 and §6.4.5).
func (w *writer) contains() {
	v, ok := w.has("contains")
	if !ok {
		return
	}
	least, most := 1, -1
	for keyword, n := range map[string]*int{"minContains": &least, "maxContains": &most} {
		bound, ok := w.has(keyword)
		if !ok {
			continue
		}
		if *n, ok = natural(bound); !ok {
			w.malformed(keyword, "is not a count")
			return
		}
	}
	child := w.condition(v, "contains")
	if least > 0 {
		w.add("contains", &node{op: opContains, count: least, kids: []lit{yes(child)}})
	}
	if most >= 0 {
		tooMany := &node{op: opContains, count: most + 1, kids: []lit{yes(child)}, place: w.place, keyword: "maxContains"}
		arrays := &node{op: opKinds, kinds: kindArray}
		w.add("maxContains", some(not(arrays), not(tooMany)))
	}
}
