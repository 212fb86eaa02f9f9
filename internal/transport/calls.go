package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// pendingCall is a request that waits for its reply.
type pendingCall struct {
	id         int64
	repeatable bool               // it may be sent a second time
	cancel     context.CancelFunc // ends the wait in mcp-go

	settled sync.Once // by the first reply or failure; sets the two below
	reply   message
	err     error
}

// answer settles the call with a reply, if it is the first.
func (p *pendingCall) answer(m message) {
	p.settled.Do(func() {
		if p.reply = m; m.flaw != "" {
			p.err = &ReplyError{m.flaw}
		}
	})
}

// receipt returns what mcp-go gets in the place of the reply.
func (p *pendingCall) receipt() []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{}}`, p.id)
}

// fail settles the call without a reply. What came first stays.
func (p *pendingCall) fail(err error) {
	p.settled.Do(func() { p.err = err })
	p.cancel()
}

// flawOf returns what makes a message useless as the reply to the call, or nothing.
func (p *pendingCall) flawOf(m message) string {
	if !m.isReply() {
		return "is a request or a notification instead"
	}
	if id, ok := idNumber(m.id); m.id != nil && (!ok || id != p.id) {
		return "has the id of another request"
	}
	return m.flaw
}

// pendingCalls are the requests of one connection; the zero value is empty.
type pendingCalls struct {
	mu   sync.Mutex
	open map[int64]*pendingCall
	last int64 // the highest id that was sent
}

// start makes a request one that a reply can settle, until stop. cancel is called when it fails.
func (s *pendingCalls) start(r JSONRPCRequest, cancel context.CancelFunc) *pendingCall {
	id, _ := r.ID.Value().(int64)
	p := &pendingCall{id: id, cancel: cancel, repeatable: repeatable(r.Method)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[int64]*pendingCall{}
	}
	s.open[id], s.last = p, max(s.last, id)
	return p
}

// stop ends the wait for a reply: one that comes afterwards is late.
func (s *pendingCalls) stop(p *pendingCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, p.id)
}

// find returns the open call that the id of a reply means; without an id it is the only one. late reports
// that the call has ended.
func (s *pendingCalls) find(id json.RawMessage) (p *pendingCall, late bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == nil && len(s.open) == 1 {
		for _, p = range s.open {
			return p, false
		}
	}
	number, ok := idNumber(id)
	if !ok {
		return nil, false
	}
	p = s.open[number]
	return p, p == nil && number > 0 && number <= s.last
}

// failOne fails the call that an id means, or all of them when that is unknown.
func (s *pendingCalls) failOne(id json.RawMessage, err error) {
	p, late := s.find(id)
	switch {
	case p != nil:
		p.fail(err)
	case !late:
		s.failAll(err)
	}
}

func (s *pendingCalls) failAll(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.open {
		p.fail(err)
	}
}

// idNumber returns the number that an id is, also as a float or a string: servers answer 2 with "2" or 2.0.
func idNumber(id json.RawMessage) (int64, bool) {
	text, isText := rawjson.Text(id)
	if !isText {
		text = string(id)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return int64(f), err == nil && !isText && f == float64(int64(f))
}
