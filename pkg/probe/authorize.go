package probe

import (
	"context"
	"errors"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// Authorize gives the headers that let requests into one server, beyond HTTP.Headers, over which they win. It is called
// with nil before the first request, and with the refusal after a 401, or a 403 that asks for further scopes; the request
// is then sent once more. Calls for one server never overlap: requests that need credentials at the same time share one.
//
// No headers and no error mean that there are none, or no better ones: the refusal stands. An error fails the server; one
// that has a method Hint() string tells the user what to do next. Headers go to the origin of HTTP.URL alone, and their
// values are masked in every text that leaves this package.
type Authorize func(ctx context.Context, refused *Refused) (map[string]Secret, error)

// Refused is what a server said when it wanted other credentials.
type Refused = transport.Refused

// credentialsOf hands an Authorize to the transports.
func credentialsOf(authorize Authorize) *transport.Credentials {
	return transport.NewCredentials(func(ctx context.Context, refused *Refused) (headers map[string]Secret, _ error) {
		err := guard(func() (err error) {
			headers, err = authorize(ctx, refused)
			return err
		})
		return headers, err
	})
}

func (f facts) noCredentials() bool {
	_, ok := errors.AsType[*transport.CredentialsError](f.err)
	return ok
}

// howToAuthorize is what the error itself advises.
func (f facts) howToAuthorize() string {
	var wise interface {
		error
		Hint() string
	}
	if errors.As(f.err, &wise) {
		return wise.Hint()
	}
	return "mend how the configuration gets the server's credentials; the server was not asked without them"
}
