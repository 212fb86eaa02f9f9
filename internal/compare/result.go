package compare

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Result is what Diff found.
type Result struct {
	fleet.Assessment
	Servers []Server
	Shard   *Shard // nil = the run is not divided
}

// Server is the new side of a pair, without its documents, and what it was compared with.
type Server struct {
	seen.Server
	Comparison
	// the file of the current tree whose lines findings point at; empty = Base, if that is a file
	BaseFile string
}

// CheckResult is what Check found.
type CheckResult struct {
	fleet.Assessment
	Servers []CheckedServer
	Shard   *Shard // nil = the run is not divided
}

// CheckedServer is a server that was checked.
type CheckedServer struct {
	seen.Server
	Expensive []ToolCost // the ten tools with the most tokens
}

// SaveResult is what Save did.
type SaveResult struct {
	Status   int
	Servers  []SavedServer
	Problems []string // what is wrong but belongs to no server
	Shard    *Shard   // nil = the run is not divided
}

// SavedServer is a server with what became of its snapshot file.
type SavedServer struct {
	seen.Server
	Saved *Saved // nil = there is no file
}

// AcceptResult is what Accept did.
type AcceptResult struct {
	Status   int
	Servers  []AcceptedServer
	Findings []finding.Finding // that were accepted
}

// AcceptedServer is a server whose saved snapshot was moved.
type AcceptedServer struct {
	Server
	Saved *Saved
}

// Comparison is what a server was compared with.
type Comparison struct {
	Base       string                 `json:"base,omitempty"`       // the old side, such as a snapshot file
	Unsaved    bool                   `json:"unsaved,omitempty"`    // nothing was saved to compare with
	Movable    bool                   `json:"movable,omitempty"`    // accept moves Base
	BaseTokens *int                   `json:"baseTokens,omitempty"` // Answer.Tokens of the old side
	Changed    []seen.SignatureChange `json:"changed,omitempty"`    // items with other signatures than before
	// what changed in the package that the server is in, such as "zod 3.25.76 → 4.1.5"
	Cause string `json:"cause,omitempty"`
}

// ToolCost is about what a tool costs in a prompt.
type ToolCost struct {
	Tool   string `json:"tool"`
	Tokens int    `json:"tokens"`
}

// Saved is what became of one server's snapshot file.
type Saved struct {
	Action  Action `json:"action"`
	File    string `json:"file,omitempty"`    // path as shown to people
	Added   int    `json:"added,omitempty"`   // items that were not in the file before
	Removed int    `json:"removed,omitempty"` // items that were removed from it
	Changed int    `json:"changed,omitempty"` // items that differ
	Reason  string `json:"reason,omitempty"`  // why the file was not touched, or what else changed
}

// Action is what was done to a snapshot file.
type Action string

// The actions on a snapshot file.
const (
	Created     Action = "created"
	Updated     Action = "updated"
	WouldUpdate Action = "would update" // accept --dry-run
	Unchanged   Action = "unchanged"
	Skipped     Action = "skipped" // left as it was, since the server did not answer in full
)

// Shard names the configured servers that a run was over, and holds what mcpctl merge needs of them.
type Shard struct {
	Index    int       `json:"index"`             // from 1
	Total    int       `json:"total"`             // number of shards
	Of       string    `json:"of"`                // digest of the configuration, which all shards share
	Findings string    `json:"findings"`          // digest of the findings and the states of the servers
	Began    time.Time `json:"began,omitzero"`    // when the run began
	Only     []string  `json:"only,omitempty"`    // the values of --only
	With     []string  `json:"with,omitempty"`    // diff, check: flags that choose what is compared
	Status   int       `json:"status"`            // the exit status without findings
	Partial  []string  `json:"partial,omitempty"` // diff, check: servers that did not answer in full
	// check: the input of rules about all servers
	Members []check.Member `json:"members,omitempty"`
}

// String returns "shard 2 of 8"; empty for nil.
func (s *Shard) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("shard %d of %d", s.Index, s.Total)
}

// MostExpensive is how many tools check names by their cost.
const MostExpensive = 10

// expensiveTools returns the tools of a snapshot that cost most, the first first.
func expensiveTools(s *snapshot.Snapshot) []ToolCost {
	all := kit.Map(s.Tools.Items(),
		func(t snapshot.Item) ToolCost { return ToolCost{t.Key, check.ToolTokens(t)} })
	slices.SortStableFunc(all, func(a, b ToolCost) int { return b.Tokens - a.Tokens })
	return slices.Clip(all[:min(len(all), MostExpensive)])
}
