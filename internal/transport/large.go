package transport

// large is a line over the limit. It is read on without being kept, up to its newline, to learn whose reply it is.
type large struct {
	limit int
	head  []byte // the first noiseText bytes
	size  int
	shape shape
	told  bool
}

// feed takes the next bytes of the line. Past twice the limit nobody is left waiting for its end.
func (l *large) feed(p []byte) []piece {
	room := 2*l.limit - l.size
	if l.told || len(p) <= room {
		l.keep(p)
		return nil
	}
	l.keep(p[:room])
	l.told = true
	out := l.pieces()
	l.keep(p[room:])
	return out
}

// keep learns from bytes, until the line was reported.
func (l *large) keep(p []byte) {
	l.size += len(p)
	if !l.told {
		l.shape.feed(p)
		l.head = append(l.head, p[:min(len(p), noiseText-len(l.head))]...)
	}
}

func (l *large) end() []piece {
	if !l.told {
		return l.pieces()
	}
	return []piece{{noise: []byte{}, more: l.size - 2*l.limit}}
}

// pieces reports what was read so far. What does not begin like JSON is noise and fails nobody.
func (l *large) pieces() []piece {
	p := piece{noise: l.head, more: l.size - len(l.head)}
	if opens(l.head) {
		p.err = &TooLargeError{Limit: l.limit}
		p.id = l.shape.id
	}
	return []piece{p}
}
