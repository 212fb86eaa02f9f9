package monitor

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
)

// bounded is a listener that holds at most n connections at once; the others wait.
func bounded(l net.Listener, n int) net.Listener {
	return &boundedListener{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type boundedListener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

// Accept waits for a place, then for a connection.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placed{Conn: conn, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close ends waiting too.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// placed is a connection that gives its place back once it is closed.
type placed struct {
	net.Conn
	leave func()
}

// Close gives the place back.
func (p *placed) Close() error {
	defer p.leave()
	return p.Conn.Close()
}

// silent is a log that nobody reads: what clients do wrong is their own affair.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// shutDown lets responses end for a moment, then breaks them off.
func shutDown(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}
