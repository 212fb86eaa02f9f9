// Package conformance is what servers are asked on purpose to see whether they keep to the specification, and what it wants to
// hear. Nothing here contacts a server: an Exchange is judged as it was recorded. No question calls a tool.
package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// The revisions of the protocol that are asked about: the newest of each era.
const (
	Legacy = "2025-11-25"
	Modern = "2026-07-28"
)

// Ask is one request as it is sent. Members that are empty are as any client has them.
type Ask struct {
	Verb   string            // of HTTP; empty = POST
	Method string            // of the protocol; empty = a sign of life of the era
	Params string            // members of params, as JSON
	ID     string            // as JSON; empty = a number
	Note   bool              // a notification: it has no id
	Body   string            // sent in the place of a message
	Bare   bool              // no member of _meta that 2026-07-28 wants
	Meta   map[string]string // members of _meta, each as JSON; empty = left out
	Header map[string]string // over HTTP; empty = left out
	Fresh  bool              // on a connection of its own, before any handshake
	First  bool              // the first message that comes is all that is waited for
}

// Question is a request with what the specification wants to hear.
type Question struct {
	ID      string // permanent, since waivers name it
	Rule    string // of a check
	Era     string // Legacy or Modern; empty = both
	HTTP    bool   // it is about streamable HTTP alone
	Local   bool   // it is about servers of this machine alone
	Session bool   // it is about servers with a session alone
	Needs   string // a capability, as a JSON pointer; with a ! it must not be declared
	After   bool   // only where the question before it was answered with a status from 200 to 299
	Should  bool   // the specification says SHOULD, not MUST
	Section string // of the specification, below its revision
	What    string // was asked, as a clause
	Wanted  string // as a clause
	Ask     Ask

	kept func(Exchange) bool
}

// Facts are what decides which questions a server is asked.
type Facts struct {
	Protocol     string // the version in effect
	HTTP, Local  bool   // it speaks streamable HTTP; it is on this machine
	Session      bool
	Capabilities json.RawMessage
}

// Rules are the ids of the rules that faults are of.
func Rules() []string {
	all := []string{unanswered, badReply}
	for _, q := range questions {
		all = append(all, q.Rule)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// What any question can find.
const (
	unanswered = "conformance-unanswered"
	badReply   = "conformance-reply"
)

// Questions are those for a server, in the order in which they are to be asked.
func Questions(about Facts) []Question {
	return slices.DeleteFunc(slices.Clone(questions), func(q Question) bool {
		pointer, not := strings.CutPrefix(q.Needs, "!")
		value := string(rawjson.Find(about.Capabilities, pointer))
		declared := value != "" && value != "false" && value != "null"
		return q.Era != "" && q.Era != eraOf(about.Protocol) || q.HTTP && !about.HTTP || q.Local && !about.Local || q.Session && !about.Session || q.Needs != "" && declared == not
	})
}

func eraOf(version string) string {
	if version >= Modern {
		return Modern
	}
	return Legacy
}

// Exchange is a question as it was asked, and what came of it.
type Exchange struct {
	Question string
	Protocol string            // the version in effect
	HTTP     bool              // over streamable HTTP
	ID       json.RawMessage   `json:",omitempty"` // of the request; nil = it has none
	Status   int               `json:",omitempty"` // of HTTP
	Type     string            `json:",omitempty"` // Content-Type
	Messages []json.RawMessage `json:",omitempty"` // in their order; the last one is the reply, if one came
	Problem  string            `json:",omitempty"` // why there is no reply, as a clause
}

// Fault is what an exchange says against a server.
type Fault struct {
	Rule, Text, See string
	Place           string // as a JSON pointer
	Told            string // what the server answered, in words
	Should          bool
}

// Judge tells what an exchange says against a server. Of one that a gateway or a lack of rights refused it says nothing.
func Judge(e Exchange) (f Fault, found bool) {
	at := slices.IndexFunc(questions, func(q Question) bool { return q.ID == e.Question })
	if at < 0 || slices.Contains([]int{429, 502, 503, 504}, e.Status) || slices.Contains([]int{401, 403}, e.Status) && !e.hasReply() {
		return f, false
	}
	q, era := questions[at], eraOf(e.Protocol)
	f = Fault{Rule: q.Rule, Should: q.Should, Told: e.told(), Place: rawjson.Join("", "conformance", era, q.ID), See: specification + era + "/" + q.Section}
	what := fmt.Sprintf("Asked %s (%s), the server ", q.What, e.Protocol)
	switch wrong := e.malformed(); {
	case wrong != "":
		f.Rule, f.Should, f.See = badReply, false, specification+era+"/basic"
		f.Text = what + "gave a reply that " + wrong + "."
	case q.kept(e):
		return f, false
	case e.Problem != "":
		f.Rule, f.Should = unanswered, false
		f.Text = what + "gave no answer: " + e.Problem + "."
	default:
		f.Text = what + "answered with " + f.Told + "; wanted is " + q.Wanted + "."
	}
	return f, true
}

const specification = "https://modelcontextprotocol.io/specification/"

func (e Exchange) reply() rawjson.Object {
	if len(e.Messages) == 0 {
		return nil
	}
	return rawjson.ObjectOf(e.Messages[len(e.Messages)-1])
}

// Taken tells whether HTTP took the request.
func (e Exchange) Taken() bool { return e.Status >= 200 && e.Status < 300 }

func (e Exchange) hasReply() bool {
	reply := e.reply()
	return reply["result"] != nil || reply.Present("error") != nil
}

func (e Exchange) result() rawjson.Object { return rawjson.ObjectOf(e.reply()["result"]) }

func (e Exchange) refused() (code int, data rawjson.Object, ok bool) {
	var fault struct {
		Code int
		Data json.RawMessage
	}
	raw := e.reply().Present("error")
	ok = raw != nil && json.Unmarshal(raw, &fault) == nil
	return fault.Code, rawjson.ObjectOf(fault.Data), ok
}

// malformed is what makes the reply none of JSON-RPC, as the specification wants it (basic, messages). An error that says
// nothing to which request it belongs is right where the request could not be read, and among what HTTP refuses before 2026-07-28.
func (e Exchange) malformed() string {
	reply := e.reply()
	if !e.hasReply() {
		return ""
	}
	id, fault := reply.Present("id"), rawjson.ObjectOf(reply["error"])
	var code int
	switch version := reply.Text("jsonrpc"); {
	case version != "2.0":
		return `has no "jsonrpc":"2.0"`
	case reply["result"] != nil && reply.Present("error") != nil:
		return "has both a result and an error"
	case e.ID != nil && id == nil && (e.Status < 400 || eraOf(e.Protocol) == Modern), e.ID != nil && id != nil && !rawjson.Equal(id, e.ID):
		return fmt.Sprintf("has not the id of the request: it has %s in the place of %s", shown(id), e.ID)
	case reply["result"] == nil && (fault["message"] == nil || rawjson.TypeName(fault["message"]) != "a string" || json.Unmarshal(fault["code"], &code) != nil):
		return "has an error without an integer as its code and a text as its message"
	}
	return ""
}

func shown(raw json.RawMessage) string {
	if raw == nil {
		return "none"
	}
	return string(raw[:min(len(raw), 64)])
}

// told is what came, as a clause.
func (e Exchange) told() string {
	over := ""
	if e.Status != 0 {
		over = fmt.Sprintf("HTTP %d", e.Status)
	}
	code, _, refused := e.refused()
	switch {
	case refused:
		return strings.TrimPrefix(over+" and error "+fmt.Sprint(code), " and ")
	case e.hasReply():
		return strings.TrimPrefix(over+" and a result", " and ")
	case len(e.Messages) > 0:
		return strings.TrimPrefix(fmt.Sprintf("%s and the message %q first", over, e.reply().Text("method")), " and ")
	case e.Type != "":
		return over + " and " + e.Type
	}
	return over
}
