package usage

import (
	"bytes"
	"encoding/json"
	"time"
)

// claudeLine is a line of a transcript of Claude Code, as far as calls go: ~/.claude/projects/FOLDER/SESSION.jsonl, of which nothing
// is documented (read in versions 2.1.112 and 2.1.330).
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
