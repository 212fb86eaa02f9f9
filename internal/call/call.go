// Package call turns what a person writes into the requests that make a server act, and their results into pieces that
// can be shown and saved. It is pure: it sends, reads and writes nothing.
//
// It is the one place that knows the request that calls a tool; layout_test.go keeps that so.
package call

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Message is a request of the protocol: its method and the members of its params, each as it is to be sent.
type Message struct {
	Method string
	Params map[string]json.RawMessage
}

// Tool calls a tool with arguments, a JSON object (specification, tools, calling).
func Tool(name string, arguments json.RawMessage) Message {
	return Message{"tools/call", map[string]json.RawMessage{"name": rawjson.Quote(name), "arguments": arguments}}
}

// Prompt gets a prompt filled in with arguments, a JSON object of strings (specification, prompts, getting).
func Prompt(name string, arguments json.RawMessage) Message {
	return Message{"prompts/get", map[string]json.RawMessage{"name": rawjson.Quote(name), "arguments": arguments}}
}

// Read reads a resource (specification, resources, reading).
func Read(uri string) Message {
	return Message{"resources/read", map[string]json.RawMessage{"uri": rawjson.Quote(uri)}}
}

// Complete asks what an argument that begins with prefix may be. known are values of other arguments, nil = none
// (specification, completion).
func Complete(to Reference, argument, prefix string, known map[string]string) Message {
	params := map[string]json.RawMessage{
		"ref":      to.json(),
		"argument": rawjson.Build(rawjson.Member{Key: "name", Value: rawjson.Quote(argument)}, rawjson.Member{Key: "value", Value: rawjson.Quote(prefix)}),
	}
	if len(known) > 0 {
		params["context"] = rawjson.Build(rawjson.Member{Key: "arguments", Value: Texts(known)})
	}
	return Message{"completion/complete", params}
}

// Reference is what an argument that is to be completed belongs to.
type Reference struct {
	Kind snapshot.Kind // Prompts or Templates
	Key  string        // its name, or its URI template
}

func (r Reference) json() json.RawMessage {
	kind, key := "ref/prompt", "name"
	if r.Kind == snapshot.Templates {
		kind, key = "ref/resource", "uri"
	}
	return rawjson.Build(rawjson.Member{Key: "type", Value: rawjson.Quote(kind)}, rawjson.Member{Key: key, Value: rawjson.Quote(r.Key)})
}

// Again is the message once more, with what the server wanted to know of the user and the state that it gave (since
// 2026-07-28, multi round-trip requests). Nil for either = there is none.
func (m Message) Again(responses, state json.RawMessage) Message {
	params := map[string]json.RawMessage{}
	for name, value := range m.Params {
		params[name] = value
	}
	delete(params, "inputResponses")
	delete(params, "requestState")
	if responses != nil {
		params["inputResponses"] = responses
	}
	if state != nil {
		params["requestState"] = state
	}
	return Message{m.Method, params}
}

// Texts is an object of strings, sorted by name.
func Texts(values map[string]string) json.RawMessage {
	var members []rawjson.Member
	for _, name := range slices.Sorted(maps.Keys(values)) {
		members = append(members, rawjson.Member{Key: name, Value: rawjson.Quote(values[name])})
	}
	return rawjson.Build(members...)
}
