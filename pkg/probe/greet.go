package probe

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// errAnother is why a connection is of no more use once the server says something else of itself.
var errAnother = errors.New("the server introduces itself differently now")

// Greet asks a server without a connection to lose, which may have been replaced since, how it introduces itself. When
// that is not as it was, the session is lost: what it offers must be asked for anew. Any failure is left to the requests
// that follow. Over stdio, HTTP+SSE and in a session of streamable HTTP nothing has to be asked.
func (s *Session) Greet(ctx context.Context) {
	if s.line.Kind != transport.KindStreamable || !s.hello.stateless && s.line.GetSessionId() != "" {
		return
	}
	var again hello
	err := guard(func() (err error) {
		if s.hello.stateless {
			again, err = s.caller.discover(ctx)
		} else {
			again, err = s.caller.initialize(ctx, s.hello.protocol)
			again.supported = s.hello.supported
		}
		return err
	})
	if again = again.withoutSecrets(s.attempt.surfaceSecrets()); err == nil && again.snapshot().Digest() != s.hello.snapshot().Digest() {
		s.line.GiveUp(errAnother)
	}
}
