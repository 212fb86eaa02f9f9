package diff

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// scope tells in how far the two sides can be compared at all.
func (c *comparison) scope(old, new *snapshot.Snapshot) {
	c.modern = isModern(new.Protocol)
	c.dynamic = string(viewOf(viewOf(new.Capabilities)["resources"])["listChanged"]) == "true"
	c.eras = old.Protocol != "" && new.Protocol != "" && isModern(old.Protocol) != isModern(new.Protocol)
	if c.OtherScope != "" {
		c.report("comparison-scope-differs", finding.Finding{
			Message: fmt.Sprintf("The two sides were recorded with %s, so they may differ for that alone.", c.OtherScope),
		})
	}
	if described(old) != described(new) {
		c.report("comparison-scope-differs", finding.Finding{
			Path:    "/serverInfo",
			Message: "One side says nothing of the server and its capabilities, so these are not compared.",
		})
	}
}

// described tells whether a snapshot says who the server is, as all but bare results of list requests do.
func described(s *snapshot.Snapshot) bool {
	return s.Protocol != "" || s.Server != nil || s.Capabilities != nil
}

// isModern tells the era of 2026-07-28 and later; versions are dates.
func isModern(protocol string) bool { return protocol >= "2026-07-28" }

// list compares one list. A list that is missing on the new side is never taken for an empty one.
func (c *comparison) list(kind snapshot.Kind, old, new *snapshot.Snapshot) {
	before, after := old.List(kind), new.List(kind)
	switch {
	case slices.Contains(c.Unavailable, kind):
		c.unavailable(kind, before)
	case before != nil && after != nil:
		c.items(kind, before, after)
	case before != nil:
		c.withdrawn(kind, old, new)
	case after != nil && described(old):
		c.items(kind, &snapshot.List{}, after)
	case after != nil:
		c.unrecorded(kind)
	}
	if slices.Contains(c.Incomplete, kind) {
		c.report("list-incomplete", finding.Finding{
			Path: "/" + string(kind), Message: fmt.Sprintf("The list of %s was read in part, so none of them is told as removed.", plural(kind)),
		})
	}
}

func (c *comparison) unavailable(kind snapshot.Kind, before *snapshot.List) {
	if before == nil || len(before.Items) == 0 {
		return
	}
	c.report("list-unavailable", finding.Finding{
		Path:    "/" + string(kind),
		Message: fmt.Sprintf("The list of %s could not be read; nothing is known of the %d that it held.", plural(kind), len(before.Items)),
		Hint:    "mend the server or the connection, then compare again",
	})
}

func (c *comparison) unrecorded(kind snapshot.Kind) {
	c.report("comparison-scope-differs", finding.Finding{
		Path: "/" + string(kind), Message: fmt.Sprintf("One side holds no record of %s, so they are not compared.", plural(kind)),
	})
}

// withdrawn tells of a list that the new side does not have: never read, failed, or no longer offered.
func (c *comparison) withdrawn(kind snapshot.Kind, old, new *snapshot.Snapshot) {
	before := old.List(kind)
	switch {
	case !described(new):
		c.unrecorded(kind)
	case declares(new, kind):
		c.unavailable(kind, before)
	case !declares(old, kind):
		c.items(kind, before, &snapshot.List{}) // no capability-removed speaks for them
	}
}

// declares tells whether capabilities promise a list.
func declares(s *snapshot.Snapshot, kind snapshot.Kind) bool {
	return viewOf(s.Capabilities)[capability(kind)] != nil
}

// capability is the capability that stands for a list.
func capability(kind snapshot.Kind) string {
	if kind == snapshot.Templates {
		kind = snapshot.Resources
	}
	return string(kind)
}

func plural(kind snapshot.Kind) string {
	if kind == snapshot.Templates {
		return "resource templates"
	}
	return string(kind)
}
