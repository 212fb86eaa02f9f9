package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// streamableJudge is what streamable HTTP makes of a good status: a request's reply is JSON or an event stream, a
// notification's is nothing.
func (l *Link) streamableJudge(t *tripper, reply *http.Response) (*http.Response, error) {
	x := exchangeOf(reply.Request.Context())
	kind := mediaType(reply.Header.Get("Content-Type"))
	switch {
	case x == nil && reply.Request.Method == http.MethodPost:
		return acknowledged(reply), nil
	case kind == "text/event-stream" && reply.Request.Method == http.MethodGet:
		return reply, nil // see Listen
	case kind == "text/event-stream" && x != nil:
		reply.Body = newStream(reply.Body, &answerStream{exchange: x, respond: l.responder(reply.Request)})
	case kind == "application/json" && x != nil:
		text, err := t.only(reply, x)
		if err != nil {
			return nil, err
		}
		reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	default:
		return nil, t.fault(reply, startOf(reply.Body))
	}
	reply.StatusCode = http.StatusOK
	return reply, nil
}

// only is the reply to x in a JSON body, under the id that we sent. A body that goes on after its value is not waited for.
func (t *tripper) only(reply *http.Response, x *exchange) ([]byte, error) {
	defer reply.Body.Close()
	var read bytes.Buffer
	var raw json.RawMessage
	err := json.NewDecoder(io.TeeReader(&capped{r: reply.Body, left: frameLimit}, &read)).Decode(&raw)
	var large *TooLargeError
	switch {
	case errors.As(err, &large):
		return nil, large
	case err != nil:
		return nil, t.unreadable(reply, read.Bytes(), err)
	}
	m, ok := pick(raw, x)
	if !ok {
		return nil, &ReplyError{Problem: "is JSON but no JSON-RPC message", Text: t.mask(excerpt(raw))}
	}
	if problem := m.flawFor(x); problem != "" {
		return nil, &ReplyError{Problem: problem, Text: t.mask(excerpt(raw))}
	}
	return m.reply(x.id), nil
}

// unreadable says why a body could not be read as JSON.
func (t *tripper) unreadable(reply *http.Response, body []byte, err error) error {
	var syntax *json.SyntaxError
	if _, deep := nestedTooDeep(body); deep {
		return &TooDeepError{Limit: nestingLimit}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && opens(body) {
		return &ReplyError{Problem: "is cut off", Text: t.mask(excerpt(body))}
	}
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) {
		return t.fault(reply, body)
	}
	return err
}

// pick is the message of a body, or the one of a batch that replies to x.
func pick(raw []byte, x *exchange) (message, bool) {
	batch, ok := parseBatch(raw)
	if !ok {
		return parseMessage(raw)
	}
	for _, m := range batch {
		if m.isReply() && m.flawFor(x) == "" {
			return m, true
		}
	}
	return batch[0], true
}

// flawFor is what makes a message useless as the reply to x, or nothing.
func (m message) flawFor(x *exchange) string {
	switch {
	case !m.isReply():
		return "is a request or a notification instead"
	case m.id != nil && !x.is(m.id):
		return "has the id of another request"
	}
	return m.flaw()
}

// capped reads up to a limit, and then fails.
type capped struct {
	r    io.Reader
	left int
}

// Read fails with a *TooLargeError after the limit.
func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, &TooLargeError{Limit: frameLimit}
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
