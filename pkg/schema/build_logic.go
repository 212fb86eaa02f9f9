package schema

import (
	"slices"
	"strconv"
)

// logic reads allOf, anyOf, oneOf, not and if/then/else (2020-12 core §10.2).
func (w *writer) logic() {
	w.many("allOf", opAll)
	w.many("anyOf", opAny)
	w.many("oneOf", opOne)
	if v, ok := w.has("not"); ok {
		w.add("not", all(not(w.condition(v, "not"))))
	}
	w.conditional()
}

func (w *writer) many(keyword string, o op) {
	v, ok := w.has(keyword)
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		w.malformed(keyword, "is not an array of at least one schema")
		return
	}
	n := &node{op: o}
	for i, v := range list {
		if w.patched.leavesOut(keyword, i) {
			continue
		}
		n.kids = append(n.kids, yes(w.sub(v, keyword, strconv.Itoa(i))))
	}
	if len(n.kids) == 1 {
		n.op = opAll
	}
	if n.op == opOne && w.role != asWritten {
		n = w.declaredOne(list, n)
	}
	w.add(keyword, n)
}

// declaredOne is oneOf for a caller that sends declared properties only: the value satisfies exactly one schema as it
// is written, and that one as declared. What excludes the others must stay as it is written.
func (w *writer) declaredOne(list []any, parts *node) *node {
	written := &node{op: opOne, place: w.place, keyword: "oneOf"}
	for i, v := range list {
		if !w.patched.leavesOut("oneOf", i) {
			written.kids = append(written.kids, yes(w.condition(v, "oneOf", strconv.Itoa(i))))
		}
	}
	if slices.Equal(written.kids, parts.kids) {
		return written
	}
	return all(yes(written), yes(some(parts.kids...)))
}

// conditional reads if, then and else: whatever satisfies if satisfies then, and whatever does not satisfies else.
func (w *writer) conditional() {
	v, ok := w.has("if")
	if !ok {
		return
	}
	condition := w.condition(v, "if")
	if v, ok := w.o["then"]; ok {
		w.add("then", some(not(condition), yes(w.sub(v, "then"))))
	}
	if v, ok := w.o["else"]; ok {
		w.add("else", some(yes(condition), yes(w.sub(v, "else"))))
	}
}
