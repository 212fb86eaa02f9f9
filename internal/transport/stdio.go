package transport

import (
	"context"
	"io"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// Command is a stdio server to start.
type Command struct {
	Path  string        // a name looked up in the PATH of Env, or a path
	Args  []string      // its arguments, without its own name
	Env   []string      // the whole environment of the child, "K=V"
	Dir   string        // working folder; empty = the current one
	Grace time.Duration // what the child gets between SIGTERM and SIGKILL; 0 = 500 ms
}

// StartStdio starts a server as a child process in a process group of its own. The end of ctx ends the child.
// The error is a *process.StartError, or the cause of a ctx that has ended already.
func StartStdio(ctx context.Context, c Command) (*Link, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ch, err := startChild(c)
	if err != nil {
		return nil, err
	}
	in, out := io.Pipe()
	inner := transport.NewIO(in, ch.stdin, nil)
	transport.WithCommandLogger(silent())(inner)
	l := newLink(KindStdio, inner)
	l.child, l.trouble, l.kill = ch, ch.trouble, ch.kill
	pumped := make(chan struct{})
	life, over := context.WithCancel(ctx)
	l.end = func() error {
		over()
		ch.group.Look()
		_ = inner.Close() // ends the requests, and the child's stdin
		_ = in.Close()
		err := ch.stop()
		<-pumped
		return err
	}
	_ = inner.Start(ctx) // cannot fail: there is no command in it
	go ch.wake()
	go l.nourish(ch)
	go l.pump(life, ch, out, pumped)
	l.closeWith(ctx)
	return l, nil
}

// nourish writes to the child. One that no longer reads, but lives on, will not answer what it did not read.
func (l *Link) nourish(ch *child) {
	if err := ch.stdin.run(); err != nil && !within(l.done, exitWait) {
		l.open.failAll(err)
	}
}

// pump hands the child's messages to mcp-go until its stdout ends, and says then what happened. Only the end of out
// ends the requests that wait, so that no reply is lost that arrived before.
func (l *Link) pump(ctx context.Context, ch *child, out *io.PipeWriter, pumped chan<- struct{}) {
	defer close(pumped)
	var f framer
	buf := make([]byte, 64<<10)
	for {
		n, err := ch.read(buf)
		l.pass(ctx, f.feed(buf[:n]), out)
		if err != nil {
			break
		}
	}
	l.pass(ctx, f.rest(), out)
	if ch.stopping.Load() {
		l.lose(transport.ErrTransportClosed)
	} else {
		l.lose(ch.loss())
	}
	_ = out.Close()
}

// pass sorts pieces: messages to mcp-go, requests to the desk, failures to whom they concern, the rest to the noise.
func (l *Link) pass(ctx context.Context, pieces []piece, out io.Writer) {
	for _, p := range pieces {
		if p.err != nil {
			l.open.failOne(p.id, p.err)
		}
		if p.noise != nil {
			l.noise.add(p.noise, p.more)
			continue
		}
		if p.message.asks() {
			go l.answerChild(ctx, p.message)
			continue
		}
		line, stray := l.open.deliver(p.message)
		if stray {
			l.noise.add(p.message.raw, 0)
		}
		if line != nil { // writing fails only once the link is closed
			_, _ = out.Write(line)
			_, _ = out.Write([]byte{'\n'})
		}
	}
}

// answerChild answers a request of the server. If it no longer reads, it has to live without.
func (l *Link) answerChild(ctx context.Context, asked message) {
	reply := l.answer.reply(ctx, asked)
	_, _ = l.child.stdin.Write(append(reply, '\n'))
}

// trouble is what is known about a child: how it ended, unless that was us, and its last words.
func (c *child) trouble() Trouble {
	t := Trouble{Stderr: c.errors.String()}
	if c.gone() && c.state != "" {
		t.Exited, t.Exit = true, c.state
	}
	return t
}
