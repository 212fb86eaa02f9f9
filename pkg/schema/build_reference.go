package schema

import "strings"

// references reads $ref, $dynamicRef and $recursiveRef (2020-12 §8.2.3).
func (w *writer) references() {
	for _, keyword := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		v, ok := w.has(keyword)
		if !ok {
			continue
		}
		ref, ok := v.(string)
		if !ok {
			w.malformed(keyword, "is not a string")
			continue
		}
		target, uri, ok := w.target(keyword, ref)
		if !ok {
			w.problem(join(w.place, keyword), "names nothing in this document")
			w.add(keyword, &node{op: opOpaque, text: "$ref\x00" + uri, why: "names nothing in this document"})
			continue
		}
		w.n.kids = append(w.n.kids, yes(w.node(target)))
	}
}

// target finds the spot that a reference leads to.
func (w *writer) target(keyword, ref string) (target spot, uri string, ok bool) {
	s := w.spot
	if from, patched := w.patched.source([]string{keyword}); patched {
		s = from.as(s)
		s.in = s.doc.owner(s.place)
	}
	home := s.doc
	if s.doc, s.place, uri, ok = s.doc.resolve(ref, s.in); !ok {
		return s, uri, false
	}
	if s.doc != home {
		s.env = nil
	}
	if keyword == "$ref" {
		return s, uri, true
	}
	for name, anchored := range s.doc.owner(s.place).dynamic {
		outermost, scoped := s.env[name]
		if scoped && anchored == s.place && names(keyword, ref, name) {
			s.place = outermost
			break
		}
	}
	return s, uri, true
}

// names reports whether a reference means a dynamic anchor by its name, and not the same place by a pointer.
func names(keyword, ref, anchor string) bool {
	if keyword == "$recursiveRef" {
		return anchor == ""
	}
	return anchor != "" && strings.HasSuffix(ref, "#"+anchor)
}

// A loopFinder walks the nodes that speak of the same value.
type loopFinder struct {
	open, done map[*node]bool
	stack      []*node
	found      bool
}

// markLoops marks every node that refers to itself without going through a value inside the value: the specification
// gives it no meaning (2020-12 §9.4.1). It reports whether there is any.
func markLoops(root *node) bool {
	f := &loopFinder{open: map[*node]bool{}, done: map[*node]bool{}}
	visited := map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if visited[n] {
			return
		}
		visited[n] = true
		f.inPlace(n)
		for _, k := range n.kids {
			visit(k.node)
		}
	}
	visit(root)
	return f.found
}

func (f *loopFinder) inPlace(n *node) {
	switch {
	case f.done[n]:
		return
	case f.open[n]:
		f.mark(n)
		return
	}
	f.open[n] = true
	f.stack = append(f.stack, n)
	if n.op <= opOne {
		for _, k := range n.kids {
			f.inPlace(k.node)
		}
	}
	f.stack = f.stack[:len(f.stack)-1]
	f.open[n], f.done[n] = false, true
}

// mark marks the nodes between a node and its return to itself.
func (f *loopFinder) mark(n *node) {
	f.found = true
	for i := len(f.stack) - 1; i >= 0; i-- {
		f.stack[i].loop = true
		if f.stack[i] == n {
			return
		}
	}
}
