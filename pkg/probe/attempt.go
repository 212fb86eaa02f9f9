package probe

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// attempt is one attempt at one server.
type attempt struct {
	server      Server
	options     Options
	secrets     redact.Secrets // those of the configuration
	credentials *transport.Credentials
	record      *record
}

func newAttempt(server Server, options Options) attempt {
	options.Protocol = cmp.Or(server.Protocol, options.Protocol)
	a := attempt{server: server, options: options, secrets: redactorFor(server), record: &record{}}
	if server.HTTP != nil && server.HTTP.Authorize != nil {
		a.credentials = credentialsOf(server.HTTP.Authorize)
	}
	return a
}

// timeout is how long the attempt may take; 0 = for ever.
func (a attempt) timeout() time.Duration {
	if a.server.Timeout > 0 {
		return a.server.Timeout
	}
	return a.options.Timeout
}

// first is the stage at which every attempt at the server begins.
func (a attempt) first() Stage {
	if a.server.HTTP != nil {
		return Connecting
	}
	return Starting
}

// visit asks one server for everything, again as long as a failure can heal and Options.Retries allow.
func visit(ctx context.Context, server Server, options Options) Result {
	if ctx.Err() != nil {
		a := newAttempt(server, options)
		return Result{Server: server, Err: a.explain(ctx, a.first(), context.Cause(ctx), nil)}
	}
	var result Result
	start, tries := time.Now(), 0
	again(ctx, options.Retries, func() error {
		tries++
		result = newAttempt(server, options).run(ctx, start)
		result.Attempts = tries
		return result.Err
	})
	return result
}

// run is the whole of one attempt. Closing comes after the result and cannot spoil it.
func (a attempt) run(ctx context.Context, start time.Time) Result {
	ctx, cancel := limited(ctx, a.timeout())
	defer cancel()
	result := Result{Server: a.server}
	err := guard(func() error {
		session, err := a.open(ctx)
		if err != nil {
			return err
		}
		defer session.Close()
		result.Transport = session.Transport()
		result.Snapshot, err = session.Snapshot(ctx)
		result.Elapsed = time.Since(start)
		result.Noise = session.Noise()
		if err == nil && a.options.Twice {
			result.Again, _ = session.List(ctx, snapshot.Kinds()...) // lists that fail now say so, and take nothing from the first answer
		}
		return err
	})
	if result.Elapsed == 0 {
		result.Elapsed = time.Since(start)
	}
	result.Notices = masked(a.record.seen(), a.masks())
	result.Err = a.shown(ctx, err)
	return result
}

// shown is err as a result holds it: a panic has not been explained yet.
func (a attempt) shown(ctx context.Context, err error) error {
	var bug *panicError
	if errors.As(err, &bug) && len(Failures(err)) == 0 {
		return a.explain(ctx, a.first(), err, nil)
	}
	return err
}
