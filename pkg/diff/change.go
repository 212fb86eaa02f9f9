package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// change is one edit of a schema, or several that are told as one.
type change struct {
	schema.Edit
	number    int                    // of the edit in the revision
	views     func() (old, new view) // of OldSchema and NewSchema, which edits of one place share; nil of a change that is several edits
	judged    *schema.Change         // what it does to values; nil for a remark
	effect    effect
	successor *schema.Edit // the new property under which an old one is found
	likeness  *change      // the property that came for one that is gone, or the other way round, by its looks
	because   []*change    // the changes without which it would not break
	parts     []*change    // the changes that only together break, with none of them in front
}

func (ch *change) schemas() (old, new view) {
	if ch.views == nil {
		return viewOf(ch.OldSchema), viewOf(ch.NewSchema)
	}
	return ch.views()
}

func sameBytes(a, b json.RawMessage) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (ch *change) breaks() bool {
	return ch.judged != nil && ch.judged.Breaks.Verdict == schema.Incompatible
}

// changes are what there is to tell: edits, renames joined, and edits joined that only break together.
func (r *revision) changes(judged []schema.Change) []*change {
	changes := make([]*change, len(r.Edits))
	for i, e := range r.Edits {
		changes[i] = &change{Edit: e, number: i}
		if i > 0 && sameBytes(e.OldSchema, r.Edits[i-1].OldSchema) && sameBytes(e.NewSchema, r.Edits[i-1].NewSchema) {
			changes[i].views = changes[i-1].views
		} else {
			changes[i].views = sync.OnceValues(func() (view, view) { return viewOf(e.OldSchema), viewOf(e.NewSchema) })
		}
	}
	var joint []schema.Change
	for _, j := range judged {
		if len(j.Edits) == 1 {
			ch := changes[j.Edits[0]]
			ch.judged, ch.effect = &j, r.effectOf(ch, j)
		} else {
			joint = append(joint, j)
		}
	}
	all := changes
	r.all, r.asserting = all, slices.DeleteFunc(slices.Clone(all), func(ch *change) bool { return ch.judged == nil })
	changes = guessRenamed(joinRenamed(changes))
	for _, j := range joint {
		changes = r.join(changes, all, j)
	}
	return changes
}

// effectOf names what an edit does. Among alternatives that overlap one that grew can make the whole narrower by itself; where it
// takes no value from the whole, it is called what it is.
func (r *revision) effectOf(ch *change, j schema.Change) effect {
	if isInterval(ch.Family) && inAlternative().MatchString(ch.Path) {
		before, after := ch.schemas()
		old, new := before.only(ch.Family.Keywords()), after.only(ch.Family.Keywords())
		safe := func(side finding.Direction) bool { return r.direction == side && j.Breaks.Verdict == schema.Compatible }
		switch {
		case (safe(finding.Input) || r.whole.Kept.Verdict == schema.Compatible) && r.within(old, new):
			return widens
		case (safe(finding.Output) || r.whole.Inside.Verdict == schema.Compatible) && r.within(new, old):
			return narrows
		}
	}
	return effectOf(j, r.direction)
}

// within tells whether one schema accepts all that another one accepts.
func (r *revision) within(narrow, wide view) bool {
	n, errN := schema.Parse(narrow.json())
	w, errW := schema.Parse(wide.json())
	return errN == nil && errW == nil && schema.Contains(r.ctx, w, n, r.budget).Verdict == schema.Compatible
}

// join tells changes that only together break: as the property among them that comes or goes, else as one change.
func (r *revision) join(changes, all []*change, j schema.Change) []*change {
	set := &change{judged: &j, effect: effectOf(j, r.direction), parts: []*change{}}
	var properties []*change
	for _, number := range j.Edits {
		part := all[number]
		set.parts = append(set.parts, part)
		if part.judged != nil && equal(*part.judged) { // alone it does nothing, so it does what they do together
			part.effect = set.effect
		}
		if part.Family == schema.FamilyProperty && slices.Contains(changes, part) && !part.breaks() {
			properties = append(properties, part)
		}
	}
	if len(properties) == 1 {
		main := properties[0]
		main.judged, main.effect, main.number = &j, set.effect, -1
		main.because = slices.DeleteFunc(set.parts, func(part *change) bool {
			return part == main || main.successor != nil && part.Path == main.successor.Path
		})
		return changes
	}
	changes = slices.DeleteFunc(changes, func(ch *change) bool { return slices.Contains(set.parts, ch) && !ch.breaks() })
	return append(changes, set)
}

// joinRenamed lets a property that is gone speak for the one new one of its object that alone is the same as it alone.
func joinRenamed(changes []*change) []*change {
	properties := lists.Filter(changes, func(ch *change) bool { return ch.Family == schema.FamilyProperty })
	gone := lists.Filter(properties, func(ch *change) bool { return ch.Old != nil })
	fresh := lists.Filter(properties, func(ch *change) bool { return ch.Old == nil })
	claimed := map[*change]bool{}
	for old, new := range onlyAlike(gone, fresh, (*change).role) {
		claimed[new] = true
		old.successor = &new.Edit
		if !old.breaks() {
			old.judged = new.judged
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(ch *change) bool { return claimed[ch] })
}

// role is all that a property is but its name: of which object, whether required, and what it accepts.
func (ch *change) role() string {
	accepts, err := rawjson.Canonical(ch.value())
	if err != nil {
		accepts = ch.value()
	}
	return fmt.Sprint(parent(ch.Path), " ", ch.Required, " ", string(accepts))
}

// guessRenamed finds for each property that is gone the new one beside it that looks most like it, and like no other.
func guessRenamed(changes []*change) []*change {
	type guess struct {
		gone, fresh *change
		score       float64
	}
	var guesses []guess
	some := func(wanted func(*change) bool) []*change {
		found := slices.DeleteFunc(slices.Clone(changes), func(ch *change) bool { return ch.Family != schema.FamilyProperty || !wanted(ch) })
		return found[:min(len(found), maxCandidates)]
	}
	fresh := some(func(ch *change) bool { return ch.Old == nil })
	for _, gone := range some(func(ch *change) bool { return ch.New == nil && ch.successor == nil }) {
		for _, other := range fresh {
			if score := resemblance(gone, other); score >= likely && parent(gone.Path) == parent(other.Path) {
				guesses = append(guesses, guess{gone, other, score})
			}
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.score, a.score) })
	for _, g := range guesses {
		if g.gone.likeness == nil && g.fresh.likeness == nil {
			g.gone.likeness, g.fresh.likeness = g.fresh, g.gone
		}
	}
	return changes
}

// resemblance of two properties, from 0 to 1: of their names, or of their descriptions where they accept the same.
func resemblance(gone, fresh *change) float64 {
	names := similarity(gone.Name, fresh.Name)
	old, new := viewOf(gone.Old), viewOf(fresh.New)
	if old.text("description") != "" && same(withoutRemarks(old).json(), withoutRemarks(new).json()) {
		const tie = 0.1 // of texts that are alike the names decide
		return max(names, overlap(old.text("description"), new.text("description"))+tie*names)
	}
	return names
}

func overlap(a, b string) float64 {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	before, after := strings.FieldsFunc(strings.ToLower(a), apart), strings.FieldsFunc(strings.ToLower(b), apart)
	common := 0
	for _, word := range before {
		if i := slices.Index(after, word); i >= 0 {
			after[i] = ""
			common++
		}
	}
	return 2 * float64(common) / float64(max(1, len(before)+len(after)))
}

// withoutRemarks is a schema object without what accepts and refuses nothing.
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

func (r *revision) change(ch *change) {
	if ch.parts != nil {
		r.joint(ch)
		return
	}
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
		r.guesses = append(r.guesses, [2]string{ch.Name, ch.likeness.Name})
	case ch.likeness != nil:
		_, f.Hint, f.Cause = renaming(ch.likeness.Name, ch.Name)
	}
	if len(ch.Also) > 0 {
		f.Hint = "the definition is shared: the same change reaches " + strings.Join(ch.Also, ", ")
	}
	if ch.judged == nil {
		r.tell(suffix, f, r.words(ch)...)
		return
	}
	r.constraint(ch, suffix, f)
}

// constraint tells a change of what is accepted.
func (r *revision) constraint(ch *change, suffix string, f finding.Finding) {
	switch {
	case explained(r, ch):
		r.told, r.doubted = true, true
	case !ch.breaks() && ch.judged.Within == nil && r.silent(ch):
	case ch.judged.Breaks.Verdict == schema.Unknown:
		r.unproven(f, r.subject(ch.Instance), ch.judged.Breaks)
	case ch.effect == moves && isInterval(ch.Family):
		r.half(ch, effectRule(ch.Family, narrows), finding.Input, f)
		r.half(ch, effectRule(ch.Family, widens), finding.Output, f)
	default:
		r.sentence(ch, suffix, f)
	}
}

// silent tells whether the change says nothing new: other words for the same, or moved to another part of the schema.
func (r *revision) silent(ch *change) bool {
	if ch.Family == schema.FamilyProperty && unconstrained(ch.value()) {
		return false
	}
	if equal(r.whole) || equal(*ch.judged) && ch.Family != schema.FamilyProperty {
		return true
	}
	return ch.successor == nil && slices.ContainsFunc(r.asserting, func(other *change) bool {
		return r.budget.Pool.Left > 0 && other.number != ch.number && covers(other, ch) && schema.Equivalent(r.ctx, r.With(ch.number, other.number), r.With(other.number), r.budget)
	})
}

// covers tells whether a change can say what another one says: it is about the same value, or about one around or inside
// it, and then takes nothing away, so that it cannot make the other one moot by leaving no value at all.
func covers(ch, other *change) bool {
	around := strings.HasPrefix(ch.Instance, other.Instance+"/") || strings.HasPrefix(other.Instance, ch.Instance+"/")
	return ch.Instance == other.Instance || around && ch.judged.Kept.Verdict == schema.Compatible
}

// unconstrained tells whether a schema accepts everything, whatever it remarks.
func unconstrained(raw json.RawMessage) bool {
	return string(raw) != "false" && len(withoutRemarks(viewOf(raw))) == 0
}

// explained tells whether the change is a part of what was told about the validity of the new schema.
func explained(r *revision, ch *change) bool {
	root := ch.Family == schema.FamilyType && ch.Path == "" && r.direction == finding.Input
	return ch.Family == schema.FamilyReference && r.unresolved || root && !isObject(viewOf(r.After.Raw()))
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
		end.judged = &schema.Change{Breaks: schema.Result{Verdict: schema.Compatible}}
	}
	r.sentence(&end, suffix, f)
}

// sentence tells a change under a rule, at the level of its verdict.
func (r *revision) sentence(ch *change, suffix string, f finding.Finding) {
	if ch.successor != nil {
		f.New, f.Hint = rawjson.Quote(ch.successor.Name), either(r.direction == finding.Input, "send ", "read ")+code(ch.successor.Name)+" instead"
		f.Old = rawjson.Quote(ch.Name)
	}
	f.Level = r.level(string(r.direction)+"-"+suffix, ch.judged.Breaks.Verdict)
	says := r.rules[string(r.direction)+"-"+suffix].message(f, r.words(ch))
	if f.Level == finding.Info && f.Cause == "" {
		if f.Cause = generatorOf(r, ch); f.Cause != "" {
			f.Message = strings.TrimSuffix(says, ".") + ", which touches no caller."
		}
	}
	if len(ch.because) > 0 {
		f.Message = strings.TrimSuffix(says, ".") + ", which breaks only because " + strings.Join(sentencesOf(r, ch.because), " and ") + "."
	}
	r.show(ch, &f)
	r.tell(suffix, f, r.words(ch)...)
	if f.Level == finding.Breaking && f.Cause == "" && ch.ofValues() {
		r.tightened = append(r.tightened, tightened{finding: len(r.findings) - 1, name: r.subject(ch.Instance)})
	}
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

// tightenedTogether tells as one cause what breaks by the values of an argument, and the arguments of which the same is true.
func tightenedTogether(r *revision) {
	happened := map[string]string{} // to each argument
	for _, one := range r.tightened {
		f := r.findings[one.finding]
		happened[one.name] += fmt.Sprintf("%s %s %s\n", f.Rule, f.Old, f.New)
	}
	for _, one := range r.tightened {
		same := lists.Filter(r.tightened, func(other tightened) bool { return happened[other.name] == happened[one.name] })
		names := lists.Distinct(lists.Map(same, func(t tightened) string { return t.name }))
		if len(same) > 1 {
			r.findings[one.finding].Cause = someNames(names) + accepts(r.direction, len(names), strings.Contains(happened[one.name], "-changed "))
		}
	}
}

// accepts says of some arguments, or members of the result, how the values changed that they may have.
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
	r.told = true
	r.beside(ch, f)
	if !ch.breaks() {
		return
	}
	if f.Witness = ch.judged.Breaks.Witness; f.Witness != nil {
		f.Verdict = finding.Proved
	} else if f.Hint == "" {
		f.Hint = "a value shows it that is too large to be printed"
	}
}

// beside says which other changes refuse what the change refuses, where no value shows it without them.
func (r *revision) beside(ch *change, f *finding.Finding) {
	f.AlsoBy = sentencesOf(r, r.tellersOf(ch, ch.judged.Beside))
	if ch.judged.Within != nil {
		f.Hint = noted(f.Hint, "breaks nobody more, since "+strings.Join(sentencesOf(r, r.tellersOf(ch, ch.judged.Within)), " and "))
	}
}

// tellersOf are the changes that tell of some edits, but for a change itself.
func (r *revision) tellersOf(ch *change, edits []int) []*change {
	var told []*change
	for _, number := range edits {
		other := r.all[number]
		if i := slices.IndexFunc(r.all, func(gone *change) bool { return gone.successor != nil && gone.successor.Path == other.Path }); i >= 0 {
			other = r.all[i]
		}
		if other != ch && !slices.Contains(told, other) {
			told = append(told, other)
		}
	}
	return told
}

// noted puts a remark behind a hint; either may be empty.
func noted(hint, remark string) string { return strings.Trim(hint+"; "+remark, "; ") }

// joint tells changes that only together break, as one. A difference that no edit explains is one, too.
func (r *revision) joint(ch *change) {
	suffix := effectRule("", ch.effect)
	f := finding.Finding{Level: r.level(string(r.direction)+"-"+suffix, ch.judged.Breaks.Verdict)}
	old, new := view{}, view{}
	softened := len(ch.parts) > 0
	for i, part := range ch.parts {
		softened = softened && r.softened(string(r.direction)+"-"+r.suffix(part))
		member, before, after := part.values()
		f.Path = either(i == 0, part.Path, common(f.Path, part.Path))
		old.put(rawjson.Join(part.Path, member), before)
		new.put(rawjson.Join(part.Path, member), after)
	}
	if softened && f.Level == finding.Breaking {
		f.Level = finding.Warning
	}
	f.Old, f.New = old.orNothing(), new.orNothing()
	f.Message = "These changes break as one: " + strings.Join(sentencesOf(r, ch.parts), "; ") + "."
	if len(ch.parts) == 0 {
		f.Old, f.New, f.Message = r.sent.Old, r.sent.New, "" // no edit explains it
	}
	r.show(ch, &f)
	r.tell(suffix, f)
}
