package diff

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// revision is two schemas of one tool, and what is told of them.
type revision struct {
	*comparison
	item          string // Finding.Item
	path          string // JSON pointer of the schemas inside the item
	direction     finding.Direction
	before, after *schema.Schema
	overall       judgement
	work          int  // done so far, in units of maxWork
	invalid       bool // the new schema has parts without a meaning
	unresolved    bool // one of them is a reference
	alone         bool // only one edit has to do with the values
	told          bool // something was told that the values say, not only the remarks
	guilty        bool // a change was told that explains why the whole is not known to be compatible
}

// schema compares what a tool accepts or promises. The level of each change rests on the verdict of that change alone;
// the verdict on the whole decides whether changes make up for one another, and whether one of them was overlooked.
func (c *comparison) schema(s subject, direction finding.Direction, path string, old, new json.RawMessage) {
	if alike(old, new) {
		return
	}
	r := &revision{comparison: c, item: s.id, path: path, direction: direction}
	var errOld, errNew error
	r.before, errOld = schema.Parse(old)
	r.after, errNew = schema.Parse(new)
	switch {
	case errNew != nil && direction == finding.Input && isObject(viewOf(old)):
		// the root is told of already
	case errNew != nil:
		r.tell("schema-invalid", finding.Finding{Old: old, New: new, Message: fmt.Sprintf("The schema cannot be read: %v.", errNew)})
	case errOld != nil:
		r.tell("schema-changed", finding.Finding{Old: old, New: new, Message: "The old schema could not be read, the new one can."})
	default:
		r.compare()
	}
}

func (r *revision) compare() {
	r.problems()
	r.overall = r.judge(r.after)
	r.combinators()
	edits := schema.Edits(r.before, r.after)
	for _, change := range r.gather(edits) {
		r.change(change)
	}
	r.remainder()
}

// problems reports what has no meaning in the new schema and was not in the old one.
func (r *revision) problems() {
	known := map[string]bool{}
	for _, p := range r.before.Problems() {
		known[p.Message+p.Path] = true
	}
	for _, p := range r.after.Problems() {
		if known[p.Message+p.Path] || strings.HasSuffix(p.Path, "/$schema") {
			continue
		}
		id := "schema-invalid"
		if strings.HasSuffix(p.Path, "Ref") || strings.HasSuffix(p.Path, "$ref") {
			id, r.unresolved = "schema-ref-unresolved", true
		}
		r.invalid = true
		r.tell(id, finding.Finding{Path: p.Path, New: at(r.after.Raw(), p.Path), Message: fmt.Sprintf("At %s: %s.", p.Path, p.Message)})
	}
}

// tell reports a rule of the revision's direction. Paths of f are those inside the schema.
func (r *revision) tell(suffix string, f finding.Finding) {
	f.Item, f.Path = r.item, r.path+f.Path
	r.report(string(r.direction)+"-"+suffix, f)
}

// remainder tells what the verdict on the whole says and no change explained.
func (r *revision) remainder() {
	o := r.overall
	f := finding.Finding{Old: r.before.Raw(), New: r.after.Raw()}
	switch {
	case o.equal:
		r.tell("schema-rewritten", f)
	case o.breaking.Verdict == schema.Incompatible && !r.guilty:
		f.Level, f.Witness, f.Verdict = finding.Breaking, o.breaking.Witness, proof(o.breaking.Witness)
		f.Message = fmt.Sprintf("The schema changed so that it breaks: %s.", o.breaking.Reason)
		r.tell(o.catchAll(), f)
	case o.breaking.Verdict == schema.Unknown && !r.guilty && !r.invalid:
		r.unproven(f, o.breaking)
	case !r.told && !r.invalid:
		f.Level = finding.Info
		r.tell(o.catchAll(), f)
	}
}

// unproven tells that nothing is known, and why.
func (r *revision) unproven(f finding.Finding, result schema.Result) {
	f.Level, f.Verdict = finding.Warning, finding.Unproven
	f.Message = fmt.Sprintf("Whether the change is safe could not be decided: %s.", reason(result))
	r.guilty, r.told = true, true
	r.tell("schema-unproven", f)
}

func reason(result schema.Result) string {
	text := result.Reason
	if text == "" {
		text = "the construct is not understood"
	}
	if result.Path != "" {
		text += " at " + result.Path
	}
	return text
}

func proof(witness json.RawMessage) finding.Verdict {
	if witness == nil {
		return finding.ByRule
	}
	return finding.Proved
}
