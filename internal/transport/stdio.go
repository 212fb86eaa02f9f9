package transport

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"
)

// Command is a stdio server to start.
type Command struct {
	Path   string                     // a name looked up in the PATH of Env, or a path
	Args   []string                   // its arguments, without its own name
	Env    []string                   // the whole environment of the child, "K=V"
	Dir    string                     // working folder; empty = the current one
	Search string                     // the PATH that a name is looked up in; empty = that of Env
	Grace  time.Duration              // what the child gets between SIGTERM and SIGKILL; 0 = 500 ms
	Files  func() ([]*os.File, error) // its descriptors from 3 on, ours to close once it has started; nil = none
}

type stdio struct {
	*child
	conn *Conn
	life context.Context // of the answers to the server's requests
	over context.CancelFunc
	read chan struct{} // closed when the last message was read
}

// StartStdio starts a server as a child process in a process group of its own. The end of ctx ends the child.
// The error is a *process.StartError, or the cause of a ctx that has ended already.
func StartStdio(ctx context.Context, c Command) (*Conn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ch, err := startChild(c)
	if err != nil {
		return nil, err
	}
	s := &stdio{child: ch, conn: newConn(KindStdio), read: make(chan struct{})}
	s.life, s.over = context.WithCancel(ctx)
	s.conn.carrier = s
	go ch.wake()
	go s.writeLoop()
	go s.readLoop()
	s.conn.closeWith(ctx)
	return s.conn, nil
}

func (s *stdio) send(_ context.Context, m outgoing) error {
	err := s.stdin.write(append(m.body, '\n'), stdinLimit)
	if _, ended := errors.AsType[*LostError](err); ended && within(s.conn.done, exitWait) { // how the child ended says more
		return s.conn.Lost()
	}
	return err
}

func (s *stdio) close() error {
	s.over()
	s.group.Look()
	s.stdin.close()
	err := s.stop()
	<-s.read
	return err
}

// writeLoop writes to the child. One that no longer reads, but lives on, will not answer what it did not read.
func (s *stdio) writeLoop() {
	if err := s.stdin.run(); err != nil && !within(s.conn.done, exitWait) {
		s.conn.calls.failAll(err)
	}
}

// readLoop takes the child's messages until its stdout ends, and says then what happened.
func (s *stdio) readLoop() {
	defer close(s.read)
	f := framer{wants: s.conn.calls.wants}
	buf := make([]byte, 64<<10)
	for {
		n, err := s.child.read(buf)
		f.feed(buf[:n], s.take)
		if err != nil {
			break
		}
	}
	f.rest(s.take)
	if s.stopping.Load() {
		s.conn.lose(ErrTransportClosed)
	} else {
		s.conn.lose(s.loss())
	}
}

// take sorts a frame: to whom it concerns, or to the noise.
func (s *stdio) take(one frame) {
	if one.noise != nil { // before anybody is told of it
		s.conn.noise.add(one.noise, one.more)
	}
	switch {
	case one.err != nil:
		s.conn.calls.failOne(one.id, one.err)
	case one.noise == nil:
		s.conn.receive(one.message, func(m message) { go s.answer(m) })
	}
}

// answer answers a request of the server. If it does not read, it has to live without.
func (s *stdio) answer(m message) {
	_ = s.stdin.write(append(s.conn.reply(s.life, m), '\n'), answerLimit)
}

// Bounds of what is kept of noise.
const (
	noiseText  = 256  // bytes of one piece
	noiseCount = 1000 // pieces; what follows is added to the last one's length
)

// Noise is output on stdout that is not a protocol message.
type Noise struct {
	Text  string // the first 256 bytes, unescaped
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
	l.pieces = append(l.pieces, Noise{Text: string(text[:min(len(text), noiseText)]), Bytes: len(text) + more})
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
