package transport

import (
	"context"
	"errors"
	"time"
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
// The error is a *StartError.
func StartStdio(ctx context.Context, c Command) (*Link, error) {
	return nil, errors.ErrUnsupported
}
