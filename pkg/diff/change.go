package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// change is one edit of a schema, or the removal and the addition of a property that was renamed.
type change struct {
	schema.Edit
	judged    *schema.Change // what it does to values; nil for a remark
	effect    effect
	successor *schema.Edit // the new property under which an old one is found
	union     bool         // what is said of it is said of the union around it
	// that a property was possibly renamed, for both of its names
	cause, hint string
}

func (ch *change) before() view { return viewOf(ch.OldSchema) }

func (ch *change) after() view { return viewOf(ch.NewSchema) }

func (ch *change) breaks() bool {
	return ch.judged != nil && ch.judged.Breaks.Verdict == schema.Incompatible
}

// facts are the families whose sentences are true of an alternative even if the union changes otherwise.
var facts = []schema.Family{schema.FamilyProperty, schema.FamilyRequired, schema.FamilyEnum,
	schema.FamilyAdditional}

// changes returns the edits with what each of them does, renames joined.
func (r *revision) changes(judged []schema.Change) []*change {
	changes := kit.Map(r.Edits, func(e schema.Edit) *change { return &change{Edit: e} })
	for _, j := range judged {
		ch := changes[j.Edit]
		ch.judged, ch.effect = &j, effectOf(j, r.direction)
		untrue := ch.effect != widens && j.LosesNone || ch.effect != narrows && j.GainsNone
		if untrue && !slices.Contains(facts, ch.Family) {
			ch.Family, ch.union = schema.FamilySchema, true
		}
		if len(j.Together) > 0 { // no alternative came or left by itself
			ch.Family, ch.Keyword, ch.Old, ch.New = schema.FamilySchema, "", ch.OldSchema, ch.NewSchema
		}
	}
	return r.joinRenamed(changes)
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

func (ch *change) value() json.RawMessage { return either(ch.New != nil, ch.New, ch.Old) }

func parent(pointer string) string { return pointer[:max(0, strings.LastIndex(pointer, "/"))] }

// change reports one change.
func (r *revision) change(ch *change) {
	id, on := r.rule(ch), byRule
	if id == "" {
		return
	}
	f := finding.Finding{Path: ch.Path, Cause: ch.cause, Hint: ch.hint}
	f.Member, f.Old, f.New = ch.values()
	switch ch.Family {
	case schema.FamilyProperty, schema.FamilyRequired:
		f.Member = "" // the place is the property
	case schema.FamilyDialect:
		f.Path, f.Member, f.Cause = ch.Path+"/$schema", "", anotherGenerator
	case schema.FamilyDefault:
		if rule, message := r.movedDefault(ch); rule != "" {
			on, f.Message = moved, sentence(message, known(f, r.words(ch)))+"."
		}
	}
	if len(ch.Also) > 0 {
		f.Hint = "shared definition: the same change applies to " + someOf(ch.Also, ch.More)
	}
	switch root := ch.Path == "" && r.direction == finding.Input; {
	case ch.judged == nil:
		r.reportInside(on, id, f, r.words(ch)...)
	case ch.Family == schema.FamilyReference && r.unresolved,
		ch.Family == schema.FamilyType && root && !isObject(viewOf(r.After.Raw())):
		r.reported = true // as a finding about the validity of the new schema
	case r.silent(ch):
		r.ignored(ch, f)
	case ch.judged.Breaks.Verdict == schema.Unknown:
		r.unproven(f, r.subject(ch.Instance), ch.judged.Breaks)
	default:
		r.sentence(ch, id, f)
	}
}

// someOf names the first five places in a shared definition and counts the others.
func someOf(places []string, more int) string {
	const shown, longest = 5, 100
	named := kit.Map(places[:min(len(places), shown)],
		func(place string) string { return kit.Clip(place, longest) })
	if more += len(places) - len(named); more == 0 {
		return strings.Join(named, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(named, ", "), more)
}

// silent reports whether a change says nothing new: other words for the same. What is new to a reader is
// reported.
func (r *revision) silent(ch *change) bool {
	if ch.breaks() || ch.Family == schema.FamilyProperty && !ch.hollow(ch.Keyword) &&
		(unconstrained(ch.value()) || !equal(r.whole)) {
		return false
	}
	return equal(r.whole) || equal(*ch.judged)
}

// hollow reports whether a keyword says nothing about any value on both sides, such as maxLength beside the
// type integer.
func (ch *change) hollow(keyword string) bool {
	says := func(side view) bool {
		var types any
		_ = json.Unmarshal(side["type"], &types) // without a type it does
		return side[keyword] != nil && schema.AppliesTo(keyword, types)
	}
	return !says(ch.before()) && !says(ch.after())
}

// ignored reports a keyword that changed where it says nothing about any value.
func (r *revision) ignored(ch *change, f finding.Finding) {
	keyword := cmp.Or(f.Member, ch.Keyword)
	if !ch.hollow(keyword) {
		return
	}
	instance := ch.Instance
	if ch.Family == schema.FamilyProperty || ch.Family == schema.FamilyRequired {
		instance = parent(instance) // the keyword is that of the object
	}
	f.Cause = "The keyword " + code(keyword) + ", which has no effect on values of its type, changed"
	f.Message = "The keyword " + code(keyword) + " of " + r.subject(instance) +
		", which has no effect on values of its type, changed."
	r.reportAs(unknownKeywords, f)
}

// unconstrained reports whether a schema accepts everything, apart from its annotations.
func unconstrained(raw json.RawMessage) bool {
	return string(raw) != "false" && len(withoutRemarks(viewOf(raw))) == 0
}

// sentence reports a change under a rule, on the ground of its verdict.
func (r *revision) sentence(ch *change, id string, f finding.Finding) {
	if ch.successor != nil {
		f.New, f.Hint = rawjson.Quote(ch.successor.Name),
			either(r.direction == finding.Input, "send ", "read ")+code(ch.successor.Name)+" instead"
		f.Old = rawjson.Quote(ch.Name)
	}
	on := r.ground(ch)
	if r.level(id, on) == finding.Info && f.Cause == "" && fromGenerator(r, ch) {
		f.Cause = anotherGenerator
	}
	if r.refused(ch) {
		says := r.rules[id].message(f, r.words(ch))
		f.Message = strings.TrimSuffix(says, ".") + ", and unknown arguments are now rejected."
	}
	if r.reported = true; ch.breaks() {
		shown(&f, ch.judged.Breaks)
	}
	r.reportInside(on, id, f, r.words(ch)...)
}

// evidenceOf returns what decides whether a call is affected by a change of an input schema: what the change
// alone rejects, or, where an argument goes that is ignored now, what sends it; empty for other changes.
func (r *revision) evidenceOf(ch *change) Evidence {
	switch {
	case r.recorded == nil || r.direction == finding.Output || ch.judged == nil:
		return Evidence{}
	case ch.Family == schema.FamilyProperty && ch.New == nil && !ch.breaks() && ch.Instance != "" &&
		ch.More == 0:
		return Evidence{Sent: append([]string{ch.Instance}, ch.Also...)}
	}
	edits := append([]int{ch.judged.Edit}, ch.judged.Together...)
	return Evidence{Before: r.Before, After: []*schema.Schema{r.After, r.With(edits...)}}
}

// refused reports whether an argument that is gone breaks since its object takes no undeclared ones any more.
func (r *revision) refused(ch *change) bool {
	if r.direction == finding.Output || ch.Family != schema.FamilyProperty || ch.New != nil || !ch.breaks() {
		return false
	}
	old, new := parent(parent(ch.OldPath))+"/additionalProperties", ch.NewPath+"/additionalProperties"
	return schema.RefusesAll(r.After.At(new)) && !schema.RefusesAll(r.Before.At(old))
}

// shown sets what the level of a break rests on: a value, or why none is shown.
func shown(f *finding.Finding, result schema.Result) {
	if f.Witness = result.Witness; f.Witness != nil {
		f.Verdict = finding.Proved
	} else if f.Hint == "" {
		f.Hint = result.Reason
	}
}

// residual reports a difference that no change explains.
func (r *revision) residual(ch schema.Change) {
	f := r.sent
	if ch.Path != "" {
		f = finding.Finding{Path: ch.Path, Old: r.Before.At(ch.Old), New: r.After.At(ch.New)}
	}
	if ch.Breaks.Verdict == schema.Unknown {
		r.unproven(f, r.subject(ch.Instance), ch.Breaks)
		return
	}
	r.reported = true
	shown(&f, ch.Breaks)
	r.reportInside(breaks, r.valueRule(schema.FamilySchema, moves), f, "name", r.subject(ch.Instance))
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
