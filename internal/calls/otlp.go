package calls

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// traces is what is read of a document of OTLP JSON: one line of the Collector's file exporter, or the body
// of an export request.
type traces struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes attributes }
		ScopeSpans []struct{ Spans []traceSpan }
	}
}

// callMethod is the method of calls in traces.
const callMethod = "tools/call"

// traceSpan is one operation in a trace.
type traceSpan struct {
	SpanID            string
	ParentSpanID      string
	Kind              json.RawMessage // a number or a name
	StartTimeUnixNano json.RawMessage // a number, or a string that holds one
	Attributes        attributes
	service           string // name of the program that recorded it
}

// attributes are the decoded values of a span or a resource, by key.
type attributes map[string]any

// UnmarshalJSON reads the list that OTLP JSON has.
func (a *attributes) UnmarshalJSON(raw []byte) error {
	var list []struct {
		Key   string
		Value json.RawMessage
	}
	err := json.Unmarshal(raw, &list)
	*a = attributes{}
	for _, attribute := range list {
		value, _ := rawjson.Decode(attribute.Value) // an error for a missing value
		(*a)[attribute.Key] = plain(value)
	}
	return err
}

// maxObjects bounds the memory that a line of traces takes.
const maxObjects = 1_000_000

// eachSpan calls do with the calls of tools in a document of traces. A server's span inside a client's span
// of the same document is the same call.
func eachSpan(line []byte, number int, do func(Call) error) error {
	if bytes.Count(line, []byte("{")) > maxObjects {
		return fmt.Errorf("more than %d objects in a line of traces", maxObjects)
	}
	var doc traces
	if err := json.Unmarshal(line, &doc); err != nil {
		return fmt.Errorf("invalid OTLP JSON: %w", err)
	}
	var calls []traceSpan
	clients := map[string]bool{} // ids of the spans of clients
	for _, resource := range doc.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				if s.Attributes.text("mcp.method.name") == callMethod {
					s.service = resource.Resource.Attributes.text("service.name")
					calls = append(calls, s)
					clients[s.SpanID] = clients[s.SpanID] || !s.isServer()
				}
			}
		}
	}
	for _, s := range calls {
		if s.isServer() && clients[s.ParentSpanID] {
			continue
		}
		c := s.call()
		if c.Line = number; c.Tool == "" {
			return fmt.Errorf("span %q has no gen_ai.tool.name", s.SpanID)
		}
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}

func (s traceSpan) isServer() bool {
	kind := strings.Trim(string(s.Kind), `"`)
	return kind == "2" || kind == "SPAN_KIND_SERVER"
}

// call returns the call that a span records.
func (s traceSpan) call() Call {
	c := Call{Tool: cmp.Or(s.Attributes.text("gen_ai.tool.name"), s.Attributes.text("mcp.tool.name")),
		Server: s.Attributes.text("mcp.server.name"), Client: s.Attributes.text("mcp.client.name")}
	if s.isServer() {
		c.Server = cmp.Or(c.Server, s.service)
	} else {
		c.Client = cmp.Or(c.Client, s.service)
	}
	if nanos, err := strconv.ParseInt(strings.Trim(string(s.StartTimeUnixNano), `"`), 10, 64); err == nil {
		c.Time = time.Unix(0, nanos)
	}
	c.Arguments = s.Attributes.object("gen_ai.tool.call.arguments")
	result := s.Attributes.object("gen_ai.tool.call.result")
	if _, err := rawjson.Elements(rawjson.ObjectOf(result)["content"]); err == nil { // that of tools/call
		c.Result = result
	}
	return c
}

// text returns an attribute that is a string, else "".
func (a attributes) text(key string) string {
	text, _ := a[key].(string)
	return text
}

// object returns an attribute whose value is an object, or a string that holds one; nil for any other.
func (a attributes) object(key string) json.RawMessage {
	value := a[key]
	if text, ok := value.(string); ok {
		var err error
		if value, err = rawjson.Decode(json.RawMessage(text)); err != nil {
			return nil
		}
	}
	members, ok := value.(map[string]any)
	raw, err := rawjson.Encode(members)
	if !ok || err != nil {
		return nil
	}
	return raw
}

// plain returns an AnyValue of OTLP as the value that it stands for.
func plain(value any) any {
	of, _ := value.(map[string]any)
	for kind, value := range of {
		inner, _ := value.(map[string]any)
		values, _ := inner["values"].([]any)
		switch kind {
		case "kvlistValue":
			members := map[string]any{}
			for _, v := range values {
				member, _ := v.(map[string]any)
				if key, ok := member["key"].(string); ok {
					members[key] = plain(member["value"])
				}
			}
			return members
		case "arrayValue":
			elements := make([]any, len(values))
			for i, v := range values {
				elements[i] = plain(v)
			}
			return elements
		case "intValue": // a 64-bit number is a string
			if text, ok := value.(string); ok {
				return json.Number(text)
			}
			return value
		case "stringValue", "boolValue", "doubleValue":
			return value
		}
	}
	return nil
}
