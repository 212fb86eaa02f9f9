package transport

import (
	"errors"
	"io"
	"os"

	mcpgo "github.com/mark3labs/mcp-go/client/transport"
)

// Command is a stdio server to start.
type Command struct {
	Path   string   // a name looked up in the PATH of Env, or a path
	Args   []string // its arguments, without its own name
	Env    []string // the whole environment of the child, "K=V"
	Dir    string   // working directory; empty = the current one
	Search string   // the PATH that a name is looked up in; empty = that of Env
	// its descriptors from 3 on, ours to close once it has started; nil = none
	Files func() ([]*os.File, error)
}

// StartStdio starts a server as a child process in a process group of its own, which runs until Close. The
// error is a *process.StartError.
func StartStdio(command Command, h Handlers) (*Conn, error) {
	ch, err := startChild(command)
	if err != nil {
		return nil, err
	}
	c := newConn(KindStdio, h)
	c.child = ch
	c.respond = func(answer []byte) {
		_, _ = ch.stdin.Write(append(answer, '\n')) // requests that follow report the failure
	}
	out, receipts := io.Pipe()
	stdio := mcpgo.NewIO(out, ch.stdin, nil)
	mcpgo.WithCommandLogger(quiet)(stdio)
	c.carrier = stdio
	c.readers.Go(func() { c.readLines(receipts) })
	if err := stdio.Start(c.life); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// readLines reads the stdout of the child to its end, and writes the receipts of replies.
func (c *Conn) readLines(receipts *io.PipeWriter) {
	defer receipts.Close()
	take := func(f frame) {
		c.noise.wait(nil)
		if f.noise != nil { // first, so that it is known when the call fails
			c.noise.add(f.noise)
		}
		switch {
		case f.err != nil:
			c.calls.failOne(f.id, f.err)
		case f.noise == nil:
			if call := c.take(c.life, f.message); call != nil {
				_, _ = receipts.Write(append(call.receipt(), '\n'))
			}
		}
	}
	lines := newFramer(c.child.stdout)
	lines.waits = c.noise.wait
	for lines.next(take) == nil {
	}
	c.lose(c.child.loss())
}
