package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

type pair struct {
	key      string
	nth      int // how many pairs of the same key come before it
	further  int // how many more of the same key it stands for, which are not compared; old and new name them
	old, new json.RawMessage
}

// pairs match the items of two lists by key, in the order of the keys.
func pairs(old, new snapshot.List) []*pair {
	before, after := byKey(old), byKey(new)
	names := slices.Collect(maps.Keys(before))
	for key := range after {
		if before[key] == nil {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	matched := make([]*pair, 0, len(names))
	for _, key := range names {
		if len(before[key]) <= 1 && len(after[key]) <= 1 {
			matched = append(matched, &pair{key: key, old: first(before[key]), new: first(after[key])})
			continue
		}
		matched = append(matched, repeats(key, before[key], after[key])...)
	}
	return matched
}

func first(items []json.RawMessage) json.RawMessage {
	if len(items) == 0 {
		return nil
	}
	return items[0]
}

func byKey(list snapshot.List) map[string][]json.RawMessage {
	groups := map[string][]json.RawMessage{}
	for _, item := range list.Items() {
		groups[item.Key] = append(groups[item.Key], item.Raw)
	}
	return groups
}

// repeats match items that share a key: first those that are the same, then the others in the order of their
// spelling. Where there are more than mostTold, which of them belongs to which is a guess anyway.
func repeats(key string, old, new []json.RawMessage) []*pair {
	var matched []*pair
	before, after := canonicals(old), canonicals(new)
	add := func(old, new json.RawMessage) {
		matched = append(matched, &pair{key: key, nth: len(matched), old: old, new: new})
	}
	var gone, fresh []json.RawMessage
	for len(before) > 0 && len(after) > 0 {
		switch order := bytes.Compare(before[0], after[0]); {
		case order < 0:
			gone, before = append(gone, before[0]), before[1:]
		case order > 0:
			fresh, after = append(fresh, after[0]), after[1:]
		default:
			add(before[0], after[0])
			before, after = before[1:], after[1:]
		}
	}
	before, after = append(gone, before...), append(fresh, after...)
	for i := range max(len(before), len(after)) {
		switch {
		case i == mostTold:
			further := max(len(before), len(after)) - i
			return append(matched, &pair{key, len(matched), further, named(before[min(i, len(before)):]),
				named(after[min(i, len(after)):])})
		case i >= len(after):
			add(before[i], nil)
		case i >= len(before):
			add(nil, after[i])
		default:
			add(before[i], after[i])
		}
	}
	return matched
}

// named is what names items that are told as one.
func named(items []json.RawMessage) json.RawMessage {
	var others finding.Others
	for _, item := range items {
		others.Add(string(item))
	}
	return others.Value()
}

func canonicals(items []json.RawMessage) []json.RawMessage {
	var spelled []json.RawMessage
	for _, item := range items {
		if canonical, err := rawjson.Canonical(item); err == nil {
			item = canonical
		}
		spelled = append(spelled, item)
	}
	slices.SortFunc(spelled, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	return spelled
}

// compareItems compares the items of two lists. What one side lacks means something only when its list is
// whole.
func compareItems(c *comparison, old, new snapshot.List) {
	kind := new.Kind
	matched := pairs(old, new)
	if kind == snapshot.Tools {
		namesOf(c, matched)
		compareOrder(c, old, new)
	}
	if old.Whole() && new.Whole() {
		matched = joinRenamedItems(c, kind, matched)
	}
	hints := renameHints(matched)
	var both []*pair
	for _, p := range matched {
		switch {
		case p.new == nil && !new.Whole(), p.old == nil && !old.Whole():
		case p.further > 0:
			c.report(changedRule(kind), finding.Finding{
				Item: kind.ID(p.key), Level: finding.Warning, Verdict: finding.Unproven, Old: p.old,
				New: p.new,
				Message: fmt.Sprintf("%s of this %s changed, and were not compared one by one.",
					kit.Counted(p.further, "more item"), kind.KeyField()),
			})
		case p.nth > 0 && (p.old == nil || p.new == nil):
			reportRepeated(c, kind, p)
		case p.new == nil:
			reportRemoved(c, kind, p, hints[p.key])
		case p.old == nil:
			reportAdded(c, kind, p)
		default:
			both = append(both, p)
		}
	}
	compareEach(c, kind, both)
}

// compareEach compares items that both sides have, on all processors. The findings are in the order of the
// items.
func compareEach(c *comparison, kind snapshot.Kind, items []*pair) {
	type told struct {
		findings []finding.Finding
		guesses  [][2]string
	}
	found, sizes := make([]told, len(items)), make([]int, len(items))
	for i, p := range items {
		if !rawjson.Equal(p.old, p.new) {
			sizes[i] = len(p.old) + len(p.new)
		}
	}
	rounds(cmp.Or(c.Steps, DefaultSteps), sizes, func(changed []int, share func(int) *schema.Pool) {
		kit.Parallel(c.ctx, len(changed), func(n int) {
			i, one := changed[n], *c
			one.findings, one.guesses, one.pool = nil, nil, share(i)
			compareItem(&one, kind, items[i])
			found[i] = told{one.findings, one.guesses}
		})
	})
	for _, one := range found {
		c.findings, c.guesses = append(c.findings, one.findings...), append(c.guesses, one.guesses...)
	}
	spreadGuesses(c)
}

func reportRemoved(c *comparison, kind snapshot.Kind, p *pair, successor string) {
	f := finding.Finding{Item: kind.ID(p.key), Old: p.old}
	if successor != "" {
		f.Hint = successorHint(p.key, successor)
	}
	if kind == snapshot.Resources && c.dynamic {
		f.Level = finding.Warning
	}
	c.reportAnnounced(kind.Word()+"-removed", f, p.old)
}

// reportAnnounced reports that an item is not there any more as it was: after the date that it announced for
// that, nobody was taken by surprise.
func (c *comparison) reportAnnounced(id string, f finding.Finding, old json.RawMessage, values ...string) {
	if d, told := wording.DeprecationOf(rawjson.ObjectOf(old)); told {
		said := strings.TrimSuffix(c.rules[id].message(f, values), ".")
		switch {
		case d.Passed(c.Now):
			f.Level, f.Message = finding.Warning, said+", as it was announced for "+d.Date()+"."
		case !d.Sunset.IsZero():
			f.Message = said + ", before the date that was announced: " + d.Date() + "."
		default:
			f.Message = said + "; it was deprecated, and no date was announced."
		}
		if d.Replacement != "" {
			f.Hint = "use " + code(d.Replacement) + " instead, as it said"
		}
	}
	c.report(id, f, values...)
}

// compareDeprecation compares what an item says of its own end.
func compareDeprecation(c *comparison, s subject, before, after json.RawMessage) {
	old, was := wording.DeprecationOf(rawjson.ObjectOf(before))
	new, is := wording.DeprecationOf(rawjson.ObjectOf(after))
	f, name := finding.Finding{Item: s.id, Path: new.Place}, nameOf(finding.Finding{Item: s.id})
	if is && new.Replacement != "" {
		f.Hint = "use " + code(new.Replacement) + " instead"
	}
	until := ""
	if f.New = json.RawMessage("true"); !new.Sunset.IsZero() {
		until, f.New = ", and may be gone from "+new.Date()+" on", rawjson.Quote(new.Date())
	}
	switch {
	case is && (!was || old.Sunset.IsZero() && !new.Sunset.IsZero()):
		c.report("item-deprecated", f, "name", name, "until", until)
	case was && !is:
		f.Path, f.Old, f.New = old.Place, f.New, nil
		c.report("item-undeprecated", f, "name", name)
	case is && !old.Sunset.Equal(new.Sunset):
		f.Old = rawjson.Quote(old.Date())
		switch {
		case new.Sunset.IsZero():
			f.New, f.Message = nil, name+" was to be gone from "+old.Date()+" on, and names no date any more."
		case new.Sunset.Before(old.Sunset):
			f.Level = finding.Warning
		}
		c.report("item-sunset-changed", f, "name", name)
	}
}

func reportAdded(c *comparison, kind snapshot.Kind, p *pair) {
	c.report(kind.Word()+"-added", finding.Finding{Item: kind.ID(p.key), New: p.new})
	if mayHide(p.new) {
		findHidden(c, kind.ID(p.key), nil, textsOf("", "", treeOf(p.new), true).hiding)
	}
}

// reportRepeated tells of an item whose key another one has too, on one side only.
func reportRepeated(c *comparison, kind snapshot.Kind, p *pair) {
	f := finding.Finding{Item: kind.ID(p.key), Old: p.old, New: p.new}
	switch {
	case p.key == "":
		c.report(changedRule(kind), f)
	case kind == snapshot.Tools && p.old == nil:
		c.report("tool-duplicate-name", f)
	default:
		f.Message = fmt.Sprintf("The number of items with this %s changed.", kind.KeyField())
		c.report(changedRule(kind), f)
	}
}

// comparers say what is particular to a kind.
var comparers = map[snapshot.Kind]func(*comparison, subject){
	snapshot.Tools: compareTool, snapshot.Prompts: comparePrompt, snapshot.Resources: compareResource,
	snapshot.Templates: compareTemplate, snapshot.Skills: compareSkill,
}

// compareItem compares one item that both sides have and that changed.
func compareItem(c *comparison, kind snapshot.Kind, p *pair) {
	s := subject{kind: kind, id: kind.ID(p.key), old: viewOf(p.old), new: viewOf(p.new)}
	if len(s.old) == 0 || len(s.new) == 0 {
		if !same(p.old, p.new) {
			c.report(changedRule(kind), finding.Finding{Item: s.id, Old: p.old, New: p.new})
		}
		return
	}
	if compare := comparers[kind]; compare != nil {
		compare(c, s)
	}
	compareDeprecation(c, s, p.old, p.new)
	compareTexts(c, s.id, "", p.old, p.new)
	compareSize(c, s.id, p.old, p.new)
}

// compareOrder compares the order of the tools that both sides have.
func compareOrder(c *comparison, old, new snapshot.List) {
	before, after := shared(old, new), shared(new, old)
	if !slices.Equal(before, after) {
		c.report("tool-order-changed", finding.Finding{Path: "/tools", Old: asJSON(before),
			New: asJSON(after)})
	}
}

func shared(list, other snapshot.List) []string {
	key := func(item snapshot.Item) string { return item.Key }
	known := kit.Set(kit.Map(other.Items(), key))
	return append([]string{}, kit.Filter(kit.Map(list.Items(), key),
		func(key string) bool { return known[key] })...)
}

func asJSON(value any) json.RawMessage {
	raw, _ := rawjson.Encode(value) // what was decoded, and texts, always encode
	return raw
}

// joinRenamedItems reports the items whose key changed and nothing else that matters, and is the pairs that
// are left. Each stands for one removed and one added item.
func joinRenamedItems(c *comparison, kind snapshot.Kind, matched []*pair) []*pair {
	claimed := map[*pair]bool{}
	for old, new := range successions(kind, matched) {
		claimed[new] = true
		switch kind {
		case snapshot.Tools, snapshot.Prompts:
			claimed[old] = true
			c.reportAnnounced(kind.Word()+"-renamed", finding.Finding{
				Item: kind.ID(old.key), Old: rawjson.Quote(old.key), New: rawjson.Quote(new.key),
				Hint: either(kind == snapshot.Tools, "call ", "use ") + code(new.key) + " instead",
			}, old.old, "new", code(new.key))
		case snapshot.Resources, snapshot.Templates:
			reportMoved(c, kind, old, new)
			old.new = new.new // what else changed is told under the old key
		}
	}
	return slices.DeleteFunc(matched, func(p *pair) bool { return claimed[p] })
}

// successions are the items that are gone, each with the only new item that is the same under another key.
func successions(kind snapshot.Kind, matched []*pair) map[*pair]*pair {
	found := onlyAlike(gone(matched), fresh(matched), func(p *pair) string {
		raw := p.old
		if raw == nil {
			raw = p.new
		}
		if kind.KeyField() == "name" {
			return withoutMember(raw, "name")
		}
		return viewOf(raw).text("name")
	})
	maps.DeleteFunc(found, func(old, new *pair) bool {
		return kind.KeyField() == "name" && !telling(old.old) && similarity(old.key, new.key) < likely
	})
	return found
}

// onlyAlike finds for what is gone what came for it: what is the same by what stays when a name changes, and
// is alone in that on both sides. What has nothing that stays is like nothing.
func onlyAlike[T comparable](gone, fresh []T, stays func(T) string) map[T]T {
	alike := func(items []T) map[string][]T {
		by := map[string][]T{}
		for _, item := range items {
			what := stays(item)
			by[what] = append(by[what], item)
		}
		return by
	}
	found, after := map[T]T{}, alike(fresh)
	for what, old := range alike(gone) {
		if new := after[what]; what != "" && len(old) == 1 && len(new) == 1 {
			found[old[0]] = new[0]
		}
	}
	return found
}

func withoutMember(raw json.RawMessage, name string) string {
	v := viewOf(raw)
	if len(v) == 0 {
		return ""
	}
	delete(v, name)
	spelled, _ := rawjson.Canonical(v.json()) // what a view shows is JSON
	return string(spelled)
}

// reportMoved reports a resource or template that is found under another address.
func reportMoved(c *comparison, kind snapshot.Kind, old, new *pair) {
	f := finding.Finding{Item: kind.ID(old.key), Old: rawjson.Quote(old.key), New: rawjson.Quote(new.key)}
	if kind == snapshot.Resources {
		c.report("resource-uri-changed", f)
		return
	}
	compareURITemplate(c, f, old.key, new.key)
}

func gone(matched []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(matched),
		func(p *pair) bool { return p.new != nil || p.nth > 0 || p.key == "" })
}

func fresh(matched []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(matched),
		func(p *pair) bool { return p.old != nil || p.nth > 0 || p.key == "" })
}

// telling tells whether an item says enough for another one that says the same to be taken for it.
func telling(raw json.RawMessage) bool {
	v := viewOf(raw)
	properties := viewOf(viewOf(v["inputSchema"])["properties"])
	return v.text("description") != "" || len(properties) > 0 || v["arguments"] != nil
}

// likely is the similarity from which two names are taken for two spellings of one.
const likely = 0.6

// renameHints are likely successors of removed items by the similarity of their names.
func renameHints(matched []*pair) map[string]string {
	hints := map[string]string{}
	candidates := fresh(matched)
	if len(candidates) > maxCandidates {
		candidates = candidates[:maxCandidates]
	}
	spellings := make([]spelling, len(candidates))
	for i, candidate := range candidates {
		spellings[i] = spell(candidate.key)
	}
	for _, old := range gone(matched) {
		name, closest := spell(old.key), likely
		for i, candidate := range candidates {
			if s := name.similarity(spellings[i]); s > closest || s == closest && hints[old.key] == "" {
				closest, hints[old.key] = s, candidate.key
			}
		}
	}
	return hints
}

// maxCandidates bounds the search for successors, so that replacing a large list takes linear time.
const maxCandidates = 100

// similarity is how much two names have in common, from 0 to 1: Dice's coefficient over pairs of neighbouring
// letters.
func similarity(a, b string) float64 { return spell(a).similarity(spell(b)) }

// spelling is a name as pairs of neighbouring letters, with how often each stands there.
type spelling struct {
	pairs map[string]int
	total int
}

func spell(name string) spelling {
	const longest = 200 // a name that is longer is no name
	name = strings.ToLower(name[:min(len(name), longest)])
	s := spelling{pairs: map[string]int{}}
	for i := 1; i < len(name); i++ {
		s.pairs[name[i-1:i+1]]++
		s.total++
	}
	return s
}

func (s spelling) similarity(other spelling) float64 {
	if s.total+other.total == 0 {
		return 0
	}
	common := 0
	for pair, n := range s.pairs {
		common += min(n, other.pairs[pair])
	}
	return 2 * float64(common) / float64(s.total+other.total)
}
