package transport

import (
	"context"
	"errors"
	"os"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client/transport"
)

// Command is a stdio server to start.
type Command struct {
	Path   string        // a name looked up in the PATH of Env, or a path
	Args   []string      // its arguments, without its own name
	Env    []string      // the whole environment of the child, "K=V"
	Dir    string        // working folder; empty = the current one
	Search string        // the PATH that a name is looked up in; empty = that of Env
	Grace  time.Duration // what the child gets between SIGTERM and SIGKILL; 0 = 500 ms
	// its descriptors from 3 on, ours to close once it has started; nil = none
	Files func() ([]*os.File, error)
}

// StartStdio starts a server as a child process in a process group of its own. The end of ctx ends the child.
// The error is a *process.StartError, or the cause of a ctx that has ended already.
func StartStdio(ctx context.Context, command Command) (*Conn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ch, err := startChild(command)
	if err != nil {
		return nil, err
	}
	c := newConn(ctx, KindStdio)
	c.child = ch
	c.respond = func(_ context.Context, answer []byte) error {
		_, err := ch.stdin.Write(append(answer, '\n'))
		return err
	}
	stdio := mcpgo.NewIO(&lineFilter{conn: c, framer: newFramer(ch)}, ch.stdin, nil)
	mcpgo.WithCommandLogger(quiet)(stdio)
	c.carrier = stdio
	go ch.wake()
	c.readers.Add(1) // the lineFilter
	if err := stdio.Start(c.life); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c.closeWith(ctx), nil
}
