// Package usage keeps what is known of the calls that agents really made, and judges changes of servers by them.
//
// Calls are read from records that people already have: transcripts, traces, lines of JSON. What is kept of a call is its
// [Shape]: enough to decide whether a schema accepts it, and not to read it. docs/usage-records.md defines the form, what it can
// decide and what it cannot.
package usage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
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
