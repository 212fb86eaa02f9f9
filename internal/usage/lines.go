package usage

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// plainLine is a call as anybody can write it with jq: {"server", "tool", "arguments", "isError", "time", "consumer", "project",
// "result", "id"}.
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

// timeOf is a time as RFC 3339 has it, a day, or seconds since 1970 or thousandths, millionths or billionths of them; zero = it is
// none of these.
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
