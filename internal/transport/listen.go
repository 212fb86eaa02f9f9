package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Listen opens the stream on which a server of streamable HTTP sends what belongs to no request (2025-11-25, transports,
// listening for messages), calls opened, and hands notifications on until the stream ends. The server's requests are
// answered. Errors are those of SendRequest: a server without such a stream gives an *HTTPError with status 405.
func (l *Link) Listen(ctx context.Context, version string, opened func()) error {
	if l.web == nil {
		return errors.New("only streamable HTTP has a stream to listen to")
	}
	header := http.Header{}
	header.Set(transport.HeaderKeyProtocolVersion, version)
	if id := l.GetSessionId(); id != "" {
		header.Set(sessionHeader, id)
	}
	reply, err := l.web.get(ctx, header)
	if err != nil {
		return l.explain(ctx, &exchange{}, err)
	}
	defer reply.Body.Close()
	opened()
	s := &listener{link: l, header: header}
	defer s.answers.Wait()
	return l.explain(ctx, &exchange{}, s.read(ctx, reply.Body))
}

// Lost is why there is no connection any more; nil while there is one.
func (l *Link) Lost() error { return l.loss() }

// GiveUp makes err the reason why the connection is lost, for what only the caller can see, such as the end of a session.
func (l *Link) GiveUp(err error) { l.lose(err) }

// web is what streamable HTTP needs beside mcp-go's transport.
type web struct {
	url    string
	client *http.Client
}

func (w *web) get(ctx context.Context, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		return nil, err
	}
	req.Header = header.Clone()
	req.Header.Set("Accept", "text/event-stream")
	return w.client.Do(req)
}

// listener reads one stream.
type listener struct {
	link    *Link
	header  http.Header
	answers sync.WaitGroup
}

func (s *listener) read(ctx context.Context, body io.Reader) error {
	lines := bufio.NewReader(body) // a small one: most streams carry little, and there may be many
	for {
		e, err := readEvent(lines)
		if errors.Is(err, io.EOF) {
			return &LostError{Cause: "the server ended the event stream"}
		}
		if err != nil {
			return &LostError{Cause: fmt.Sprintf("the event stream broke off: %v", err)}
		}
		if e.kind == "" || e.kind == "message" {
			s.take(ctx, e.data)
		}
	}
}

// take hands notifications on and answers requests. A reply has no place here, and what is no message is passed over.
func (s *listener) take(ctx context.Context, data []byte) {
	batch, ok := parseBatch(data)
	if one, single := parseMessage(data); !ok && single {
		batch = []message{one}
	}
	for _, m := range batch {
		var n mcp.JSONRPCNotification
		switch {
		case m.isReply():
		case m.id != nil:
			s.answers.Go(func() { s.link.respond(ctx, s.link.web.client, s.link.web.url, s.header, m) })
		case json.Unmarshal(m.raw, &n) == nil:
			s.link.inbox.receive(n)
		}
	}
}
