package diff

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// change is one edit of a schema, or several that are told as one.
type change struct {
	schema.Edit
	judgement judgement
	required  bool         // a property that is required on the side that has it
	successor *schema.Edit // the new property under which an old one is found
	neighbour string       // the new property that only looks like the old one
}

// gather judges the edits, and joins a property that is gone with one that is the same under another name.
func (r *revision) gather(edits []schema.Edit) []*change {
	var changes []*change
	asserting := 0
	for _, e := range edits {
		if r.asserts(e.Family) {
			asserting++
		}
	}
	r.alone = asserting == 1
	for _, e := range edits {
		ch := &change{Edit: e}
		if r.asserts(e.Family) {
			ch.judgement = r.judgeEdit(e)
		}
		if e.Family == schema.FamilyProperty {
			ch.required = r.requires(e)
		}
		changes = append(changes, ch)
	}
	return hintRenamed(joinRenamed(changes))
}

// judgeEdit judges the old schema with one edit in it; an edit that is alone is the whole change.
func (r *revision) judgeEdit(e schema.Edit) judgement {
	switch {
	case r.alone:
		return r.overall
	case r.work >= maxWork:
		return judgement{breaking: spent()}
	}
	return r.judge(e.Hybrid())
}

// asserts tells whether keywords of a family decide which values are accepted.
func (r *revision) asserts(family schema.Family) bool {
	return !family.Annotation() || family == schema.FamilyFormat && r.AssertFormats
}

// requires tells whether a property that is new or gone is required where it is.
func (r *revision) requires(e schema.Edit) bool {
	document, pointer := r.after, e.NewPath
	if e.New == nil {
		document, pointer = r.before, e.OldPath
	}
	names, _ := rawjson.Elements(viewOf(rawjson.Find(document.Raw(), parent(parent(pointer))))["required"])
	return slices.ContainsFunc(names, func(raw json.RawMessage) bool {
		text, _ := rawjson.Text(raw)
		return text == e.Name
	})
}

// joinRenamed lets a property that is gone speak for the one that took its place.
func joinRenamed(changes []*change) []*change {
	claimed := map[*change]bool{}
	for _, gone := range changes {
		if gone.Family != schema.FamilyProperty || gone.New != nil {
			continue
		}
		twins := func(fresh bool) (found []*change) {
			for _, ch := range changes {
				if ch.Family == schema.FamilyProperty && (ch.Old == nil) == fresh && ch.required == gone.required &&
					parent(ch.Path) == parent(gone.Path) && same(ch.value(), gone.Old) {
					found = append(found, ch)
				}
			}
			return found
		}
		if fresh := twins(true); len(fresh) == 1 && len(twins(false)) == 1 {
			claimed[fresh[0]] = true
			gone.successor = &fresh[0].Edit
			gone.judgement = worse(gone.judgement, fresh[0].judgement)
		}
	}
	return slices.DeleteFunc(changes, func(ch *change) bool { return claimed[ch] })
}

// hintRenamed names for each property that is gone the new one beside it that looks most like it.
func hintRenamed(changes []*change) []*change {
	for _, gone := range changes {
		if gone.Family != schema.FamilyProperty || gone.New != nil || gone.successor != nil {
			continue
		}
		closest := likely
		for _, ch := range changes {
			if ch.Family != schema.FamilyProperty || ch.Old != nil || parent(ch.Path) != parent(gone.Path) {
				continue
			}
			if s := similarity(gone.Name, ch.Name); s >= closest {
				closest, gone.neighbour = s, ch.Name
			}
		}
	}
	return changes
}

func (ch *change) value() json.RawMessage {
	if ch.New != nil {
		return ch.New
	}
	return ch.Old
}

func parent(pointer string) string { return pointer[:max(0, strings.LastIndex(pointer, "/"))] }

// change tells one change.
func (r *revision) change(ch *change) {
	suffix := r.suffix(ch)
	if suffix == "" {
		return
	}
	f := finding.Finding{Path: ch.Path}
	f.Member, f.Old, f.New = ch.values()
	switch ch.Family {
	case schema.FamilyProperty, schema.FamilyRequired:
		f.Member = "" // the place is the property
	case schema.FamilyDialect:
		f.Path, f.Member = ch.Path+"/$schema", ""
	}
	if ch.neighbour != "" {
		f.Hint = "perhaps it was renamed: " + code(ch.neighbour) + " is new and looks like it"
	}
	if len(ch.Also) > 0 {
		f.Hint = "the definition is shared: the same change reaches " + strings.Join(ch.Also, ", ")
	}
	if !r.asserts(ch.Family) {
		r.tell(suffix, f, r.words(ch)...)
		return
	}
	r.constraint(ch, suffix, f)
}

// words are what a change's sentence speaks of.
func (r *revision) words(ch *change) []string {
	words := []string{"name", r.subject(ch.Instance), "removed", briefly(ch.Removed), "added", briefly(ch.Added)}
	if ch.Family == schema.FamilyProperty || ch.Family == schema.FamilyRequired {
		words = append(words, "default", brief(r.defaultOf(ch)))
	}
	if ch.successor != nil {
		words = append(words, "new", code(ch.successor.Name))
	}
	return words
}

// subject is the part of a call that an edit speaks of, in words: "`filter.tags[]`".
func (r *revision) subject(instance string) string {
	input := r.direction == finding.Input
	if instance == "" {
		return either(input, "the input", "the result")
	}
	name := strings.ReplaceAll(instance[1:]+"/", "/*/", "[]/")
	name = strings.NewReplacer("/", ".", "~1", "/", "~0", "~").Replace(strings.TrimSuffix(name, "/"))
	return code(name) + either(input, "", " in the result")
}

// constraint tells a change of what is accepted.
func (r *revision) constraint(ch *change, suffix string, f finding.Finding) {
	verdict := ch.judgement.breaking.Verdict
	switch {
	case r.undone(ch, verdict):
		return
	case r.explained(ch):
		r.guilty, r.told = true, true
		return
	case verdict == schema.Unknown && r.overall.breaking.Verdict != schema.Compatible:
		r.unproven(f, r.subject(ch.Instance), ch.judgement.breaking)
		return
	case ch.judgement.effect == moves && isInterval(ch.Family):
		names := effectRules()[ch.Family]
		r.half(ch, names[0], finding.Input, f)
		r.half(ch, names[1], finding.Output, f)
		return
	}
	r.sentence(ch, suffix, f)
}

// undone tells whether the change says nothing new, or other changes make up for what it does. A property that comes or
// goes is told in any case, unless it has moved to another part of the schema.
func (r *revision) undone(ch *change, verdict schema.Verdict) bool {
	switch {
	case ch.Family == schema.FamilyProperty:
		return r.overall.equal && !unconstrained(ch.value())
	case ch.judgement.equal || r.overall.equal:
		return true
	case verdict != schema.Compatible && r.overall.breaking.Verdict == schema.Compatible:
		return true
	}
	return ch.judgement.effect == widens && r.overall.inside || ch.judgement.effect == narrows && r.overall.kept
}

// unconstrained tells whether a schema accepts everything, whatever it remarks.
func unconstrained(raw json.RawMessage) bool {
	remarks := []string{"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"}
	return string(raw) != "false" && len(keys(viewOf(raw), nil, remarks...)) == 0
}

// explained tells whether the change is a part of what was told about the validity of the new schema.
func (r *revision) explained(ch *change) bool {
	root := ch.Family == schema.FamilyType && ch.Path == "" && r.direction == finding.Input
	return ch.Family == schema.FamilyReference && r.unresolved || root && !isObject(viewOf(r.after.Raw()))
}

// isInterval tells the families that have two ends, of which one can move in while the other one moves out.
func isInterval(family schema.Family) bool {
	switch family {
	case schema.FamilyRange, schema.FamilyLength, schema.FamilyItemCount, schema.FamilyPropertyCount:
		return true
	}
	return false
}

// half tells one end of an interval; it breaks in one direction only.
func (r *revision) half(ch *change, suffix string, breaks finding.Direction, f finding.Finding) {
	end := *ch
	if r.direction != breaks {
		end.judgement.breaking = schema.Result{Verdict: schema.Compatible}
	}
	r.sentence(&end, suffix, f)
}

// sentence tells a change under a rule, at the level of its verdict.
func (r *revision) sentence(ch *change, suffix string, f finding.Finding) {
	if ch.successor != nil {
		f.New, f.Hint = rawjson.Quote(ch.successor.Name), either(r.direction == finding.Input, "send ", "read ")+code(ch.successor.Name)+" instead"
		f.Old = rawjson.Quote(ch.Name)
	}
	f.Level = r.level(string(r.direction)+"-"+suffix, ch.judgement)
	if r.overall.breaking.Verdict == schema.Compatible && f.Level == finding.Breaking {
		f.Level = finding.Warning
	}
	f.Witness = r.witness(ch.judgement)
	f.Verdict = proof(f.Witness)
	r.told = true
	r.guilty = r.guilty || f.Level == finding.Breaking || ch.judgement.breaking.Verdict == schema.Incompatible
	r.tell(suffix, f, r.words(ch)...)
}
