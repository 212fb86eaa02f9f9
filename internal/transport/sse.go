package transport

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/mark3labs/mcp-go/client/transport"
)

// OpenSSE opens the event stream of an HTTP+SSE server and waits until it has named its endpoint, or for life to end.
// The stream lives until Close or the end of life. Errors are those of SendRequest.
func OpenSSE(life context.Context, e Endpoint) (*Link, error) {
	trip, client, err := e.client()
	if err != nil {
		return nil, err
	}
	inner, err := transport.NewSSE(e.URL, transport.WithHTTPClient(client), transport.WithSSELogger(silent()),
		transport.WithEndpointTimeout(unlimited), transport.WithResponseTimeout(unlimited))
	if err != nil {
		return nil, errURL
	}
	inner.SetConnectionLostHandler(func(error) {}) // we see it first
	l := newLink(KindSSE, inner)
	ctx, cancel := context.WithCancelCause(life)
	mail := &mail{link: l, home: trip.home, cancel: cancel, asked: make(chan message, 64)}
	l.trouble = trip.last
	trip.judge = func(t *tripper, reply *http.Response) (*http.Response, error) { return mail.judge(t, reply) }
	answered := make(chan struct{})
	go mail.answer(ctx, client, inner.GetEndpoint, answered)
	l.end = func() error {
		err := inner.Close()
		cancel(transport.ErrTransportClosed)
		<-answered
		client.CloseIdleConnections()
		return err
	}
	if err := inner.Start(ctx); err != nil {
		err = l.explain(ctx, &exchange{}, err)
		_ = l.Close()
		return nil, err
	}
	l.closeWith(life)
	return l, nil
}

// mail reads the one event stream of an HTTP+SSE link, and answers the server's requests, which mcp-go would take for
// replies.
type mail struct {
	link   *Link
	home   *url.URL
	cancel context.CancelCauseFunc
	asked  chan message // requests that wait for an answer; more than fit are dropped
}

// judge is what HTTP+SSE makes of a good status: GET must give a stream, POST gives nothing.
func (m *mail) judge(t *tripper, reply *http.Response) (*http.Response, error) {
	if reply.Request.Method != http.MethodGet {
		return acknowledged(reply), nil
	}
	if mediaType(reply.Header.Get("Content-Type")) != "text/event-stream" {
		return nil, t.fault(reply, startOf(reply.Body))
	}
	reply.StatusCode, reply.Body = http.StatusOK, newStream(reply.Body, m)
	return reply, nil
}

func (m *mail) take(e event) ([]event, bool) {
	switch {
	case e.data == nil:
		return nil, false
	case e.kind == "endpoint":
		return m.endpoint(e)
	case e.kind != "" && e.kind != "message":
		return nil, false
	}
	batch, ok := parseBatch(e.data)
	if !ok {
		one, ok := parseMessage(e.data)
		if !ok {
			m.refuse(e.data)
			return nil, false
		}
		batch = []message{one}
	}
	var pass []event
	for _, one := range batch {
		if line := m.sort(one); line != nil {
			pass = append(pass, event{kind: "message", data: line})
		}
	}
	return pass, false
}

// sort is what mcp-go shall see of a message.
func (m *mail) sort(one message) []byte {
	if !one.isReply() && one.id != nil {
		select {
		case m.asked <- one:
		default:
		}
		return nil
	}
	line, stray := m.link.open.deliver(one)
	if stray {
		m.link.noise.add(one.raw, 0)
	}
	return line
}

// endpoint checks where the server wants our messages: mcp-go would wait in silence for a better one.
func (m *mail) endpoint(e event) ([]event, bool) {
	to, err := m.home.Parse(string(bytes.TrimSpace(e.data)))
	if err != nil || !sameOrigin(m.home, to) {
		refused := &RedirectError{From: plainURL(m.home), To: "an unreadable URL", Why: otherOrigin}
		if err == nil {
			refused.To = plainURL(to)
		}
		m.lose(refused)
		return nil, true
	}
	return []event{e}, false
}

func (m *mail) refuse(data []byte) {
	if id, deep := nestedTooDeep(data); deep {
		m.link.open.failOne(id, &TooDeepError{Limit: nestingLimit})
		return
	}
	m.link.noise.add(data, 0)
}

func (m *mail) end(err error) {
	cause := error(&LostError{Cause: "the server ended the event stream"})
	if known := typed(err); known != nil {
		cause = known
	} else if err != nil {
		cause = &LostError{Cause: fmt.Sprintf("the event stream broke off: %v", err)}
	}
	m.lose(cause)
}

func (m *mail) lose(err error) {
	m.link.lose(err)
	m.link.open.failAll(err)
	m.cancel(err)
}

// answer posts answers to the server's requests, one after the other, until ctx ends.
func (m *mail) answer(ctx context.Context, client *http.Client, endpoint func() *url.URL, done chan<- struct{}) {
	defer close(done)
	for {
		select {
		case <-ctx.Done():
			return
		case asked := <-m.asked:
			if to := endpoint(); to != nil {
				m.link.respond(ctx, client, to.String(), nil, asked)
			}
		}
	}
}
