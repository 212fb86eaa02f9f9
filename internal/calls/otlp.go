package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// traces is what is read of a document of OTLP JSON: one line of the Collector's file exporter, or the body
// of an export request.
type traces struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes attributes }
		ScopeSpans []struct{ Spans []span }
	}
}

// span is one operation in a trace.
type span struct {
	SpanID            string
	ParentSpanID      string
	Kind              json.RawMessage // a number or a name
	StartTimeUnixNano json.RawMessage // a number, or a string that holds one
	Attributes        attributes
}

// attributes are what a span or a resource says about itself, in OTLP JSON.
type attributes []struct {
	Key   string
	Value json.RawMessage // an AnyValue
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
	clients := map[string]bool{} // ids of the spans of clients
	each := func(do func(service string, s span) error) error {
		for _, resource := range doc.ResourceSpans {
			service := resource.Resource.Attributes.text("service.name")
			for _, scope := range resource.ScopeSpans {
				for _, s := range scope.Spans {
					if s.Attributes.text("mcp.method.name") != call.ToolMethod {
						continue
					}
					if err := do(service, s); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	_ = each(func(_ string, s span) error {
		clients[s.SpanID] = clients[s.SpanID] || !s.isServer()
		return nil
	})
	return each(func(service string, s span) error {
		if s.isServer() && clients[s.ParentSpanID] {
			return nil
		}
		c, err := s.call(service)
		if err != nil {
			return err
		}
		c.Line = number
		return do(c)
	})
}

func (s span) isServer() bool {
	kind := strings.Trim(string(s.Kind), `"`)
	return kind == "2" || kind == "SPAN_KIND_SERVER"
}

// call returns the call that a span records. service is the name of the program that recorded it.
func (s span) call(service string) (Call, error) {
	c := Call{Tool: s.Attributes.text("gen_ai.tool.name", "mcp.tool.name"),
		Server: s.Attributes.text("mcp.server.name"), Client: s.Attributes.text("mcp.client.name")}
	if c.Tool == "" {
		return c, fmt.Errorf("span %q has no gen_ai.tool.name", s.SpanID)
	}
	switch {
	case s.isServer() && c.Server == "":
		c.Server = service
	case !s.isServer() && c.Client == "":
		c.Client = service
	}
	if nanos, err := strconv.ParseInt(strings.Trim(string(s.StartTimeUnixNano), `"`), 10, 64); err == nil {
		c.Time = time.Unix(0, nanos)
	}
	c.Arguments, _ = s.Attributes.object("gen_ai.tool.call.arguments")
	result, members := s.Attributes.object("gen_ai.tool.call.result")
	if _, ok := members["content"].([]any); ok {
		c.Result = result
	}
	return c, nil
}

// text returns the first of some attributes that is a non-empty string.
func (all attributes) text(keys ...string) string {
	for _, key := range keys {
		for _, a := range all {
			if a.Key == key {
				if text := rawjson.ObjectOf(a.Value).Text("stringValue"); text != "" {
					return text
				}
			}
		}
	}
	return ""
}

// object returns an attribute whose value is an object, or a string that holds one, and its members; nil for
// any other.
func (all attributes) object(key string) (json.RawMessage, map[string]any) {
	for _, a := range all {
		if a.Key != key {
			continue
		}
		decoded, err := rawjson.Decode(a.Value)
		value := plain(decoded)
		if text, ok := value.(string); ok {
			value, err = rawjson.Decode(json.RawMessage(text))
		}
		if members, ok := value.(map[string]any); ok && err == nil {
			raw, err := rawjson.Encode(members)
			if err == nil {
				return raw, members
			}
		}
	}
	return nil, nil
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
