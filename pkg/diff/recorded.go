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
	evidence := Evidence{Tool: tool}
	switch {
	case c.Recorded == nil || f.Level < finding.Warning:
		return nil
	case f.Rule == "server-removed":
		evidence.Removed = true
	case !isTool:
		return nil
	case f.Rule == "tool-removed" || f.Rule == "tool-renamed":
		evidence.Removed = true
	case c.evidence != nil:
		evidence.Before, evidence.After, evidence.Sent = c.evidence.Before, c.evidence.After, c.evidence.Sent
	}
	return c.Recorded(evidence)
}

// evidenceOf returns what decides whether a call is affected by a change of an input schema: what the change
// alone rejects, or, where an argument goes that is ignored now, what sends it; nil for other changes.
func (r *revision) evidenceOf(ch *change) *Evidence {
	switch {
	case r.Recorded == nil || r.direction == finding.Output || ch.judged == nil:
		return nil
	case ch.Family == schema.FamilyProperty && ch.New == nil && !ch.breaks() && ch.Instance != "":
		return &Evidence{Sent: append([]string{ch.Instance}, ch.Also...)}
	case ch.judged.Edit < 0:
		return r.wholeEvidence()
	}
	return &Evidence{Before: r.Before, After: []*schema.Schema{r.After, r.With(ch.judged.Edit)}}
}

// wholeEvidence returns what decides whether a call is affected by all edits of an input schema together.
func (r *revision) wholeEvidence() *Evidence {
	if r.Recorded == nil || r.direction == finding.Output {
		return nil
	}
	return &Evidence{Before: r.Before, After: []*schema.Schema{r.After}}
}
