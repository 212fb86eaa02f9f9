package trust

import (
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// Result is what the commands about trust report.
type Result struct {
	Servers  []Server
	Problems []string // what is wrong but belongs to no server
	Status   int
}

// Server is a configured server with the decision about it.
type Server struct {
	seen.Server
	Definition
	Since string // the day of the decision to trust it
}

// Definition is how a server is configured, and whether it is trusted.
type Definition struct {
	config.Description
	Trust   Standing        `json:"trust,omitempty"`   // empty = it needs no decision
	Effects *config.Effects `json:"effects,omitempty"` // what the server would do
}

// Standing is the decision about a server that was found in a file.
type Standing string

// The decisions about a server.
const (
	Trusted   Standing = "trusted"
	Changed   Standing = "changed" // trusted as it was before
	Untrusted Standing = "untrusted"
)
