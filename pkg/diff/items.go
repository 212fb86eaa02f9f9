package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// pair is one item on both sides; a side without it has no Raw.
type pair struct {
	key      string
	nth      int // how many items of the same key come before it in the list
	old, new json.RawMessage
}

// pairs match the items of two lists by key. The n-th item of a repeated key meets the n-th of the other side.
func pairs(old, new *snapshot.List) []*pair {
	type slot struct {
		key string
		nth int
	}
	found := map[slot]*pair{}
	collect := func(items []snapshot.Item, set func(*pair, json.RawMessage)) {
		count := map[string]int{}
		for _, item := range items {
			s := slot{item.Key, count[item.Key]}
			count[item.Key]++
			if found[s] == nil {
				found[s] = &pair{key: item.Key, nth: s.nth}
			}
			set(found[s], item.Raw)
		}
	}
	collect(old.Items, func(p *pair, raw json.RawMessage) { p.old = raw })
	collect(new.Items, func(p *pair, raw json.RawMessage) { p.new = raw })
	return slices.SortedFunc(maps.Values(found), func(a, b *pair) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.nth, b.nth))
	})
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
	for _, p := range matched {
		switch {
		case p.nth > 0 && (p.old == nil || p.new == nil):
			c.repeated(kind, p)
		case p.new == nil:
			c.removed(kind, p, hints[p.key], new)
		case p.old == nil:
			c.added(kind, p)
		default:
			c.item(kind, p)
		}
	}
}

func (c *comparison) removed(kind snapshot.Kind, p *pair, successor string, new *snapshot.List) {
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
