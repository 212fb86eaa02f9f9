package usage

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// codexLine is a line of a rollout of Codex, as far as calls go: ~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl (read in
// codex-rs/protocol/src/protocol.rs, models.rs and rollout/src/policy.rs). mcp_tool_call_end names server and tool as they are. Versions
// that do not keep it have function_call, as the model wrote it, and function_call_output, which says rarely whether the call failed.
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
