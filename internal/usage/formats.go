// Package usage keeps what is known of the calls that agents really made, read from records that people have, and judges
// changes by them. Kept of a call is its [Shape]: enough to decide whether a schema accepts it, and not to read it.
// docs/usage-records.md defines the form and what it can decide.
package usage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Call is one recorded call of a tool, as a reader of records finds it.
type Call struct {
	ID        string          // the same call has the same one wherever it is copied; empty = it has none
	Server    string          // as the record names it
	Tool      string          // as the record names it
	Agent     string          // who called, such as "claude-code"
	Project   string          // where, as the last name of a folder; empty = the record does not say
	Time      time.Time       // zero = the record does not say
	Arguments json.RawMessage // as sent; nil = they are not recorded
	Failed    bool            // it was answered with an error
	Result    json.RawMessage // what it was answered with; nil = that is not recorded
}

// day is when a call was made, in UTC; now where that is not recorded.
func (c Call) day(now time.Time) string {
	if c.Time.IsZero() {
		return dayOf(now)
	}
	return dayOf(c.Time)
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// projectOf names a project by its folder, on whichever system that lies; empty if that looks like no name.
func projectOf(folder string) string {
	folder = strings.TrimRight(folder, `/\`)
	name := folder[strings.LastIndexAny(folder, `/\`)+1:]
	if !plainName(name) {
		return ""
	}
	return name
}

// joined takes apart a name of the form mcp__SERVER__TOOL.
func joined(name string) (server, tool string, ok bool) {
	rest, ours := strings.CutPrefix(name, "mcp__")
	server, tool, ok = strings.Cut(rest, "__")
	return server, tool, ours && ok
}

// OfServer is the call with its server and tool taken apart by the names of servers: mcp__my__server__tool alone does not say
// where the server ends. The longest name counts; without any the call stays as it is.
func (c Call) OfServer(names []string) Call {
	whole, own := c.Server+"__"+c.Tool, ""
	for _, name := range names {
		if SameName(c.Server, name) {
			return c
		}
		if name = flat(name); strings.HasPrefix(whole, name+"__") && len(name) > len(own) && len(name)+2 < len(whole) {
			own = name
		}
	}
	if own != "" {
		c.Server, c.Tool = own, whole[len(own)+2:]
	}
	return c
}

// flat is a name as clients write it that join the names of servers and tools.
func flat(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// SameName tells whether a recorded name is that of a server or tool, which the client may have flattened.
func SameName(recorded, name string) bool { return recorded == name || recorded == flat(name) }

// Transcripts are the folders in which applications of the user's keep what their agents did, as far as they exist.
func Transcripts(home string, lookup func(string) (string, bool)) []string {
	var found []string
	for _, a := range []struct{ variable, folder, inside string }{
		{"CLAUDE_CONFIG_DIR", ".claude", "projects"},
		{"CODEX_HOME", ".codex", "sessions"},
		{"CODEX_HOME", ".codex", "archived_sessions"},
	} {
		base, set := lookup(a.variable)
		if !set || !filepath.IsAbs(base) {
			base = filepath.Join(home, a.folder)
		}
		folder := filepath.Join(base, a.inside)
		if info, err := os.Stat(folder); err == nil && info.IsDir() && filepath.IsAbs(folder) {
			found = append(found, folder)
		}
	}
	return found
}

// plainLine is a call as anybody can write it with jq.
type plainLine struct {
	ID        string          `json:"id"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Consumer  string          `json:"consumer"`
	Project   string          `json:"project"`
	Arguments json.RawMessage `json:"arguments"`
	IsError   bool            `json:"isError"`
	Time      json.RawMessage `json:"time"`
	Result    json.RawMessage `json:"result"`
}

func plain(_ *reader, line []byte) (found []Call, matched bool) {
	if !bytes.Contains(line, []byte(`"tool"`)) || !bytes.Contains(line, []byte(`"server"`)) {
		return nil, false
	}
	var l plainLine
	if json.Unmarshal(line, &l) != nil {
		return nil, !json.Valid(line)
	}
	if l.Server == "" || l.Tool == "" {
		return nil, false
	}
	if l.ID != "" {
		l.ID = l.Server + "\x00" + l.Consumer + "\x00" + l.ID
	}
	return []Call{{l.ID, l.Server, l.Tool, l.Consumer, projectOf(l.Project), timeOf(l.Time), argumentsOf(l.Arguments), l.IsError, l.Result}}, true
}

// argumentsOf are arguments, which some write as JSON in a text.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	if text, ok := rawjson.Text(raw); ok {
		raw = json.RawMessage(text)
	}
	if !json.Valid(raw) || bytes.TrimSpace(raw)[0] != '{' {
		return nil
	}
	return raw
}

// timeOf is a time in RFC 3339, a day, or (thousandths, millionths, billionths of) seconds since 1970; else zero.
func timeOf(raw json.RawMessage) time.Time {
	text, isText := rawjson.Text(raw)
	if n, err := strconv.ParseFloat(string(raw), 64); !isText && err == nil {
		const latest = 1e11 // seconds of the year 5138
		for range 3 {
			if n > latest {
				n /= 1000
			}
		}
		if !(n > 0 && n < latest) {
			return time.Time{}
		}
		return time.Unix(int64(n), 0)
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

// claudeLine is a line of ~/.claude/projects/FOLDER/SESSION.jsonl, undocumented (read in versions 2.1.112 and 2.1.330).
type claudeLine struct {
	Timestamp time.Time `json:"timestamp"`
	Folder    string    `json:"cwd"`
	MCP       struct {
		Structured json.RawMessage `json:"structuredContent"`
	} `json:"mcpMeta"`
	Message struct {
		Content []claudeBlock `json:"content"`
	} `json:"message"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

// claude reads calls, which wait for the line that answers them, and answers.
func claude(r *reader, line []byte) (found []Call, matched bool) {
	asks := bytes.Contains(line, []byte(`"mcp__`)) && bytes.Contains(line, []byte(`"tool_use"`))
	if !asks && !r.answers(line, `"tool_use_id"`) {
		return nil, false
	}
	var l claudeLine
	if json.Unmarshal(line, &l) != nil {
		return nil, bytes.Contains(line, []byte(`"tool_use"`)) && !json.Valid(line)
	}
	for _, b := range l.Message.Content {
		server, tool, ours := joined(b.Name)
		switch {
		case b.Type == "tool_use" && ours && b.ID != "":
			found = append(found, r.wait(Call{ID: b.ID, Server: server, Tool: tool, Agent: "claude-code", Project: projectOf(l.Folder), Time: l.Timestamp, Arguments: b.Input})...)
		case b.Type == "tool_result":
			if l.MCP.Structured != nil && len(l.Message.Content) == 1 {
				b.Content = l.MCP.Structured
			}
			found = append(found, r.answer(b.ToolUseID, b.IsError, b.Content)...)
		}
	}
	return found, true
}

// codexLine is a line of ~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl (codex-rs/protocol/src/protocol.rs, models.rs and
// rollout/src/policy.rs): mcp_tool_call_end, or function_call with an output that rarely says whether it failed.
type codexLine struct {
	Timestamp time.Time `json:"timestamp"`
	Type      string    `json:"type"`
	Payload   struct {
		Type       string `json:"type"`
		Folder     string `json:"cwd"`
		CallID     string `json:"call_id"`
		Invocation struct {
			Server    string          `json:"server"`
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"invocation"`
		Result struct {
			OK, Err json.RawMessage
		} `json:"result"`
		Name      string          `json:"name"`
		Namespace string          `json:"namespace"`
		Arguments json.RawMessage `json:"arguments"`
		Output    json.RawMessage `json:"output"`
	} `json:"payload"`
}

// codex reads calls that have ended, and those of which only the model's side is kept.
func codex(r *reader, line []byte) (found []Call, matched bool) {
	begins := bytes.Contains(line[:min(len(line), 128)], []byte(`"session_meta"`))
	asks := bytes.Contains(line, []byte(`"mcp__`)) && bytes.Contains(line, []byte(`"function_call"`))
	if !begins && !asks && !bytes.Contains(line, []byte(`"mcp_tool_call_end"`)) && !r.answers(line, `"call_id"`) {
		return nil, false
	}
	var l codexLine
	if json.Unmarshal(line, &l) != nil {
		return nil, !json.Valid(line)
	}
	c := Call{ID: l.Payload.CallID, Agent: "codex", Project: r.project, Time: l.Timestamp}
	switch p := l.Payload; {
	case l.Type == "session_meta":
		r.project = projectOf(p.Folder)
		return nil, true
	case p.Type == "mcp_tool_call_end" && p.Invocation.Server != "" && p.Invocation.Tool != "":
		r.forget(c.ID) // it is the one that the model asked for
		c.Server, c.Tool, c.Arguments = p.Invocation.Server, p.Invocation.Tool, p.Invocation.Arguments
		if string(c.Arguments) == "null" {
			c.Arguments = json.RawMessage("{}") // no argument was sent
		}
		var said struct {
			IsError bool `json:"isError"`
			Earlier bool `json:"is_error"`
		}
		_ = json.Unmarshal(p.Result.OK, &said) // none is no error
		c.Failed, c.Result = said.IsError || said.Earlier || p.Result.Err != nil, p.Result.OK
		return []Call{c}, true
	case p.Type == "function_call" && c.ID != "":
		name := p.Name
		if p.Namespace != "" {
			name = strings.TrimSuffix(p.Namespace, "__") + "__" + name
		}
		ours := false
		c.Server, c.Tool, ours = joined(name)
		c.Arguments = argumentsOf(p.Arguments)
		if ours {
			found = r.wait(c)
		}
		return found, ours
	case p.Type == "function_call_output":
		said := struct {
			Content json.RawMessage
			Success *bool
		}{Content: p.Output}
		_ = json.Unmarshal(p.Output, &said) // mostly a text
		return r.answer(c.ID, said.Success != nil && !*said.Success, said.Content), true
	}
	return nil, false
}

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
