package report

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Server is one server's part of a report. Fields that do not apply to the command stay zero and are left out.
type Server struct {
	Name    string            `json:"name"`                    // configured name
	State   State             `json:"state"`                   // how far it could be asked
	Source  string            `json:"source,omitempty"`        // where it was configured, "FILE:LINE", or the file it was read from
	Places  []Place           `json:"places,omitempty"`        // where applications have it, if it was discovered
	Base    string            `json:"base,omitempty"`          // what it was compared with, such as the saved snapshot's path
	Unsaved bool              `json:"unsaved,omitempty"`       // nothing was saved to compare with
	FailOn  finding.Threshold `json:"failOn,omitempty"`        // from this level on a finding of this server fails the run; empty = as Report.FailOn
	Command []string          `json:"command,omitempty"`       // config: what would be started, secrets masked
	URL     string            `json:"url,omitempty"`           // config: what would be contacted, secrets masked
	Dir     string            `json:"cwd,omitempty"`           // config: the folder that it would run in
	Env     []string          `json:"env,omitempty"`           // config: the names of variables that are set for it
	Headers []string          `json:"headers,omitempty"`       // config: the names of headers that are sent to it
	Helper  string            `json:"headersHelper,omitempty"` // config: the command line that gives further headers, secrets masked
	Trust   Trust             `json:"trust,omitempty"`         // config, trust: whether somebody agreed to it; empty = it needs no agreement
	Since   string            `json:"since,omitempty"`         // trust: the day of the agreement

	Transport       string `json:"transport,omitempty"`       // "stdio", "streamable-http" or "sse"
	ProtocolVersion string `json:"protocolVersion,omitempty"` // negotiated, such as "2025-11-25"; of config the one that is pinned
	ElapsedMs       int64  `json:"elapsedMs,omitempty"`       // milliseconds to the last answer; see Elapsed
	Attempts        int    `json:"attempts,omitempty"`        // 1 + the retries that were used

	PingMs []float64 `json:"pingMs,omitempty"` // ping: milliseconds to each answer

	Login *Login `json:"login,omitempty"` // login, logout, auth: what is known of the login

	Counts       *Counts            `json:"counts,omitempty"`       // how many items of each kind
	Tokens       *int               `json:"tokens,omitempty"`       // list, diff: what its instructions and tools cost in a prompt, in tokens of o200k_base
	BaseTokens   *int               `json:"baseTokens,omitempty"`   // diff: the same of the old side
	Noise        *int               `json:"noise,omitempty"`        // pieces of stdout that were not the protocol; nil = not a stdio server
	NoiseText    []string           `json:"noiseText,omitempty"`    // show: the first bytes of each piece
	Notices      []Notice           `json:"notices,omitempty"`      // oddities that lost nothing
	Error        *Failure           `json:"error,omitempty"`        // the first failure
	MoreErrors   []Failure          `json:"moreErrors,omitempty"`   // the failures after the first
	Tolerated    *finding.Tolerance `json:"tolerated,omitempty"`    // why the failure does not count to the exit status
	Version      *finding.Advice    `json:"version,omitempty"`      // diff: what semantic versioning says of the findings
	Saved        *Saved             `json:"saved,omitempty"`        // snapshot: what became of the file
	ServerInfo   json.RawMessage    `json:"serverInfo,omitempty"`   // show: as sent
	Capabilities json.RawMessage    `json:"capabilities,omitempty"` // show: as sent
	Instructions string             `json:"instructions,omitempty"` // show: text for the model

	Tools             Items `json:"tools,omitzero"`
	Prompts           Items `json:"prompts,omitzero"`
	Resources         Items `json:"resources,omitzero"`
	ResourceTemplates Items `json:"resourceTemplates,omitzero"`
}

// State is how far a server could be asked.
type State string

// The states of a server.
const (
	OK       State = "ok"       // everything it offers arrived
	Partial  State = "partial"  // some of it arrived
	Failed   State = "failed"   // nothing arrived
	Disabled State = "disabled" // not asked, as configured
	Absent   State = "absent"   // of diff: not there on the new side, though on the old one
)

// Trust is whether a person agreed to a server that was found and not named.
type Trust string

// What is known of the agreement to a server.
const (
	Trusted   Trust = "trusted"
	Changed   Trust = "changed"   // it was trusted as it was before
	Untrusted Trust = "untrusted" // nobody agreed to it
)

// Counts are numbers of items. Nil = not offered, or not known because listing them failed.
type Counts struct {
	Tools             *int `json:"tools,omitempty"`
	Prompts           *int `json:"prompts,omitempty"`
	Resources         *int `json:"resources,omitempty"`
	ResourceTemplates *int `json:"resourceTemplates,omitempty"`
}

// CountsOf are the numbers of items of a snapshot.
func CountsOf(s *snapshot.Snapshot) *Counts {
	number := func(list *snapshot.List) *int {
		if list == nil {
			return nil
		}
		n := len(list.Items)
		return &n
	}
	return &Counts{Tools: number(s.Tools), Prompts: number(s.Prompts), Resources: number(s.Resources), ResourceTemplates: number(s.Templates)}
}

// Failure is one thing that went wrong with one server. No secrets.
type Failure struct {
	Stage   string `json:"stage"`            // what was being done, such as "listing prompts"
	Message string `json:"message"`          // the cause, without the server's name and the stage
	Hint    string `json:"hint,omitempty"`   // what to do next
	Stderr  string `json:"stderr,omitempty"` // the end of what the server wrote to stderr
}

// Notice is something a server did that is odd but lost nothing.
type Notice struct {
	Stage   string `json:"stage,omitempty"` // when it was seen
	Code    string `json:"code"`            // kebab-case, permanent
	Message string `json:"message"`         // one sentence
}

// Saved is what became of one server's snapshot file.
type Saved struct {
	Action  Action `json:"action"`
	File    string `json:"file,omitempty"`    // path as shown to people
	Added   int    `json:"added,omitempty"`   // items that were not in the file before
	Removed int    `json:"removed,omitempty"` // items that are no longer in it
	Changed int    `json:"changed,omitempty"` // items that differ
	Reason  string `json:"reason,omitempty"`  // why the file was not touched, or what else changed
}

// Action is what was done to a snapshot file.
type Action string

// The actions of the snapshot command.
const (
	Created   Action = "created"
	Updated   Action = "updated"
	Unchanged Action = "unchanged"
	Skipped   Action = "skipped" // the file was left as it was, since the server could not be asked in full
)
