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
	l.head = append(l.head, p[:min(len(p), noiseText-len(l.head))]...)
	if room := 2*l.limit - l.size; !l.told && len(p) > room {
		l.shape.feed(p[:room])
		l.size += len(p)
		l.told = true
		return l.pieces(room - len(p))
	}
	if !l.told {
		l.shape.feed(p)
	}
	l.size += len(p)
	return nil
}

func (l *large) end() []piece {
	if !l.told {
		return l.pieces(0)
	}
	return []piece{{noise: []byte{}, more: l.size - 2*l.limit}}
}

// pieces reports the line once. What does not begin like JSON is noise and fails nobody.
func (l *large) pieces(unread int) []piece {
	p := piece{noise: l.head, more: l.size + unread - len(l.head)}
	if opens(l.head) {
		p.err = &TooLargeError{Limit: l.limit}
		p.id = l.shape.id
	}
	return []piece{p}
}
