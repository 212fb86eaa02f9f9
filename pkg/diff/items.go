package diff

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
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
	old, new json.RawMessage
	others   int // > 0: old and new are lists of items whose key another item has, and this is their number
}

func (p *pair) size() int { return len(p.old) + len(p.new) }

// raw returns one side of an item that is gone or new.
func (p *pair) raw() json.RawMessage { return either(p.old == nil, p.new, p.old) }

// pairs matches the items of two lists by key, in the order of the keys. Of items that share a key the first
// two that differ are a pair, and all others together.
func pairs(old, new snapshot.List) []*pair {
	before, after := old.ByKey(), new.ByKey()
	var matched []*pair
	for _, key := range keys(before, after) {
		a, b := before[key], after[key]
		isNew, isGone := len(a) == 0, len(b) == 0
		if len(a) > 1 || len(b) > 1 {
			a, b = kit.Map(a, rawjson.Form), kit.Map(b, rawjson.Form)
			a, b = without(a, b), without(b, a)
		}
		if isNew || isGone || len(a) > 0 && len(b) > 0 {
			p := &pair{key: key}
			if len(a) > 0 {
				p.old, a = a[0], a[1:]
			}
			if len(b) > 0 {
				p.new, b = b[0], b[1:]
			}
			matched = append(matched, p)
		}
		if others := max(len(a), len(b)); others > 0 {
			matched = append(matched, &pair{key: key, others: others,
				old: either(len(a) > 0, rawjson.List(a), nil), new: either(len(b) > 0, rawjson.List(b), nil)})
		}
	}
	return matched
}

// without returns items without as many of each as there are among others, sorted.
func without(items, others []json.RawMessage) []json.RawMessage {
	times := map[string]int{}
	for _, other := range others {
		times[string(other)]++
	}
	left := kit.Filter(items, func(item json.RawMessage) bool {
		times[string(item)]--
		return times[string(item)] < 0
	})
	slices.SortFunc(left, func(a, b json.RawMessage) int { return bytes.Compare(a, b) })
	return left
}

// compareItems compares the items of two lists. What one side lacks means something only when its list is
// whole.
func compareItems(c *comparison, old, new snapshot.List) {
	kind := new.Kind
	matched := pairs(old, new)
	if kind == snapshot.Tools {
		key := func(item snapshot.Item) string { return item.Key }
		names := kit.Map(new.Items(), key)
		compareOrder(c, "tool-order-changed", "", "/tools", kit.Map(old.Items(), key), names)
		c.names = kit.Set(names)
	}
	var alike map[*pair]*pair
	if old.Whole() && new.Whole() {
		matched, alike = joinRenamedItems(c, kind, matched)
	}
	hints := renameHints(kind, matched, alike)
	var both []*pair
	for _, p := range matched {
		switch {
		case p.new == nil && !new.Whole(), p.old == nil && !old.Whole():
		case p.others > 0:
			reportOthers(c, kind, p)
		case p.new == nil:
			f := finding.Finding{Item: kind.ID(p.key), Old: p.old, Hint: hints[p]}
			c.reportAnnounced(either(c.dynamic, comesAndGoes, byRule), comparers[kind].removed, f, p.old)
		case p.old == nil:
			c.report(comparers[kind].added, finding.Finding{Item: kind.ID(p.key), New: p.new})
			findInNew(c, kind.ID(p.key), "", p.new)
		default:
			both = append(both, p)
		}
	}
	compareEach(c, kind, both)
}

// compareEach compares items that both sides have, on all processors: the small ones first, and those of one
// size by name. Each has the same steps, however many others changed, until all together took those of a
// server; the schemas of the others are not compared.
func compareEach(c *comparison, kind snapshot.Kind, items []*pair) {
	type job struct {
		*pair
		comparison
	}
	var changed []*job
	for _, p := range items {
		if !rawjson.Equal(p.old, p.new) {
			changed = append(changed, &job{pair: p})
		}
	}
	slices.SortStableFunc(changed, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.size(), b.size()), cmp.Compare(a.key, b.key))
	})
	left := cmp.Or(c.Steps, ServerSteps)
	for n := 0; n < len(changed); {
		next := changed[n:]
		if left > 0 {
			next = next[:min(len(next), max(left/DefaultSteps, 1))] // enough is left for all of these
		}
		for _, item := range next {
			if item.comparison = *c; left > 0 {
				item.pool = &schema.Pool{Left: DefaultSteps}
			}
			item.findings = nil
		}
		kit.Parallel(c.ctx, len(next), func(i int) { compareItem(&next[i].comparison, kind, next[i].pair) })
		for _, item := range next {
			if item.pool != nil {
				left -= DefaultSteps - item.pool.Left
			}
		}
		n += len(next)
	}
	var skipped []*pair
	for _, item := range changed {
		c.findings = append(c.findings, item.findings...)
		if item.skipped {
			skipped = append(skipped, item.pair)
		}
	}
	reportSkipped(c, kind, skipped)
}

// IncompleteRule reports the items whose schemas were not compared. Its new value names them all.
const IncompleteRule = "analysis-incomplete"

// Skipped returns the names of the items that a finding of IncompleteRule is about.
func Skipped(f finding.Finding) []string {
	var skipped struct{ Names []string }
	_ = json.Unmarshal(f.New, &skipped) // what it cannot read names nothing
	return skipped.Names
}

// reportSkipped reports items whose schemas were not compared. The digest of both sides makes the fingerprint
// one of these changes.
func reportSkipped(c *comparison, kind snapshot.Kind, skipped []*pair) {
	if len(skipped) == 0 {
		return
	}
	slices.SortFunc(skipped, func(a, b *pair) int { return strings.Compare(a.key, b.key) })
	names, digest := kit.Map(skipped, func(p *pair) string { return p.key }), sha256.New()
	for _, p := range skipped {
		digest.Write(rawjson.Form(p.old))
		digest.Write(rawjson.Form(p.new))
	}
	c.report(IncompleteRule, finding.Finding{Path: "/" + string(kind), Verdict: finding.Unproven,
		New: asJSON(map[string]any{"names": names, "digest": fmt.Sprintf("%x", digest.Sum(nil))}),
		Message: fmt.Sprintf("%s changed and could not be analyzed: %s.",
			kit.Counted(len(names), kind.Word()), kit.Some(kit.Map(names, code)))})
}

// reportAnnounced reports that an item is gone or renamed, and whether it had announced that.
func (c *comparison) reportAnnounced(on ground, id string, f finding.Finding, old json.RawMessage,
	values ...string) {
	if d, deprecated := wording.DeprecationOf(rawjson.ObjectOf(old)); deprecated {
		said := strings.TrimSuffix(c.rules[id].message(f, values), ".")
		switch {
		case d.Passed(c.Now):
			on, f.Message = on|announced, said+", as announced for "+d.Date()+"."
		case !d.Sunset.IsZero():
			f.Message = said + ", before the announced date " + d.Date() + "."
		default:
			f.Message = said + "; it was deprecated without a date."
		}
		if d.Replacement != "" {
			f.Hint = "use " + code(d.Replacement) + " instead, as announced"
		}
	}
	c.reportOn(on, id, f, values...)
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
		on := byRule
		switch {
		case new.Sunset.IsZero():
			f.New, f.Message = nil, "The removal date of "+name+", "+old.Date()+", was withdrawn."
		case new.Sunset.Before(old.Sunset):
			on = sooner
		}
		c.reportOn(on, "item-sunset-changed", f, "name", name)
	}
}

// reportOthers reports items that are not compared one by one, and new invisible characters and orders in
// them.
func reportOthers(c *comparison, kind snapshot.Kind, p *pair) {
	f := finding.Finding{Item: kind.ID(p.key), Old: p.old, New: p.new}
	if kind == snapshot.Tools && p.key != "" && p.old == nil {
		c.report("tool-duplicate-name", f)
	} else {
		f.Verdict = finding.Unproven
		f.Message = fmt.Sprintf("%s of this %s changed and were not compared one by one.",
			kit.Counted(p.others, "more item"), kind.KeyField())
		c.report(changedRule(kind), f)
	}
	old, _ := rawjson.Elements(p.old)
	before := kit.Flat(old, hidingIn)
	new, _ := rawjson.Elements(p.new)
	for _, raw := range new {
		findHidden(c, f.Item, raw, before, hidingIn(raw))
	}
	findOrders(c, f.Item, "", p.old, p.new)
}

func hidingIn(item json.RawMessage) []passage {
	_, hiding := textsOf("", "", item)
	return hiding
}

// comparers say what is particular to a kind: the members that it compares by itself, and how; and its rules
// for items that come, go and, where they have names, get another one.
var comparers = map[snapshot.Kind]struct {
	compare                 func(*comparison, subject)
	members                 []string
	added, removed, renamed string
}{
	snapshot.Tools: {compareTool, []string{"annotations", "execution", "inputSchema", "outputSchema"},
		"tool-added", "tool-removed", "tool-renamed"},
	snapshot.Prompts: {compareArguments, []string{"arguments"},
		"prompt-added", "prompt-removed", "prompt-renamed"},
	snapshot.Resources: {compareResource, []string{"name", "annotations", "mimeType", "size"},
		"resource-added", "resource-removed", ""},
	snapshot.Templates: {compareResource, []string{"name", "annotations", "mimeType"},
		"template-added", "template-removed", ""},
	snapshot.Skills: {compareSkill, []string{"frontmatter", "resources"},
		"skill-added", "skill-removed", ""},
}

// The rules for the descriptions of tools, and of other items.
var (
	toolDescriptions = fate{"tool-description-added", "tool-description-removed",
		"tool-description-changed"}
	itemDescriptions = always("item-description-changed")
)

// The members of _meta that change with each request, and those that have rules of their own.
var (
	toolTraces = []string{"ui/resourceUri", "ui/visibility", "traceparent", "tracestate", "baggage",
		"progressToken"}
	appMembers = []string{"ui/csp", "ui/permissions", "ui/domain"}
)

// compareItem compares one item that both sides have and that changed.
func compareItem(c *comparison, kind snapshot.Kind, p *pair) {
	s := subject{kind: kind, id: kind.ID(p.key), old: viewOf(p.old), new: viewOf(p.new)}
	if len(s.old) == 0 || len(s.new) == 0 {
		if !same(p.old, p.new) {
			c.report(changedRule(kind), finding.Finding{Item: s.id, Old: p.old, New: p.new})
			compareTexts(c, s.id, "", p.old, p.new)
		}
		return
	}
	if kind == snapshot.Tools {
		s.old, s.new = withApp(s.old), withApp(s.new)
	}
	members := append([]string{kind.KeyField()}, comparers[kind].members...)
	if kind != snapshot.Skills { // what a skill says is in its frontmatter
		isTool := kind == snapshot.Tools
		known := map[snapshot.Kind][]string{snapshot.Tools: toolTraces, snapshot.Resources: appMembers,
			snapshot.Templates: appMembers}
		compareTitle(c, s, "item-title-changed")
		compareDescription(c, s, either(isTool, toolDescriptions, itemDescriptions))
		compareOpaque(c, s, "item-meta-changed", "_meta", known[kind]...)
		compareOpaque(c, s, "item-icons-changed", "icons")
		members = append(members, "title", "description", "_meta", "icons")
	}
	comparers[kind].compare(c, s)
	reportUnknown(c, s, members...)
	compareDeprecation(c, s, p.old, p.new)
	compareTexts(c, s.id, "", p.old, p.new)
	compareSize(c, s.id, p.old, p.new)
}

// compareOrder compares the order of the names that both sides have.
func compareOrder(c *comparison, rule, item, path string, old, new []string) {
	wasThere, isThere := kit.Set(old), kit.Set(new)
	before := kit.Filter(old, func(name string) bool { return isThere[name] })
	after := kit.Filter(new, func(name string) bool { return wasThere[name] })
	if !slices.Equal(before, after) {
		c.report(rule, finding.Finding{Item: item, Path: path, Old: asJSON(before), New: asJSON(after)})
	}
}

func asJSON(value any) json.RawMessage {
	raw, _ := rawjson.Encode(value) // what was decoded, and texts, always encode
	return raw
}

// withoutName returns the canonical text of an object without its name and the titles of schemas that repeat
// it, to find what changed only that; empty for what is not an object or has no members.
func withoutName(raw json.RawMessage) string {
	v := viewOf(raw)
	if len(v) == 0 {
		return ""
	}
	for _, key := range []string{"inputSchema", "outputSchema"} {
		if v[key] != nil {
			v[key] = withoutGeneratedTitle(v[key], v.text("name"))
		}
	}
	delete(v, "name")
	return string(rawjson.Form(v.json()))
}

// unmatched returns the single items that only the old side has, and those that only the new one has.
func unmatched(matched []*pair) (gone, fresh []*pair) {
	single := kit.Filter(matched, func(p *pair) bool { return p.others == 0 && p.key != "" })
	return kit.Filter(single, func(p *pair) bool { return p.new == nil }),
		kit.Filter(single, func(p *pair) bool { return p.old == nil })
}
