// Package diff compares what a server offered with what it offers now.
//
// Each difference becomes one finding of one rule, at the deepest place that holds it, with the value before and after.
// docs/compatibility.md says what counts as breaking and why.
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
}

// Compare tells what changed from old to new. The findings are sorted as finding.Sort does; none means that the two are
// the same to every caller, reader and model. It never panics, whatever a server sent.
func Compare(old, new *snapshot.Snapshot, options Options) []finding.Finding {
	c := comparison{Options: options}
	c.server(old, new)
	for _, kind := range snapshot.Kinds() {
		c.list(kind, old, new)
	}
	finding.Sort(c.findings)
	return c.findings
}

// comparison collects the findings of one run.
type comparison struct {
	Options
	findings []finding.Finding
}

// add completes a finding with what its rule and the run say about it.
func (c *comparison) add(rule finding.Rule, f finding.Finding) {
	f.Rule, f.Level, f.Server = rule.ID, rule.Level, c.Server
	if f.Verdict == "" {
		f.Verdict = finding.ByRule
	}
	c.findings = append(c.findings, f)
}

// list compares one list. A list that is missing on the new side is never taken for an empty one.
func (c *comparison) list(kind snapshot.Kind, old, new *snapshot.Snapshot) {
	before, after := old.List(kind), new.List(kind)
	switch {
	case slices.Contains(c.Unavailable, kind):
		if before != nil {
			c.unavailable(kind)
		}
	case before != nil && after != nil:
		c.items(kind, before, after)
	case before != nil:
		c.withdrawn(kind, new)
	case after != nil:
		c.items(kind, &snapshot.List{}, after)
	}
}
