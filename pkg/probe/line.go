package probe

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// line is a link with the context that it lives on.
type line struct {
	*transport.Conn
	keep func() bool        // lets the link outlive the context it was dialled with
	end  context.CancelFunc // ends the life of the link, whatever Close did
}

// open dials a link that ends with ctx until keep is called.
func (r route) open(ctx context.Context) (line, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	keep := context.AfterFunc(ctx, end)
	link, err := r.dial(life)
	if err != nil {
		keep()
		end()
		return line{}, err
	}
	return line{Conn: link, keep: keep, end: end}, nil
}

func (l line) close() error {
	err := l.Close()
	l.keep()
	l.end()
	return err
}
