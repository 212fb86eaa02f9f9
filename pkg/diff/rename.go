package diff

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// successors reports the items whose key changed and nothing else that matters, and is the pairs that are left. Each
// stands for one removed and one added item.
func (c *comparison) successors(kind snapshot.Kind, matched []*pair) []*pair {
	claimed := map[*pair]bool{}
	for _, old := range gone(matched) {
		new := successor(kind, old, matched)
		if new == nil || claimed[new] || slices.Contains(c.Incomplete, kind) {
			continue
		}
		claimed[new] = true
		switch kind {
		case snapshot.Tools, snapshot.Prompts:
			claimed[old] = true
			c.report(kind.Word()+"-renamed", finding.Finding{
				Item: kind.ID(old.key), Old: quoted(old.key), New: quoted(new.key),
				Message: "The " + kind.Word() + " is called " + new.key + " now.", Hint: "call " + new.key + " instead",
			})
		case snapshot.Resources, snapshot.Templates:
			c.moved(kind, old, new)
			old.new = new.new // what else changed is told under the old key
		}
	}
	return slices.DeleteFunc(matched, func(p *pair) bool { return claimed[p] })
}

// moved reports a resource or template that is found under another address.
func (c *comparison) moved(kind snapshot.Kind, old, new *pair) {
	f := finding.Finding{Item: kind.ID(old.key), Old: quoted(old.key), New: quoted(new.key)}
	if kind == snapshot.Resources {
		c.report("resource-uri-changed", f)
		return
	}
	c.uriTemplate(f, old.key, new.key)
}

func gone(matched []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(matched), func(p *pair) bool { return p.new != nil || p.nth > 0 || p.key == "" })
}

func fresh(matched []*pair) []*pair {
	return slices.DeleteFunc(slices.Clone(matched), func(p *pair) bool { return p.old != nil || p.nth > 0 || p.key == "" })
}

// successor is the one new item that is the old one under another key; nil if there is none or more than one.
func successor(kind snapshot.Kind, old *pair, matched []*pair) *pair {
	twin := func(p *pair, raw json.RawMessage) bool {
		if kind == snapshot.Resources || kind == snapshot.Templates {
			name := viewOf(raw).text("name")
			return name != "" && name == viewOf(old.old).text("name")
		}
		return sameBut(kind.KeyField(), old.old, raw) && (telling(raw) || similarity(old.key, p.key) > likely)
	}
	only := func(pairs []*pair, raw func(*pair) json.RawMessage) *pair {
		pairs = slices.DeleteFunc(pairs, func(p *pair) bool { return !twin(p, raw(p)) })
		if len(pairs) != 1 {
			return nil
		}
		return pairs[0]
	}
	if only(gone(matched), func(p *pair) json.RawMessage { return p.old }) != old {
		return nil
	}
	return only(fresh(matched), func(p *pair) json.RawMessage { return p.new })
}

// sameBut tells whether two objects are the same in all but one member.
func sameBut(key string, old, new json.RawMessage) bool {
	a, okA := treeOf(old).(object)
	b, okB := treeOf(new).(object)
	if !okA || !okB {
		return false
	}
	delete(a, key)
	delete(b, key)
	return len(walk(a, b)) == 0
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
	for _, old := range gone(matched) {
		if len(candidates) == 0 {
			break
		}
		best := slices.MaxFunc(candidates, func(a, b *pair) int {
			return cmp.Or(cmp.Compare(similarity(old.key, a.key), similarity(old.key, b.key)), cmp.Compare(b.key, a.key))
		})
		if similarity(old.key, best.key) >= likely {
			hints[old.key] = best.key
		}
	}
	return hints
}

// maxCandidates bounds the search for successors, so that replacing a large list takes linear time.
const maxCandidates = 100

// similarity is how much two names have in common, from 0 to 1: Dice's coefficient over pairs of neighbouring letters.
func similarity(a, b string) float64 {
	x, y := bigrams(a), bigrams(b)
	if len(x)+len(y) == 0 {
		return 0
	}
	common := 0
	for gram, n := range x {
		common += min(n, y[gram])
	}
	total := 0
	for _, grams := range []map[string]int{x, y} {
		for _, n := range grams {
			total += n
		}
	}
	return 2 * float64(common) / float64(total)
}

func bigrams(name string) map[string]int {
	const longest = 200 // a name that is longer is no name
	name = strings.ToLower(name[:min(len(name), longest)])
	grams := map[string]int{}
	for i := 1; i < len(name); i++ {
		grams[name[i-1:i+1]]++
	}
	return grams
}
