// Package compare carries out the commands that judge servers. Diff compares two sides of each server, Check
// looks at one side, Save writes snapshots, Accept moves them forward by chosen changes, and MergeShards
// joins the reports of shards.
package compare

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/source"
)

// Scope says which servers take part in a run, and how they are reached.
type Scope struct {
	Select  fleet.Selection
	Contact fleet.Contact
}

// load reads the configuration for the servers that are named.
func (s Scope) load(ctx context.Context, p host.Process, from []source.Source) (*fleet.Fleet, error) {
	return fleet.Load(ctx, p, s.Select, s.Contact, from)
}
