package transport

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// exchange is one request on its way and the end of the wait for its reply.
type exchange struct {
	key  string          // the id as mcp-go tells ids apart
	id   json.RawMessage // the id as we sent it
	fail context.CancelCauseFunc

	answered bool // its reply is on the way to mcp-go; guarded by exchanges

	mu   sync.Mutex
	hint error
}

// note remembers what is odd, in case that nothing better explains a failure. The first note stays.
func (x *exchange) note(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.hint == nil {
		x.hint = err
	}
}

func (x *exchange) noted() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.hint
}

// exchanges are the requests of one link; the zero value is empty.
type exchanges struct {
	mu   sync.Mutex
	open map[string]*exchange
	used map[string]bool // every id that was sent: a late reply is no surprise
}

type exchangeKey struct{}

// exchangeOf is the exchange that a context belongs to, or nil.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// start registers a request. Its context ends when the exchange fails.
func (s *exchanges) start(ctx context.Context, id mcp.RequestId) (context.Context, *exchange, error) {
	raw, err := json.Marshal(id)
	if err != nil {
		return nil, nil, err
	}
	x := &exchange{key: id.String(), id: raw}
	ctx, x.fail = context.WithCancelCause(context.WithValue(ctx, exchangeKey{}, x))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open, s.used = map[string]*exchange{}, map[string]bool{}
	}
	s.open[x.key], s.used[x.key] = x, true
	return ctx, x, nil
}

func (s *exchanges) stop(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, x.key)
	x.fail(nil)
}

// find is the open exchange that a reply's id means. The id may be of the wrong JSON type ("2" for 2); without one, the
// reply belongs to the only request there is. late says that the id is of a request that nobody waits for any more.
func (s *exchanges) find(id json.RawMessage) (x *exchange, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == nil && len(s.open) == 1 {
		for _, x = range s.open {
			return x, false
		}
	}
	for _, key := range keysOf(id) {
		if x = s.open[key]; x != nil {
			return x, false
		}
		late = late || s.used[key]
	}
	return nil, late
}

// failOne fails the exchange that an id means, or all of them when that cannot be told.
func (s *exchanges) failOne(id json.RawMessage, err error) {
	x, late := s.find(id)
	switch {
	case x != nil:
		x.fail(err)
	case !late:
		s.failAll(err)
	}
}

// failAll fails every exchange whose reply has not come.
func (s *exchanges) failAll(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.open {
		if !x.answered {
			x.fail(err)
		}
	}
}

func (s *exchanges) settle(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.answered = true
}

// is tells whether an id in a reply means this exchange.
func (x *exchange) is(id json.RawMessage) bool { return slices.Contains(keysOf(id), x.key) }

// keysOf are the keys under which an id may be open, the most likely one first.
func keysOf(id json.RawMessage) []string {
	var own mcp.RequestId
	if id == nil || own.UnmarshalJSON(id) != nil {
		return nil
	}
	text, ok := own.Value().(string)
	if !ok {
		return []string{own.String(), "string:" + string(id)}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return []string{own.String(), mcp.NewRequestId(n).String()}
	}
	return []string{own.String()}
}
