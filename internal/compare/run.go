// Package compare carries out the commands that judge servers. Diff compares two sides of each server, Check
// looks at one side, Save writes snapshots, Accept moves them forward by chosen changes, and MergeShards
// joins the reports of shards.
package compare

import "github.com/mcpctl/mcpctl/internal/fleet"

// Scope says which servers take part in a run, and how they are reached.
type Scope struct {
	Select  fleet.Selection
	Contact fleet.Contact
}
