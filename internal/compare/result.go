package compare

import (
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Result is what Diff found.
type Result struct {
	fleet.Assessment
	Servers []Server
	Shard   *seen.Shard // nil = the run is not divided
}

// Server is the new side of a pair, without its documents, and what it was compared with.
type Server struct {
	fleet.Surface
	seen.Comparison
	// the file of the current tree whose lines findings point at; empty = Base, if that is a file
	BaseFile string
}

// CheckResult is what Check found.
type CheckResult struct {
	fleet.Assessment
	Servers []CheckedServer
	Shard   *seen.Shard // nil = the run is not divided
}

// CheckedServer is a server that was checked.
type CheckedServer struct {
	fleet.Surface
	Expensive []seen.ToolCost // the ten tools with the most tokens
}

// SaveResult is what Save did.
type SaveResult struct {
	Status   int
	Servers  []SavedServer
	Problems []string    // what is wrong but belongs to no server
	Shard    *seen.Shard // nil = the run is not divided
}

// SavedServer is a server with what became of its snapshot file.
type SavedServer struct {
	fleet.Surface
	Saved *seen.Saved // nil = there is no file
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
	Saved *seen.Saved
}
