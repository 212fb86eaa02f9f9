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
	config.Definition
	Since string // the day of the decision to trust it
}
