package diff

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// successors reports the items whose key changed and nothing else that matters, and is the pairs that are left. Each
// stands for one removed and one added item.
func (c *comparison) successors(kind snapshot.Kind, matched []*pair) []*pair {
	if slices.Contains(c.Incomplete, kind) {
		return matched
	}
	claimed := map[*pair]bool{}
	for old, new := range successions(kind, matched) {
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

// successions are the items that are gone, each with the one new item that is the same under another key. What has more
// than one match has none.
func successions(kind snapshot.Kind, matched []*pair) map[*pair]*pair {
	before, after := identities(kind, gone(matched)), identities(kind, fresh(matched))
	found := map[*pair]*pair{}
	for identity, old := range before {
		new := after[identity]
		if len(old) != 1 || len(new) != 1 {
			continue
		}
		if kind.KeyField() != "name" || telling(old[0].old) || similarity(old[0].key, new[0].key) >= likely {
			found[old[0]] = new[0]
		}
	}
	return found
}

// identities group items by what stays when their key changes: the name of a resource or template, and all but the name
// of a tool or prompt.
func identities(kind snapshot.Kind, items []*pair) map[string][]*pair {
	groups := map[string][]*pair{}
	for _, p := range items {
		raw := p.old
		if raw == nil {
			raw = p.new
		}
		identity := viewOf(raw).text("name")
		if kind.KeyField() == "name" {
			identity = withoutMember(raw, "name")
		}
		if identity != "" {
			groups[identity] = append(groups[identity], p)
		}
	}
	return groups
}

// withoutMember is an object without one of its members, in one spelling; empty when it is no object.
func withoutMember(raw json.RawMessage, name string) string {
	v := viewOf(raw)
	if len(v) == 0 {
		return ""
	}
	delete(v, name)
	spelled, _ := rawjson.Canonical(v.json()) // what a view shows is JSON
	return string(spelled)
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

// similarity is how much two names have in common, from 0 to 1: Dice's coefficient over pairs of neighbouring letters.
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
