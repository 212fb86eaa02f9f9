package usage

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// claudeLine is a line of a transcript of Claude Code, as far as calls go: ~/.claude/projects/FOLDER/SESSION.jsonl, of which nothing
// is documented (read in versions 2.1.112 and 2.1.330).
type claudeLine struct {
	Timestamp time.Time `json:"timestamp"`
	Message   struct {
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
}

// claude reads calls, which wait for the line that answers them, and answers.
func claude(r *reader, line []byte) (found []Call, matched bool) {
	asks := bytes.Contains(line, []byte(`"mcp__`)) && bytes.Contains(line, []byte(`"tool_use"`))
	if !asks && !r.answers(line) {
		return nil, false
	}
	var l claudeLine
	if json.Unmarshal(line, &l) != nil {
		return nil, bytes.Contains(line, []byte(`"tool_use"`)) && !json.Valid(line)
	}
	for _, b := range l.Message.Content {
		rest, ours := strings.CutPrefix(b.Name, "mcp__")
		server, tool, whole := strings.Cut(rest, "__")
		switch {
		case b.Type == "tool_use" && ours && whole && b.ID != "":
			found = append(found, r.wait(Call{b.ID, server, tool, "claude-code", l.Timestamp, b.Input, false})...)
		case b.Type == "tool_result":
			found = append(found, r.answer(b.ToolUseID, b.IsError)...)
		}
	}
	return found, true
}

// answers tells, without reading the line, whether it answers a call that waits.
func (r *reader) answers(line []byte) bool {
	key := []byte(`"tool_use_id"`)
	for len(r.waiting) > 0 {
		_, rest, found := bytes.Cut(line, key)
		if !found {
			return false
		}
		_, id, _ := bytes.Cut(rest[:min(len(rest), 256)], []byte(`"`))
		id, _, _ = bytes.Cut(id, []byte(`"`))
		if _, ok := r.waiting[string(id)]; ok {
			return true
		}
		line = rest
	}
	return false
}

// mostWaiting is how many calls may wait for their answers.
const mostWaiting = 4096

// wait keeps a call until it is answered. When too many wait, all are taken as they are.
func (r *reader) wait(c Call) (given []Call) {
	if len(r.waiting) == mostWaiting {
		given = r.unanswered()
	}
	if _, again := r.waiting[c.ID]; !again {
		r.order = append(r.order, c.ID)
	}
	r.waiting[c.ID] = c
	return given
}

// answer is the call that was answered, if it waits.
func (r *reader) answer(id string, failed bool) []Call {
	c, ok := r.waiting[id]
	if !ok {
		return nil
	}
	delete(r.waiting, id)
	c.Failed = failed
	return []Call{c}
}

// unanswered are the calls that wait, in their order; nothing waits afterwards.
func (r *reader) unanswered() []Call {
	var calls []Call
	for _, id := range r.order {
		if c, ok := r.waiting[id]; ok {
			calls = append(calls, c)
		}
	}
	r.waiting, r.order = map[string]Call{}, nil
	return calls
}
