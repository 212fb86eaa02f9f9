package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// pair is one item on both sides; a side without it has no Raw.
type pair struct {
	key      string
	nth      int // how many pairs of the same key come before it
	old, new json.RawMessage
}

// pairs match the items of two lists by key, in the order of the keys.
func pairs(old, new *snapshot.List) []*pair {
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

func byKey(list *snapshot.List) map[string][]json.RawMessage {
	groups := map[string][]json.RawMessage{}
	for _, item := range list.Items {
		groups[item.Key] = append(groups[item.Key], item.Raw)
	}
	return groups
}

// repeats match items that share a key: first those that are the same, then the others in the order of their spelling.
func repeats(key string, old, new []json.RawMessage) []*pair {
	var matched []*pair
	before, after := canonicals(old), canonicals(new)
	add := func(old, new json.RawMessage) {
		matched = append(matched, &pair{key: key, nth: len(matched), old: old, new: new})
	}
	before = slices.DeleteFunc(before, func(item json.RawMessage) bool {
		i := slices.IndexFunc(after, func(other json.RawMessage) bool { return bytes.Equal(item, other) })
		if i < 0 {
			return false
		}
		after = slices.Delete(after, i, i+1)
		add(item, item)
		return true
	})
	for i := range max(len(before), len(after)) {
		switch {
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

// canonicals are items in one spelling, sorted.
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

// items compares the items of two lists that are both known.
func (c *comparison) items(kind snapshot.Kind, old, new *snapshot.List) {
	matched := pairs(old, new)
	if kind == snapshot.Tools {
		c.toolNames(matched)
		c.order(old, new)
	}
	matched = c.successors(kind, matched)
	hints := renameHints(matched)
	var both []*pair
	for _, p := range matched {
		switch {
		case p.nth > 0 && (p.old == nil || p.new == nil):
			c.repeated(kind, p)
		case p.new == nil:
			c.removed(kind, p, hints[p.key])
		case p.old == nil:
			c.added(kind, p)
		default:
			both = append(both, p)
		}
	}
	c.each(kind, both)
}

// each compares items that both sides have, on all processors. The findings are in the order of the items.
func (c *comparison) each(kind snapshot.Kind, items []*pair) {
	found := make([][]finding.Finding, len(items))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(items)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(items)); i = next.Add(1) - 1 {
				one := *c
				one.findings = nil
				one.item(kind, items[i])
				found[i] = one.findings
			}
		})
	}
	workers.Wait()
	c.findings = append(c.findings, slices.Concat(found...)...)
}

func (c *comparison) removed(kind snapshot.Kind, p *pair, successor string) {
	if slices.Contains(c.Incomplete, kind) {
		return
	}
	f := finding.Finding{Item: kind.ID(p.key), Old: p.old}
	if successor != "" {
		f.Hint = fmt.Sprintf("%s is new and looks like it: perhaps it was renamed", kind.ID(successor))
	}
	if kind == snapshot.Resources && c.dynamic {
		f.Level = finding.Warning
	}
	c.report(kind.Word()+"-removed", f)
}

func (c *comparison) added(kind snapshot.Kind, p *pair) {
	c.report(kind.Word()+"-added", finding.Finding{Item: kind.ID(p.key), New: p.new})
	c.hidden(kind.ID(p.key), "", nil, p.new)
}

// repeated tells of an item whose key another one has too, on one side only.
func (c *comparison) repeated(kind snapshot.Kind, p *pair) {
	f := finding.Finding{Item: kind.ID(p.key), Old: p.old, New: p.new}
	switch {
	case p.key == "":
		c.report(kind.Word()+"-changed", f)
	case kind == snapshot.Tools && p.old == nil:
		c.report("tool-duplicate-name", f)
	default:
		f.Message = fmt.Sprintf("How many items have this %s differs.", kind.KeyField())
		c.report(kind.Word()+"-changed", f)
	}
}

// item compares one item that both sides have.
func (c *comparison) item(kind snapshot.Kind, p *pair) {
	if alike(p.old, p.new) {
		return
	}
	s := subject{kind: kind, id: kind.ID(p.key), old: viewOf(p.old), new: viewOf(p.new)}
	if len(s.old) == 0 || len(s.new) == 0 {
		if !same(p.old, p.new) {
			c.report(kind.Word()+"-changed", finding.Finding{Item: s.id, Old: p.old, New: p.new})
		}
		return
	}
	switch kind {
	case snapshot.Tools:
		c.tool(s)
	case snapshot.Prompts:
		c.prompt(s)
	case snapshot.Resources:
		c.resource(s)
	case snapshot.Templates:
		c.template(s)
	}
	c.texts(s.id, "", p.old, p.new)
	c.size(s.id, p.old, p.new)
}

// order compares the order of the tools that both sides have.
func (c *comparison) order(old, new *snapshot.List) {
	before, after := shared(old, new), shared(new, old)
	if !slices.Equal(before, after) {
		c.report("tool-order-changed", finding.Finding{Path: "/tools", Old: asJSON(before), New: asJSON(after)})
	}
}

// shared are the keys of a list that the other list has too, in the order of the first.
func shared(list, other *snapshot.List) []string {
	known := map[string]bool{}
	for _, item := range other.Items {
		known[item.Key] = true
	}
	keys := []string{}
	for _, item := range list.Items {
		if known[item.Key] {
			keys = append(keys, item.Key)
		}
	}
	return keys
}

func asJSON(texts []string) json.RawMessage {
	raw, _ := json.Marshal(texts) // strings always encode
	return raw
}
