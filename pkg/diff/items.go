package diff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// pair is one item on both sides; a side without it has no Raw.
type pair struct {
	key      string
	old, new snapshot.Item
}

// pairs match the items of two lists by key, in the order of the keys. The n-th item of a repeated key meets the n-th of
// the other side.
func pairs(old, new *snapshot.List) []pair {
	type slot struct {
		key string
		nth int
	}
	found := map[slot]*pair{}
	collect := func(items []snapshot.Item, place func(*pair) *snapshot.Item) {
		count := map[string]int{}
		for _, item := range items {
			s := slot{item.Key, count[item.Key]}
			count[item.Key]++
			if found[s] == nil {
				found[s] = &pair{key: item.Key}
			}
			*place(found[s]) = item
		}
	}
	collect(old.Items, func(p *pair) *snapshot.Item { return &p.old })
	collect(new.Items, func(p *pair) *snapshot.Item { return &p.new })
	slots := slices.SortedFunc(maps.Keys(found), func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.nth, b.nth))
	})
	matched := make([]pair, len(slots))
	for i, s := range slots {
		matched[i] = *found[s]
	}
	return matched
}

// items compares the items of two lists that are both known.
func (c *comparison) items(kind snapshot.Kind, old, new *snapshot.List) {
	for _, p := range pairs(old, new) {
		item := kind.ID(p.key)
		switch {
		case p.new.Raw == nil && slices.Contains(c.Incomplete, kind):
		case p.new.Raw == nil:
			c.add(rule(kind.Word()+"-removed"), finding.Finding{
				Item: item, Old: p.old.Raw, Message: fmt.Sprintf("The %s is gone.", kind.Word()),
			})
		case p.old.Raw == nil:
			c.add(rule(kind.Word()+"-added"), finding.Finding{
				Item: item, New: p.new.Raw, Message: fmt.Sprintf("The %s is new.", kind.Word()),
			})
		default:
			c.item(kind, item, p)
		}
	}
}

// item compares one item that both sides have. A schema engine takes over the members inputSchema and outputSchema here.
func (c *comparison) item(kind snapshot.Kind, item string, p pair) {
	if string(p.old.Raw) == string(p.new.Raw) {
		return
	}
	for _, d := range walk(itemTree(kind, p.old.Raw), itemTree(kind, p.new.Raw)) {
		c.add(rule(kind.Word()+"-changed"), finding.Finding{
			Item: item, Path: d.pointer, Old: d.old, New: d.new, Message: d.sentence(),
		})
	}
}
