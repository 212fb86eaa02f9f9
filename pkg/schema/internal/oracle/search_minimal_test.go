package oracle

func (s *search) alternatives(ns []node) []alternative {
	name := key(ns)
	all, known := s.ways[name]
	if !known {
		all = alternatives(ns)
		s.ways[name] = all
	}
	return all
}

// minimal returns the first value that the schemas accept. Asked for again while it looks, as by a schema that
// requires itself, it gives up.
func (s *search) minimal(ns []node) (any, bool) {
	name := key(ns)
	if c, known := s.smallest[name]; known {
		return c.value, c.found
	}
	s.smallest[name] = chosen{}
	limit, cut := s.limit, s.cut
	s.limit = 1
	s.open++
	defer func() { s.open--; s.limit, s.cut = limit, cut }()
	for v := range s.values(place{ns: ns, plain: true}) {
		s.smallest[name] = chosen{v, len(textOf(v)), true}
		s.retry()
		return v, true
	}
	s.failed = append(s.failed, name)
	return nil, false
}

// retry forgets the failures below an outermost success: they may have failed only because it was not known yet.
func (s *search) retry() {
	if s.open > 1 {
		return
	}
	for _, name := range s.failed {
		delete(s.smallest, name)
	}
	s.failed = nil
}

// fits reports whether no schema of a list rejects the value.
func (s *search) fits(ns []node, v any) bool {
	for _, n := range ns {
		if b, ok := n.value.(bool); ok {
			if !b {
				return false
			}
			continue
		}
		if n.doc == nil {
			continue
		}
		if s.ask(n, v) == No {
			return false
		}
	}
	return true
}

// ask puts a value to the validator and pays for it.
func (s *search) ask(n node, v any) Answer {
	a := n.doc.Accepts(n.at, v)
	s.work -= 1 + n.doc.Ticks
	return a
}
