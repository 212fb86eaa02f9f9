package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/conformance"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Exchange is one question to a server, asked on purpose, with what came of it.
type Exchange = conformance.Exchange

// Interview asks a server what no client would ask, to see whether it keeps to the specification: in the revision that was
// negotiated, and in the newest one of the other era if it speaks that. No tool is called. A question waits for a sixth of the
// timeout at most, and an era has all of it; what was not asked by then is missing, and the error says so.
func Interview(ctx context.Context, server Server, options Options, about *snapshot.Snapshot) (all []Exchange, err error) {
	versions := []string{about.Protocol}
	if !isLegacy(about.Protocol) { // one of the other sort was asked for discover already
		versions = append(versions, newestLegacy(about.Supported))
	}
	for _, version := range versions {
		options.Protocol, server.Protocol = version, ""
		i := interview{attempt: newAttempt(server, options)}
		err = guard(func() error { return i.run(ctx) })
		all = append(all, i.asked...)
		must := version == about.Protocol || slices.Contains(about.Supported, version)
		if err != nil && (must || i.session != nil) {
			return all, i.attempt.shown(ctx, err)
		}
	}
	return all, nil
}

type interview struct {
	attempt attempt
	session *Session
	asked   []Exchange
}

func (i *interview) run(ctx context.Context) error {
	ctx, cancel := limited(ctx, i.attempt.timeout())
	defer cancel()
	var err error
	if i.session, err = i.attempt.open(ctx); err != nil {
		return err
	}
	defer i.session.Close()
	about := conformance.Facts{
		Protocol: i.session.Protocol(), HTTP: i.session.Transport() == transport.KindStreamable, Local: i.local(),
		Session: i.session.conn.GetSessionId() != "", Capabilities: i.session.peer.capabilities,
	}
	questions := conformance.Questions(about)
	for n, q := range questions {
		if q.After && !i.asked[len(i.asked)-1].Taken() {
			continue
		}
		e := i.ask(ctx, about, q)
		if ctx.Err() != nil {
			return i.attempt.explain(ctx, Interviewing, fmt.Errorf("after %d of %d questions: %w", n, len(questions), context.Cause(ctx)), i.session.conn.Conn)
		}
		i.asked = append(i.asked, e)
		if lost := i.session.conn.Lost(); lost != nil {
			return i.attempt.explain(ctx, Interviewing, lost, i.session.conn.Conn)
		}
	}
	return nil
}

// local tells whether the server is at an address of this machine.
func (i *interview) local() bool {
	return match.ThisMachine(failure{server: i.attempt.server}.address().Hostname())
}

// ask asks one question and records what comes of it.
func (i *interview) ask(ctx context.Context, about conformance.Facts, q conformance.Question) Exchange {
	ctx, cancel := limited(ctx, i.attempt.timeout()/6)
	defer cancel()
	raw, id := i.written(q.Ask)
	e := Exchange{Question: q.ID, Protocol: about.Protocol, HTTP: about.HTTP, ID: id}
	reply, err := i.send(ctx, q.Ask, raw)
	e.Status, e.Type = reply.Status, reply.Type
	for _, message := range reply.Messages {
		clean, _ := i.attempt.surfaceSecrets().JSON(message)
		e.Messages = append(e.Messages, clean)
	}
	if err != nil {
		e.Problem = i.attempt.explain(ctx, Interviewing, err, nil).Err.Error()
	}
	return e
}

// send sends a message over the connection of the session, or over one of its own.
func (i *interview) send(ctx context.Context, ask conformance.Ask, raw transport.Raw) (transport.RawReply, error) {
	conn := i.session.conn
	if ask.Fresh {
		ways := i.attempt.dialers()
		way := ways[0]
		if conn.Kind == transport.KindSSE {
			way = ways[len(ways)-1]
		}
		fresh, _, err := i.attempt.dial(ctx, way)
		if err != nil {
			return transport.RawReply{}, err
		}
		defer fresh.close()
		conn = fresh
	}
	return conn.Exchange(ctx, raw)
}

// written is the message of an ask, and the id that it has.
func (i *interview) written(ask conformance.Ask) (transport.Raw, json.RawMessage) {
	raw := transport.Raw{Verb: cmp.Or(ask.Verb, http.MethodPost), Header: map[string]string{}, First: ask.First}
	if raw.Verb != http.MethodPost || ask.Body != "" {
		raw.Body, raw.Header = []byte(ask.Body), ask.Header
		return raw, nil
	}
	c := i.session.caller
	var params map[string]any
	_ = json.Unmarshal([]byte(cmp.Or(ask.Params, "{}")), &params) // a test reads all questions
	request := c.request(cmp.Or(ask.Method, i.signOfLife()), params)
	for name := range request.Header {
		raw.Header[name] = request.Header.Get(name)
	}
	maps.Copy(raw.Header, ask.Header)
	sent := map[string]any{"jsonrpc": request.JSONRPC, "method": request.Method, "params": edited(request.Params, ask)}
	var id json.RawMessage
	if !ask.Note {
		id, _ = rawjson.Encode(request.ID)
		if raw.ID = request.ID; ask.ID != "" {
			id = json.RawMessage(ask.ID)
			_ = raw.ID.UnmarshalJSON(id)
		}
		sent["id"] = id
	}
	raw.Body, _ = rawjson.Encode(sent) // what was decoded encodes
	return raw, id
}

func (i *interview) signOfLife() string {
	if i.session.peer.stateless {
		return "server/discover"
	}
	return string(mcp.MethodPing)
}

// edited are params with the _meta that an ask wants.
func edited(params any, ask conformance.Ask) any {
	members, _ := params.(map[string]any)
	if ask.Bare {
		delete(members, "_meta")
	}
	meta, _ := members["_meta"].(map[string]any)
	for name, value := range ask.Meta {
		if meta[name] = json.RawMessage(value); value == "" {
			delete(meta, name)
		}
	}
	return members
}
