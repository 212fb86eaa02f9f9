package config

import (
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Project is what mcpctl.yaml says beside servers. Without such a file only Snapshots is set.
type Project struct {
	finding.Policy // levels, thresholds and waivers; an empty FailOn = each command's default

	File      string              // the mcpctl.yaml it comes from; empty = none
	Found     Found               // how File came to be read
	Discover  bool                // look at the files of applications too
	Snapshots string              // absolute folder of saved snapshots
	Stray     string              // where Snapshots leads to when nobody named it and that is outside of the project; empty = fine
	Tolerate  []finding.Tolerance // servers that may fail for a while
	Budgets   Budgets             // limits on what servers offer
	Allow     Allow               // who may be contacted

	snapshotsLine int // of the key; 0 = there is none
}

// Budgets are the limits that mcpctl.yaml sets; 0 = none.
type Budgets struct {
	Tokens, Tools             int // of all servers together
	ServerTokens, ServerTools int // of each server
	ToolTokens                int // of each tool
	ItemBytes                 int // of each tool, prompt, resource and template, as JSON without blanks
	TextCharacters            int // of each text that a server wrote for a reader
}

// Allow is the list of names that may be contacted. The zero value allows all.
type Allow struct {
	Names []string // exactly these, when Line is set
	Line  int      // of the list in mcpctl.yaml; 0 = there is no list
	File  string   // the mcpctl.yaml
}

// Refusal says why a server with these names must not be contacted; nil = it may be. It holds for ad-hoc servers too.
func (a Allow) Refusal(names ...string) *Problem {
	listed := func(name string) bool { return slices.Contains(a.Names, name) }
	if a.Line == 0 || slices.ContainsFunc(names, listed) {
		return nil
	}
	return &Problem{
		File: a.File, Line: a.Line, Server: names[0], Message: "not in the allow list",
		Hint: "add it to allow there if it may be contacted",
	}
}
