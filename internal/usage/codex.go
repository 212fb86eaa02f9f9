package usage

import (
	"bytes"
	"encoding/json"
	"time"
)

// codexLine is a line of a rollout of Codex, as far as calls go: ~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl (read in
// codex-rs/protocol/src/protocol.rs and rollout/src/policy.rs). It names server and tool as they are.
type codexLine struct {
	Timestamp time.Time `json:"timestamp"`
	Payload   struct {
		Type       string `json:"type"`
		CallID     string `json:"call_id"`
		Invocation struct {
			Server    string          `json:"server"`
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"invocation"`
		Result struct {
			OK struct {
				IsError bool `json:"isError"`
				Earlier bool `json:"is_error"`
			}
			Err json.RawMessage
		} `json:"result"`
	} `json:"payload"`
}

// codex reads calls that have ended.
func codex(_ *reader, line []byte) (found []Call, matched bool) {
	if !bytes.Contains(line, []byte(`"mcp_tool_call_end"`)) {
		return nil, false
	}
	var l codexLine
	if json.Unmarshal(line, &l) != nil {
		return nil, !json.Valid(line)
	}
	p := l.Payload
	if p.Type != "mcp_tool_call_end" || p.Invocation.Server == "" || p.Invocation.Tool == "" {
		return nil, false
	}
	arguments := p.Invocation.Arguments
	if string(arguments) == "null" {
		arguments = json.RawMessage("{}") // no argument was sent
	}
	failed := p.Result.OK.IsError || p.Result.OK.Earlier || p.Result.Err != nil
	return []Call{{p.CallID, p.Invocation.Server, p.Invocation.Tool, "codex", l.Timestamp, arguments, failed}}, true
}
