package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// change is one edit of a schema, or the removal and the addition of a property that was renamed.
type change struct {
	schema.Edit
	views     func() (old, new view) // of OldSchema and NewSchema, which edits of one place share
	judged    *schema.Change         // what it does to values; nil for a remark
	effect    effect
	successor *schema.Edit // the new property under which an old one is found
	// the property that came for one that is gone, or the other way round, by its looks
	likeness *change
}

func (ch *change) schemas() (old, new view) { return ch.views() }

func sameBytes(a, b json.RawMessage) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (ch *change) breaks() bool {
	return ch.judged != nil && ch.judged.Breaks.Verdict == schema.Incompatible
}

// changes returns the edits with what each of them does, renames joined.
func (r *revision) changes(judged []schema.Change) []*change {
	changes := make([]*change, len(r.Edits))
	for i, e := range r.Edits {
		changes[i] = &change{Edit: e}
		if i > 0 && sameBytes(e.OldSchema, r.Edits[i-1].OldSchema) &&
			sameBytes(e.NewSchema, r.Edits[i-1].NewSchema) {
			changes[i].views = changes[i-1].views
		} else {
			changes[i].views = sync.OnceValues(
				func() (view, view) { return viewOf(e.OldSchema), viewOf(e.NewSchema) })
		}
	}
	for _, j := range judged {
		ch := changes[j.Edit]
		ch.judged, ch.effect = &j, r.effectOf(ch, j)
	}
	return joinRenamed(changes)
}

// effectOf names what an edit does. A bound that moves is named by itself: among alternatives that overlap,
// one that grew can make the whole narrower.
func (r *revision) effectOf(ch *change, j schema.Change) effect {
	if isInterval(ch.Family) {
		before, after := ch.schemas()
		old, new := before.only(ch.Keywords), after.only(ch.Keywords)
		switch {
		case r.within(old, new):
			return widens
		case r.within(new, old):
			return narrows
		}
	}
	return effectOf(j, r.direction)
}

// within reports whether one schema accepts all that another one accepts.
func (r *revision) within(narrow, wide view) bool {
	n, errN := schema.Parse(narrow.json())
	w, errW := schema.Parse(wide.json())
	strict := r.budget
	strict.Semantics = schema.Strict
	return errN == nil && errW == nil && schema.Contains(r.ctx, w, n, strict).Verdict == schema.Compatible
}

// worse reports whether one change breaks, or is undecided, where another one is safe or undecided.
func worse(a, b *schema.Change) bool {
	order := []schema.Verdict{schema.Compatible, schema.Unknown, schema.Incompatible}
	return a != nil && (b == nil || slices.Index(order, a.Breaks.Verdict) > slices.Index(order,
		b.Breaks.Verdict))
}

// withoutRemarks returns a schema object without its annotations.
func withoutRemarks(v view) view {
	v = maps.Clone(v)
	for _, remark := range schema.Annotations() {
		delete(v, remark)
	}
	return v
}

func (ch *change) value() json.RawMessage {
	if ch.New != nil {
		return ch.New
	}
	return ch.Old
}

func parent(pointer string) string { return pointer[:max(0, strings.LastIndex(pointer, "/"))] }

// change reports one change.
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
		f.Path, f.Member, f.Cause = ch.Path+"/$schema", "", anotherGenerator
	}
	switch {
	case ch.likeness != nil && ch.New == nil:
		f.Hint, _, f.Cause = renaming(ch.Name, ch.likeness.Name)
		r.guesses[ch.Name] = ch.likeness.Name
	case ch.likeness != nil:
		_, f.Hint, f.Cause = renaming(ch.likeness.Name, ch.Name)
	}
	if len(ch.Also) > 0 {
		f.Hint = "shared definition: the same change applies to " + strings.Join(ch.Also, ", ")
	}
	if ch.Family == schema.FamilyDefault {
		if rule, message, moved := ch.movedDefault(); moved {
			f.Message = sentence(message, known(f, r.words(ch))) + "."
			f.Level = map[string]finding.Level{"default-removed": finding.Info}[rule]
		}
	}
	if ch.judged == nil {
		r.reportAs(suffix, f, r.words(ch)...)
		return
	}
	r.evidence = r.evidenceOf(ch)
	defer func() { r.evidence = nil }()
	switch {
	case explained(r, ch):
		r.reported = true
	case r.silent(ch):
	case ch.judged.Breaks.Verdict == schema.Unknown:
		r.unproven(f, r.subject(ch.Instance), ch.judged.Breaks)
	default:
		r.sentence(ch, suffix, f)
	}
}

// silent reports whether a change says nothing new: other words for the same. What is new to a reader is
// reported.
func (r *revision) silent(ch *change) bool {
	if ch.breaks() || ch.Family == schema.FamilyProperty && (unconstrained(ch.value()) || !equal(r.whole)) {
		return false
	}
	return equal(r.whole) || equal(*ch.judged)
}

// unconstrained reports whether a schema accepts everything, apart from its annotations.
func unconstrained(raw json.RawMessage) bool {
	return string(raw) != "false" && len(withoutRemarks(viewOf(raw))) == 0
}

// explained reports whether a finding about the validity of the new schema covers the change.
func explained(r *revision, ch *change) bool {
	root := ch.Family == schema.FamilyType && ch.Path == "" && r.direction == finding.Input
	return ch.Family == schema.FamilyReference && r.unresolved || root && !isObject(viewOf(r.After.Raw()))
}

// isInterval reports whether a family has a lower and an upper bound.
func isInterval(family schema.Family) bool {
	switch family {
	case schema.FamilyRange, schema.FamilyLength, schema.FamilyItemCount, schema.FamilyPropertyCount:
		return true
	}
	return false
}

// sentence reports a change under a rule, at the level of its verdict.
func (r *revision) sentence(ch *change, suffix string, f finding.Finding) {
	if ch.successor != nil {
		f.New, f.Hint = rawjson.Quote(ch.successor.Name),
			either(r.direction == finding.Input, "send ", "read ")+code(ch.successor.Name)+" instead"
		f.Old = rawjson.Quote(ch.Name)
	}
	f.Level = r.level(string(r.direction)+"-"+suffix, ch)
	says := r.rules[string(r.direction)+"-"+suffix].message(f, r.words(ch))
	switch {
	case f.Level == finding.Info && f.Cause == "":
		if f.Cause = generatorOf(r, ch); f.Cause != "" {
			f.Message = strings.TrimSuffix(says, ".") + "; callers are unaffected."
		}
	case r.refused(ch):
		f.Message = strings.TrimSuffix(says, ".") + ", and unknown arguments are now rejected."
	}
	r.show(ch, &f)
	r.reportAs(suffix, f, r.words(ch)...)
	if f.Level == finding.Breaking && f.Cause == "" && ch.ofValues() &&
		r.findings[len(r.findings)-1].Cause == "" {
		r.tightened = append(r.tightened,
			tightened{finding: len(r.findings) - 1, name: r.subject(ch.Instance)})
	}
}

// refused reports whether an argument that is gone breaks since its object takes no undeclared ones any more.
func (r *revision) refused(ch *change) bool {
	if r.direction == finding.Output || ch.Family != schema.FamilyProperty || ch.New != nil || !ch.breaks() {
		return false
	}
	const closed = "false"
	old, new := parent(parent(ch.OldPath))+"/additionalProperties", ch.NewPath+"/additionalProperties"
	return string(r.After.At(new)) == closed && string(r.Before.At(old)) != closed
}

// tightened is a finding about the values of one argument, or of a member of the result.
type tightened struct {
	finding int    // its place in the comparison's findings
	name    string // of the argument
}

func (ch *change) ofValues() bool {
	switch ch.Family {
	case schema.FamilyProperty, schema.FamilyRequired, schema.FamilyAdditional, schema.FamilyUnevaluated:
		return false
	}
	return ch.judged != nil
}

// tightenedTogether gives one cause to what breaks by the values of an argument, and to arguments that break
// in the same way.
func tightenedTogether(r *revision) {
	happened := map[string]string{} // to each argument
	for _, one := range r.tightened {
		f := r.findings[one.finding]
		happened[one.name] += fmt.Sprintf("%s %s %s\n", f.Rule, f.Old, f.New)
	}
	for _, one := range r.tightened {
		same := kit.Filter(r.tightened, func(other tightened) bool {
			return happened[other.name] == happened[one.name]
		})
		names := kit.Distinct(kit.Map(same, func(t tightened) string { return t.name }))
		if len(same) > 1 {
			r.findings[one.finding].Cause = someNames(names) +
				accepts(r.direction, len(names), strings.Contains(happened[one.name], "-changed "))
		}
	}
}

// accepts returns how the values of some arguments, or members of the result, changed.
func accepts(direction finding.Direction, names int, others bool) string {
	switch {
	case direction == finding.Output:
		return " can be more than before"
	case others:
		return either(names == 1, " accepts", " accept") + " other values than before"
	}
	return either(names == 1, " accepts", " accept") + " less than before"
}

// show puts down what the level of a change rests on: a value, or why none is shown.
func (r *revision) show(ch *change, f *finding.Finding) {
	if r.reported = true; ch.breaks() {
		shown(f, ch.judged.Breaks)
	}
}

func shown(f *finding.Finding, result schema.Result) {
	if f.Witness = result.Witness; f.Witness != nil {
		f.Verdict = finding.Proved
	} else if f.Hint == "" {
		f.Hint = cmp.Or(result.Reason, "the example is too large to print")
	}
}

// residual reports a difference that no change explains.
func (r *revision) residual(ch schema.Change) {
	f := r.sent
	r.evidence = r.wholeEvidence()
	defer func() { r.evidence = nil }()
	if ch.Path != "" {
		f = finding.Finding{Path: ch.Path, Old: r.Before.At(ch.Old), New: r.After.At(ch.New)}
	}
	if ch.Breaks.Verdict == schema.Unknown {
		r.unproven(f, r.subject(ch.Instance), ch.Breaks)
		return
	}
	f.Level, r.reported = finding.Breaking, true
	shown(&f, ch.Breaks)
	r.reportAs(effectRule("", moves), f, "name", r.subject(ch.Instance))
}

// undecided reports what could not be decided as one finding for one place, and leaves out what else would be
// claimed there.
func (r *revision) undecided(changes []*change) []*change {
	open := map[string]*change{}
	for _, ch := range changes {
		if ch.judged != nil && ch.judged.Breaks.Verdict == schema.Unknown &&
			(open[ch.Path] == nil || ch.Family == schema.FamilyPattern) {
			open[ch.Path] = ch
		}
	}
	return kit.Filter(changes, func(ch *change) bool {
		first := open[ch.Path]
		return first == nil || first == ch || ch.judged == nil || ch.breaks()
	})
}
