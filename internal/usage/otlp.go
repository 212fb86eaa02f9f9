package usage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// otlpLine is a batch of spans, a line each (https://opentelemetry.io/docs/specs/otel/protocol/file-exporter).
type otlpLine struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []attribute }
		ScopeSpans []struct{ Spans []span }
	}
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Status     struct{ Code int }

	values, resource map[string]json.RawMessage
}

type attribute struct {
	Key   string
	Value anyValue
}

// anyValue is a value as OTLP writes it: one member, named after its type.
type anyValue map[string]json.RawMessage

const (
	serverSpan = 2 // SPAN_KIND_SERVER
	errorCode  = 2 // STATUS_CODE_ERROR
)

// otlp reads the spans of calls of tools, which the conventions for generative AI and for MCP describe. The client and the server
// both may tell of one call: it is taken once.
func otlp(_ *reader, line []byte) (found []Call, matched bool) {
	if !bytes.Contains(line, []byte(`"resourceSpans"`)) {
		return nil, false
	}
	var l otlpLine
	if json.Unmarshal(line, &l) != nil {
		return nil, true
	}
	spans := l.toolSpans()
	byID := map[string]*span{}
	for _, s := range spans {
		byID[s.SpanID] = s
	}
	for _, s := range spans {
		found = append(found, s.call(byID))
	}
	slices.SortStableFunc(found, func(a, b Call) int {
		return cmp.Or(cmp.Compare(len(b.Arguments), len(a.Arguments)), cmp.Compare(len(b.Result), len(a.Result)))
	}) // the fullest of copies first
	return found, true
}

// toolSpans are the spans that name a server and a tool.
func (l otlpLine) toolSpans() []*span {
	var found []*span
	for _, resource := range l.ResourceSpans {
		about := values(resource.Resource.Attributes)
		for _, scope := range resource.ScopeSpans {
			for i := range scope.Spans {
				s := &scope.Spans[i]
				s.values, s.resource = values(s.Attributes), about
				if s.tool() != "" && s.server() != "" {
					found = append(found, s)
				}
			}
		}
	}
	return found
}

func (s *span) tool() string {
	if s.text("gen_ai.operation.name") == "" && s.text("mcp.method.name") == "" {
		return s.text("mcp.tool.name")
	}
	return cmp.Or(s.text("gen_ai.tool.name"), s.text("mcp.tool.name"))
}

func (s *span) server() string {
	service, _ := rawjson.Text(s.resource["service.name"])
	return cmp.Or(s.text("mcp.server.name"), s.text("mcp.target"), service)
}

// call is the call that the span tells of, with the id of the outermost span that tells of the same one.
func (s *span) call(byID map[string]*span) Call {
	top := s
	for range len(byID) {
		parent := byID[top.ParentID]
		if parent == nil || parent.tool() != s.tool() {
			break
		}
		top = parent
	}
	id := top.SpanID
	if top.Kind == serverSpan && top.ParentID != "" {
		id = top.ParentID
	}
	nanos, _ := strconv.ParseInt(s.Start, 10, 64)
	c := Call{s.TraceID + id, s.server(), s.tool(), cmp.Or(s.text("mcp.client.name"), s.text("gen_ai.agent.name"), "otlp"), "",
		time.Unix(0, nanos), argumentsOf(s.values["gen_ai.tool.call.arguments"]), s.Status.Code == errorCode || s.text("error.type") != "", s.values["gen_ai.tool.call.result"]}
	if nanos == 0 {
		c.Time = time.Time{}
	}
	return c
}

func (s *span) text(key string) string {
	text, _ := rawjson.Text(s.values[key])
	return text
}

func values(attributes []attribute) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, a := range attributes {
		all[a.Key] = a.Value.json()
	}
	return all
}

func (v anyValue) json() json.RawMessage {
	for kind, raw := range v {
		switch kind {
		case "stringValue", "boolValue", "doubleValue":
			return raw
		case "intValue": // a string that holds a number
			return bytes.Trim(raw, `"`)
		case "arrayValue":
			var list struct{ Values []anyValue }
			_ = json.Unmarshal(raw, &list) // what is none has no values
			return rawjson.List(lists.Map(list.Values, anyValue.json))
		case "kvlistValue":
			var list struct{ Values []attribute }
			_ = json.Unmarshal(raw, &list)
			return rawjson.Build(lists.Map(list.Values, func(m attribute) rawjson.Member { return rawjson.Member{Key: m.Key, Value: m.Value.json()} })...)
		}
	}
	return json.RawMessage("null")
}
