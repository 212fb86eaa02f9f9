package diff

import "github.com/mcpctl/mcpctl/pkg/finding"

// hint is one behaviour hint of a tool and the rules about it.
type hint struct {
	name            string
	byDefault       bool // what an absent hint means
	toTrue, toFalse string
	writersOnly     bool // the hint means nothing for a tool that only reads
}

func behaviourHints() []hint {
	return []hint{
		{"readOnlyHint", false, "tool-read-only-hint-claimed", "tool-read-only-hint-revoked", false},
		{"destructiveHint", true, "tool-destructive-hint-raised", "tool-destructive-hint-lowered", true},
		{"idempotentHint", false, "tool-idempotent-hint-claimed", "tool-idempotent-hint-revoked", true},
		{"openWorldHint", true, "tool-open-world-hint-raised", "tool-open-world-hint-lowered", false},
	}
}

// hints compares the annotations of a tool by what they mean.
func (c *comparison) hints(s subject) {
	old, new := viewOf(s.old["annotations"]), viewOf(s.new["annotations"])
	reader := effective(old, behaviourHints()[0]) || effective(new, behaviourHints()[0])
	known := []string{"title"}
	for _, h := range behaviourHints() {
		if !boolean(old, h.name) || !boolean(new, h.name) {
			continue // told below, as an annotation that nobody defines
		}
		known = append(known, h.name)
		before, after := effective(old, h), effective(new, h)
		if before == after || reader && h.writersOnly {
			continue
		}
		rule := h.toFalse
		if after {
			rule = h.toTrue
		}
		c.report(rule, finding.Finding{Item: s.id, Path: "/annotations", Member: h.name, Old: old[h.name], New: new[h.name]})
	}
	for _, key := range keys(old, new, known...) {
		if !same(old[key], new[key]) {
			c.report("tool-annotation-changed", finding.Finding{Item: s.id, Path: "/annotations", Member: key, Old: old[key], New: new[key]})
		}
	}
}

// boolean tells whether a hint is absent, true or false.
func boolean(annotations view, name string) bool {
	value := string(annotations[name])
	return value == "" || value == "true" || value == "false"
}

// effective is what a hint means.
func effective(annotations view, h hint) bool {
	if value := annotations[h.name]; value != nil {
		return string(value) == "true"
	}
	return h.byDefault
}
