package diff

import (
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Evidence is what decides whether a recorded call of a tool is affected by a finding about it. Where nothing
// but Tool is set, no call can decide that.
type Evidence struct {
	Tool    string // its name on the old side; empty = the whole server
	Removed bool   // every call fails
	// a call fails if Before accepts its arguments and each of After rejects them
	Before *schema.Schema
	After  []*schema.Schema
	// only calls that send something at one of these JSON pointers may be affected; "[]" stands for every
	// item, "*" for every property
	Sent []string
}

// countCalls asks Options.Recorded about a finding that matters and is about a tool or the whole server.
func (c *comparison) countCalls(f finding.Finding) *finding.Calls {
	tool, isTool := strings.CutPrefix(f.Item, "tool/")
	wholeServer := f.Rule == "server-removed"
	if c.Recorded == nil || f.Level < finding.Warning || !isTool && !wholeServer {
		return nil
	}
	evidence := c.evidence
	evidence.Tool = tool
	evidence.Removed = wholeServer || f.Rule == "tool-removed" || f.Rule == "tool-renamed"
	return c.Recorded(evidence)
}

// evidenceOf returns what decides whether a call is affected by a change of an input schema: what the change
// alone rejects, or, where an argument goes that is ignored now, what sends it; empty for other changes.
func (r *revision) evidenceOf(ch *change) Evidence {
	switch {
	case r.Recorded == nil || r.direction == finding.Output || ch.judged == nil:
		return Evidence{}
	case ch.Family == schema.FamilyProperty && ch.New == nil && !ch.breaks() && ch.Instance != "":
		return Evidence{Sent: append([]string{ch.Instance}, ch.Also...)}
	}
	return Evidence{Before: r.Before, After: []*schema.Schema{r.After, r.With(ch.judged.Edit)}}
}
