package transport

import (
	"context"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"
)

// answerStream reads the event stream that is the reply to one POST: notifications, requests of the server, and at last
// the reply. It ends with the reply, whatever the server sends after it.
type answerStream struct {
	exchange *exchange
	respond  func(message) // answers a request of the server, without waiting for that
}

// responder answers the requests that a server sends in its reply to a POST, with the headers of that POST.
func (l *Link) responder(post *http.Request) func(message) {
	header := http.Header{}
	for _, name := range []string{sessionHeader, transport.HeaderKeyProtocolVersion} {
		if value := post.Header.Get(name); value != "" {
			header.Set(name, value)
		}
	}
	ctx := context.WithValue(post.Context(), exchangeKey{}, (*exchange)(nil)) // an answer is no request of ours
	return func(asked message) { go l.respond(ctx, l.web.client, l.web.url, header, asked) }
}

func (a *answerStream) take(e event) ([]event, bool) {
	if e.data == nil || e.kind != "" && e.kind != "message" {
		return []event{{rest: e.rest}}, false
	}
	batch, ok := parseBatch(e.data)
	if !ok {
		m, ok := parseMessage(e.data)
		if !ok {
			a.refuse(e.data)
			return []event{{rest: e.rest}}, false
		}
		batch = []message{m}
	}
	pass := []event{{rest: e.rest}}
	for _, m := range batch {
		if m.asks() {
			a.respond(m)
			continue
		}
		if !m.isReply() {
			pass = append(pass, event{data: m.raw})
			continue
		}
		if problem := m.flawFor(a.exchange); problem != "" {
			a.exchange.note(&ReplyError{Problem: problem, Text: excerpt(m.raw)})
			continue
		}
		return append(pass, event{data: m.reply(a.exchange.id)}), true
	}
	return pass, false
}

// refuse deals with an event that cannot be read. Too deep is the reply, most likely; others may be followed by it.
func (a *answerStream) refuse(data []byte) {
	if _, deep := nestedTooDeep(data); deep {
		a.exchange.fail(&TooDeepError{Limit: nestingLimit})
		return
	}
	a.exchange.note(&ReplyError{Problem: "is no JSON-RPC message", Text: excerpt(data)})
}

func (a *answerStream) end(err error) {
	if known := typed(err); known != nil {
		a.exchange.fail(known)
		return
	}
	cause := "the server ended the event stream without a reply"
	if err != nil {
		cause = fmt.Sprintf("the event stream broke off before the reply: %v", err)
	}
	a.exchange.note(&LostError{Cause: cause})
}
