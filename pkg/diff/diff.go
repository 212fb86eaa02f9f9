// Package diff compares what a server offered with what it offers now.
//
// Each difference becomes one finding of one rule, at the deepest place that holds it, with the value before and after.
// docs/compatibility.md says what counts as breaking and why; Rules lists all that can be found.
package diff

import (
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Options tune a comparison. The zero value is the default one.
type Options struct {
	Server        string          // name of the server in each finding
	Strict        bool            // schemas are compared as plain sets of values (--semantics strict)
	AssertFormats bool            // "format" in a schema is a constraint, not a remark
	Unavailable   []snapshot.Kind // lists that could not be read on the new side: what they held is not taken for removed
	Incomplete    []snapshot.Kind // lists that were read in part on the new side: what is missing is not taken for removed
	OtherScope    string          // why the two sides are not alike, such as "other credentials"; empty when they are
	Enable        []string        // ids of rules that shall speak where they are silent by default; those that are off, as info
	ItemBudget    int             // bytes that one item may take before text-size-grew speaks; 0 = no budget
	Absence       string          // why a side is nil, as a sentence; empty = the server is not there
}

// Compare tells what changed from old to new. The findings are sorted as finding.Sort does; none means that the two are
// the same to every caller, reader and model. A side that is nil does not have the server at all; one that could not be
// asked must not be compared. It never panics, whatever a server sent.
func Compare(old, new *snapshot.Snapshot, options Options) []finding.Finding {
	c := comparison{Options: options, rules: catalogue()}
	if old == nil || new == nil {
		c.presence(old != nil, new != nil)
		return c.findings
	}
	c.scope(old, new)
	c.server(old, new)
	for _, kind := range snapshot.Kinds() {
		c.list(kind, old, new)
	}
	c.versionBump(old, new)
	finding.Sort(c.findings)
	return c.findings
}

// comparison collects the findings of one run.
type comparison struct {
	Options
	rules    map[string]finding.Rule
	findings []finding.Finding

	modern  bool     // the new side speaks 2026-07-28 or later
	eras    bool     // the sides are of different eras
	dynamic bool     // the new side says that its list of resources comes and goes
	names   []string // of all tools of the new side
}

// report completes a finding with what its rule says about it, and keeps it. A level that is set already stays.
func (c *comparison) report(id string, f finding.Finding) {
	rule := c.rules[id]
	f.Rule, f.Server = id, c.Server
	if f.Level == finding.Off {
		f.Level = rule.Level
	}
	if f.Level == finding.Off {
		if !slices.Contains(c.Enable, id) {
			return
		}
		f.Level = finding.Info
	}
	if f.Verdict == "" {
		f.Verdict = finding.ByRule
	}
	if f.Message == "" {
		f.Message = rule.Title + "."
	}
	c.findings = append(c.findings, f)
}
