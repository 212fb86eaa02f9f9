package transport

// shape follows a JSON text byte by byte without keeping it, for texts that cannot be parsed: too large, too deep, or
// spread over lines. It does not validate.
type shape struct {
	depth, deepest int
	started, done  bool   // inside, or past, the outermost value
	object         bool   // the outermost value is an object
	jsonrpc        bool   // it has a member of that name
	id             []byte // its id as far as it was seen, at most idLimit bytes
	text, escape   bool   // inside a string, after a backslash
	value          bool   // after the colon of a member of the outermost value
	key            []byte // the name of that member, at most idLimit bytes
}

const idLimit = 256

func (s *shape) feed(p []byte) {
	for _, b := range p {
		if s.done {
			return
		}
		s.step(b)
	}
}

func (s *shape) step(b byte) {
	outermost := s.depth == 1 && s.object
	switch {
	case s.text:
		s.inText(b, outermost)
		return
	case b == '"':
		s.text = true
		if outermost && !s.value {
			s.key = s.key[:0]
		}
	case b == '{', b == '[':
		s.open(b)
	case b == '}', b == ']':
		s.shut()
	case outermost && b == ':':
		s.value = true
		s.jsonrpc = s.jsonrpc || string(s.key) == "jsonrpc"
		return
	case outermost && b == ',':
		s.value = false
	}
	if s.depth == 1 && b > ' ' && b != ',' && b != '}' {
		s.keepID(b, outermost)
	}
}

func (s *shape) inText(b byte, outermost bool) {
	switch {
	case s.escape:
		s.escape = false
	case b == '\\':
		s.escape = true
	case b == '"':
		s.text = false
	}
	if outermost && !s.value && s.text && len(s.key) < idLimit {
		s.key = append(s.key, b)
	}
	s.keepID(b, outermost)
}

func (s *shape) keepID(b byte, outermost bool) {
	if outermost && s.value && string(s.key) == "id" && len(s.id) < idLimit {
		s.id = append(s.id, b)
	}
}

func (s *shape) open(b byte) {
	if s.depth == 0 {
		s.started, s.object = true, b == '{'
	}
	s.depth++
	s.deepest = max(s.deepest, s.depth)
}

func (s *shape) shut() {
	s.depth--
	s.done = s.depth <= 0
}
