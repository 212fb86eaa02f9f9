package diff

import (
	"bytes"
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

// pairs matches the items of two lists by key, in the order of the keys.
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

// repeats matches items that share a key: first those that are the same, then the others in the order of
// their spelling. If there are more than maxListed, the rest is one pair.
func repeats(key string, old, new []json.RawMessage) []*pair {
	var matched []*pair
	add := func(old, new json.RawMessage) {
		matched = append(matched, &pair{key: key, nth: len(matched), old: old, new: new})
	}
	times := map[string]int{}
	before := canonicals(old)
	for _, item := range before {
		times[string(item)]++
	}
	after := slices.DeleteFunc(canonicals(new), func(item json.RawMessage) bool {
		found := times[string(item)] > 0
		if found {
			times[string(item)]--
			add(item, item)
		}
		return found
	})
	before = slices.DeleteFunc(before, func(item json.RawMessage) bool {
		times[string(item)]--
		return times[string(item)] < 0
	})
	for i := range max(len(before), len(after)) {
		if i == maxListed {
			rest := &pair{key: key, nth: len(matched), further: max(len(before), len(after)) - i}
			if len(before) > i {
				rest.old = rawjson.List(before[i:])
			}
			if len(after) > i {
				rest.new = rawjson.List(after[i:])
			}
			return append(matched, rest)
		}
		add(first(before[min(i, len(before)):]), first(after[min(i, len(after)):]))
	}
	return matched
}

// canonicals returns the items in one spelling, sorted, so that lists with the same items in another order
// are equal. An item without a canonical form stays as it is.
func canonicals(items []json.RawMessage) []json.RawMessage {
	spelled := kit.Map(items, func(item json.RawMessage) json.RawMessage {
		if canonical, err := rawjson.Canonical(item); err == nil {
			return canonical
		}
		return item
	})
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
	hints := renameHints(kind, matched)
	var both []*pair
	for _, p := range matched {
		switch {
		case p.new == nil && !new.Whole(), p.old == nil && !old.Whole():
		case p.further > 0:
			c.report(changedRule(kind), finding.Finding{
				Item: kind.ID(p.key), Level: finding.Warning, Verdict: finding.Unproven, Old: p.old,
				New: p.new,
				Message: fmt.Sprintf("%s of this %s changed and were not compared one by one.",
					kit.Counted(p.further, "more item"), kind.KeyField()),
			})
		case p.nth > 0 && (p.old == nil || p.new == nil):
			reportRepeated(c, kind, p)
		case p.new == nil:
			reportRemoved(c, kind, p, hints[p])
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
	found, sizes := make([]comparison, len(items)), make([]int, len(items))
	for i, p := range items {
		if !rawjson.Equal(p.old, p.new) {
			sizes[i] = len(p.old) + len(p.new)
		}
	}
	rounds(DefaultSteps, sizes, func(changed []int, share func(int) *schema.Pool) {
		kit.Parallel(c.ctx, len(changed), func(n int) {
			i := changed[n]
			found[i] = *c
			found[i].findings, found[i].pool = nil, share(i)
			compareItem(&found[i], kind, items[i])
		})
	})
	for _, item := range found {
		c.findings = append(c.findings, item.findings...)
	}
}

func reportRemoved(c *comparison, kind snapshot.Kind, p *pair, hint string) {
	f := finding.Finding{Item: kind.ID(p.key), Old: p.old, Hint: hint}
	if kind == snapshot.Resources && c.dynamic {
		f.Level = finding.Warning
	}
	c.reportAnnounced(kind.Word()+"-removed", f, p.old)
}

// reportAnnounced reports that an item is gone or renamed. After the date that it announced for that, it is a
// warning.
func (c *comparison) reportAnnounced(id string, f finding.Finding, old json.RawMessage, values ...string) {
	if d, announced := wording.DeprecationOf(rawjson.ObjectOf(old)); announced {
		said := strings.TrimSuffix(c.rules[id].message(f, values), ".")
		switch {
		case d.Passed(c.Now):
			f.Level, f.Message = finding.Warning, said+", as announced for "+d.Date()+"."
		case !d.Sunset.IsZero():
			f.Message = said + ", before the announced date " + d.Date() + "."
		default:
			f.Message = said + "; it was deprecated without a date."
		}
		if d.Replacement != "" {
			f.Hint = "use " + code(d.Replacement) + " instead, as announced"
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
		until, f.New = ", for removal on "+new.Date(), rawjson.Quote(new.Date())
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
			f.New, f.Message = nil, "The removal date of "+name+", "+old.Date()+", was withdrawn."
		case new.Sunset.Before(old.Sunset):
			f.Level = finding.Warning
		}
		c.report("item-sunset-changed", f, "name", name)
	}
}

func reportAdded(c *comparison, kind snapshot.Kind, p *pair) {
	c.report(kind.Word()+"-added", finding.Finding{Item: kind.ID(p.key), New: p.new})
	if mayHide(p.new) {
		findHidden(c, kind.ID(p.key), p.new, nil, textsOf("", "", treeOf(p.new), true).hiding)
	}
}

// reportRepeated reports an item on one side whose key another one has, too.
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

// withoutMember returns the canonical text of an object without one member, to find what changed only its
// name. It is empty for what is not an object or has no members.
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
