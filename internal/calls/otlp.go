package calls

import (
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
		Resource   struct{ Attributes []attribute }
		ScopeSpans []struct{ Spans []span }
	}
}

type span struct {
	SpanID            string
	ParentSpanID      string
	Kind              json.RawMessage // a number or a name
	StartTimeUnixNano json.RawMessage // a number, or a string that holds one
	Attributes        []attribute
}

type attribute struct {
	Key   string
	Value json.RawMessage // an AnyValue
}

// eachSpan calls do with the calls of tools in a document of traces. A server's span inside a client's span
// of the same document is the same call.
func eachSpan(line []byte, number int, do func(Call) error) error {
	var doc traces
	if err := json.Unmarshal(line, &doc); err != nil {
		return fmt.Errorf("invalid OTLP JSON: %w", err)
	}
	clients := map[string]bool{} // ids of the spans of clients
	for _, resource := range doc.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				if s.isCall() && !s.isServer() {
					clients[s.SpanID] = true
				}
			}
		}
	}
	for _, resource := range doc.ResourceSpans {
		service := textOf(resource.Resource.Attributes, "service.name")
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				if !s.isCall() || s.isServer() && clients[s.ParentSpanID] {
					continue
				}
				c, err := s.call(service)
				if err != nil {
					return err
				}
				c.Line = number
				if err := do(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// isCall reports whether a span is a tool call by the semantic conventions for MCP.
func (s span) isCall() bool { return textOf(s.Attributes, "mcp.method.name") == call.ToolMethod }

func (s span) isServer() bool {
	kind := strings.Trim(string(s.Kind), `"`)
	return kind == "2" || kind == "SPAN_KIND_SERVER"
}

// call returns the call that a span records. service is the name of the program that recorded it.
func (s span) call(service string) (Call, error) {
	c := Call{Tool: textOf(s.Attributes, "gen_ai.tool.name", "mcp.tool.name"),
		Server: textOf(s.Attributes, "mcp.server.name"), Client: textOf(s.Attributes, "mcp.client.name")}
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
	c.Arguments = objectOf(s.Attributes, "gen_ai.tool.call.arguments")
	if result := objectOf(s.Attributes, "gen_ai.tool.call.result"); result != nil {
		if _, err := rawjson.Elements(rawjson.ObjectOf(result)["content"]); err == nil {
			c.Result = result
		}
	}
	return c, nil
}

// textOf returns the first of some attributes that is a non-empty string.
func textOf(all []attribute, keys ...string) string {
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

// objectOf returns an attribute whose value is an object, or a string that holds one; nil for any other.
func objectOf(all []attribute, key string) json.RawMessage {
	for _, a := range all {
		if a.Key != key {
			continue
		}
		raw := anyValue(a.Value)
		if text, ok := rawjson.Text(raw); ok {
			raw = json.RawMessage(text)
		}
		if _, err := rawjson.Members(raw); err == nil {
			return raw
		}
	}
	return nil
}

// anyValue returns an AnyValue of OTLP as plain JSON.
func anyValue(raw json.RawMessage) json.RawMessage {
	value := rawjson.ObjectOf(raw)
	switch {
	case value["kvlistValue"] != nil:
		var list struct{ Values []attribute }
		if json.Unmarshal(value["kvlistValue"], &list) != nil {
			return nil
		}
		members := []rawjson.Member{}
		for _, a := range list.Values {
			members = append(members, rawjson.Member{Key: a.Key, Value: anyValue(a.Value)})
		}
		return rawjson.Build(members...)
	case value["arrayValue"] != nil:
		elements := []json.RawMessage{}
		all, _ := rawjson.Elements(rawjson.ObjectOf(value["arrayValue"])["values"])
		for _, element := range all {
			elements = append(elements, anyValue(element))
		}
		return rawjson.List(elements)
	case value["intValue"] != nil: // a 64-bit number is a string
		return json.RawMessage(strings.Trim(string(value["intValue"]), `"`))
	}
	for _, key := range []string{"stringValue", "boolValue", "doubleValue"} {
		if value[key] != nil {
			return value[key]
		}
	}
	return json.RawMessage("null")
}
