package transport

import (
	"slices"
	"sync"
)

// Bounds of what is kept of noise.
const (
	noiseText  = 256  // bytes of one piece
	noiseCount = 1000 // pieces; what follows is added to the last one's length
)

// Noise is output on stdout that is not a protocol message.
type Noise struct {
	Text  string // the first 256 bytes
	Bytes int    // its whole length
}

// noiseLog keeps noise; the zero value is empty.
type noiseLog struct {
	mu     sync.Mutex
	pieces []Noise
	frozen bool
}

// add keeps a text of which more bytes are already gone.
func (l *noiseLog) add(text []byte, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen {
		return
	}
	if len(l.pieces) == noiseCount || len(text) == 0 && len(l.pieces) > 0 {
		l.pieces[len(l.pieces)-1].Bytes += len(text) + more
		return
	}
	l.pieces = append(l.pieces, Noise{Text: excerpt(text), Bytes: len(text) + more})
}

// freeze ends the keeping: what a server says while it is ended depends on chance.
func (l *noiseLog) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.frozen = true
}

func (l *noiseLog) all() []Noise {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.pieces)
}

// excerpt is the start of a text, as much as is kept of noise.
func excerpt(text []byte) string { return string(text[:min(len(text), noiseText)]) }
