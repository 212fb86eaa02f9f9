package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Result is what a request gave back.
type Result struct {
	Raw         json.RawMessage // exactly as the server sent it
	Description string          // of a prompt
	Pieces      []Piece
	Structured  json.RawMessage // structuredContent of a tool; nil = none
	Failed      bool            // the tool reports an error (isError)
	Values      []string        // of a completion
	More        string          // of a completion: what is said of further values
}

// ToolResult reads what a tool gave back (specification, tools, tool result).
func ToolResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("tools/call", raw)
	if err != nil {
		return r, err
	}
	r.Failed = string(result["isError"]) == "true"
	if value := result["structuredContent"]; value != nil && string(value) != "null" {
		r.Structured = value
	}
	blocks, err := elements("tools/call", "content", result["content"])
	if err != nil && r.Structured == nil {
		return r, err
	}
	for _, block := range blocks {
		r.Pieces = append(r.Pieces, piece(block))
	}
	return r, nil
}

// PromptResult reads a prompt that was filled in.
func PromptResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("prompts/get", raw)
	if err != nil {
		return r, err
	}
	r.Description = word(result["description"])
	messages, err := elements("prompts/get", "messages", result["messages"])
	for _, message := range messages {
		m := fields(message)
		blocks := []json.RawMessage{m["content"]}
		if several, err := rawjson.Elements(m["content"]); err == nil { // against the specification, and some do it
			blocks = several
		}
		for _, block := range blocks {
			p := piece(block)
			p.Role = word(m["role"])
			r.Pieces = append(r.Pieces, p)
		}
	}
	return r, err
}

// ReadResult reads the contents of resources.
func ReadResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("resources/read", raw)
	if err != nil {
		return r, err
	}
	contents, err := elements("resources/read", "contents", result["contents"])
	for _, one := range contents {
		r.Pieces = append(r.Pieces, resource(one, one))
	}
	return r, err
}

// CompleteResult reads the values that complete an argument.
func CompleteResult(raw json.RawMessage) (Result, error) {
	r := Result{Raw: raw}
	result, err := whole("completion/complete", raw)
	if err != nil {
		return r, err
	}
	completion := fields(result["completion"])
	values, err := elements("completion/complete", "values", completion["values"])
	for _, value := range values {
		r.Values = append(r.Values, word(value))
	}
	switch total := completion["total"]; {
	case total != nil && string(total) != fmt.Sprint(len(values)):
		r.More = fmt.Sprintf("%d of %s values", len(values), brief(total))
	case string(completion["hasMore"]) == "true":
		r.More = fmt.Sprintf("%d values of more", len(values))
	}
	return r, err
}

// whole are the members of a result that is complete.
func whole(method string, raw json.RawMessage) (map[string]json.RawMessage, error) {
	if _, err := rawjson.Members(raw); err != nil {
		return nil, fmt.Errorf("the result of %s is %s, not an object", method, typeOf(raw))
	}
	result := fields(raw)
	if kind := result["resultType"]; kind != nil && word(kind) != "complete" {
		return nil, fmt.Errorf("the result of %s has the unknown resultType %s", method, missing(kind))
	}
	return result, nil
}

func elements(method, name string, raw json.RawMessage) ([]json.RawMessage, error) {
	all, err := rawjson.Elements(raw)
	if err != nil {
		return nil, fmt.Errorf("the result of %s has no list: %q is %s", method, name, typeOf(raw))
	}
	return all, nil
}

// Told tells whether a text of the result says the same as its structured content, as the specification wants it for
// clients that know only texts.
func (r Result) Told() bool {
	structured, err := decode(r.Structured)
	for _, p := range r.Pieces {
		said, failed := decode(json.RawMessage(p.Text))
		if p.Kind == Text && err == nil && failed == nil && reflect.DeepEqual(structured, said) {
			return true
		}
	}
	return false
}

// Promised is what is wrong with the structured content of a tool by the schema that it declares (specification, tools,
// output schema). sure is false where that cannot be told.
func (r Result) Promised(schema json.RawMessage) (problems []Problem, sure bool) {
	switch {
	case schema == nil || r.Failed:
		return nil, true
	case r.Structured == nil:
		return []Problem{{Message: "is missing, though the tool declares an outputSchema"}}, true
	}
	return Check(schema, r.Structured)
}

// Need is what a server wants to know before it goes on (since 2026-07-28, multi round-trip requests).
type Need struct {
	Requests []Question
	State    json.RawMessage // to be sent back as it is; nil = none
}

// Question is one request of a server to the client.
type Question struct {
	Key    string
	Method string
	Params json.RawMessage
}

// ErrNoNeed is the error of a result that asks for input and says neither what for nor what to send back.
var ErrNoNeed = errors.New("the server asks for input and does not say for what")

// Needs tells whether a result asks for input, and for what.
func Needs(raw json.RawMessage) (need Need, asked bool, err error) {
	result := fields(raw)
	if word(result["resultType"]) != "input_required" {
		return need, false, nil
	}
	members, _ := rawjson.Members(result["inputRequests"])
	for _, m := range members {
		request := fields(m.Value)
		need.Requests = append(need.Requests, Question{m.Key, word(request["method"]), request["params"]})
	}
	if need.State = result["requestState"]; need.State == nil && need.Requests == nil {
		return need, true, ErrNoNeed
	}
	return need, true, nil
}

// Responses are answers to questions, by their keys, as they are sent back.
func Responses(questions []Question, answers []json.RawMessage) json.RawMessage {
	if len(questions) == 0 {
		return nil
	}
	var members []rawjson.Member
	for i, q := range questions {
		members = append(members, rawjson.Member{Key: q.Key, Value: answers[i]})
	}
	return object(members...)
}
