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
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// A missing item or property may have another name now. If only its name differs, or the names of many items
// changed in the same way, it was renamed. A mere likeness becomes a hint.

// likely is the similarity, from 0 to 1, from which a new name is suggested for an old one.
const likely = 0.6

// maxCandidates bounds the names that are compared in pairs, so that replacing a long list takes linear time.
const maxCandidates = 100

// mutual pairs each old thing with the new one that it resembles more than any other, if that holds in both
// directions. Pairs below likely are left out.
func mutual[T comparable](gone, fresh []T, score func(old, new T) float64) map[T]T {
	type best struct {
		other  T
		score  float64
		shared bool // with another one
	}
	bestOf := map[T]best{}
	note := func(one, other T, score float64) {
		switch known := bestOf[one]; {
		case score < likely || score < known.score:
		case score == known.score:
			bestOf[one] = best{known.other, score, true}
		default:
			bestOf[one] = best{other, score, false}
		}
	}
	gone, fresh = gone[:min(len(gone), maxCandidates)], fresh[:min(len(fresh), maxCandidates)]
	for _, old := range gone {
		for _, new := range fresh {
			s := score(old, new)
			note(old, new, s)
			note(new, old, s)
		}
	}
	found := map[T]T{}
	for _, old := range gone {
		b := bestOf[old]
		if back := bestOf[b.other]; b.score > 0 && !b.shared && !back.shared && back.other == old {
			found[old] = b.other
		}
	}
	return found
}

// onlyAlike pairs old and new things that have the same key, where no other on either side has it. Those
// with an empty key have no partner.
func onlyAlike[T comparable](gone, fresh []T, key func(T) string) map[T]T {
	isGone, found := kit.Set(gone), map[T]T{}
	for _, alike := range kit.Group(slices.Concat(gone, fresh), key) {
		if len(alike) == 2 && isGone[alike[0]] && !isGone[alike[1]] && key(alike[0]) != "" {
			found[alike[0]] = alike[1]
		}
	}
	return found
}

// joinRenamedItems reports items whose key changed, and returns the pairs that are left: an old item under
// its new key is one pair, so that what else changed is reported under the old key. Items whose names changed
// like others', and whose arguments do not agree, are returned as likely.
func joinRenamedItems(c *comparison, kind snapshot.Kind,
	matched []*pair) (left []*pair, likely map[*pair]*pair) {
	gone, fresh := unmatched(matched)
	alike, cause := renamedAlike(kind, gone, fresh)
	likely = maps.Clone(alike)
	maps.DeleteFunc(likely, sameCalls)
	maps.DeleteFunc(alike, func(old, new *pair) bool { return !sameCalls(old, new) })
	claimed := kit.Set(slices.Collect(maps.Values(alike)))
	successors := renamedExactly(kind, gone, fresh)
	maps.DeleteFunc(successors, func(_, new *pair) bool { return claimed[new] })
	maps.Copy(successors, alike)
	for _, old := range matched {
		new := successors[old]
		if new == nil {
			continue
		}
		f := finding.Finding{Item: kind.ID(old.key), Old: rawjson.Quote(old.key), New: rawjson.Quote(new.key)}
		switch {
		case kind.KeyField() == "name":
			f.Hint = either(kind == snapshot.Tools, "call ", "use ") + code(new.key) + " instead"
			f.Cause = either(alike[old] != nil, cause, "")
			c.reportAnnounced(byRule, comparers[kind].renamed, f, old.old, "new",
				code(new.key)+wording.CodePoints(old.key, new.key))
		case kind == snapshot.Resources:
			c.report("resource-uri-changed", f)
		default:
			compareURITemplate(c, f, old.key, new.key)
		}
		old.new, claimed[new] = new.new, true
	}
	maps.DeleteFunc(likely, func(_, new *pair) bool { return claimed[new] })
	return slices.DeleteFunc(matched, func(p *pair) bool { return claimed[p] }), likely
}

// renamedExactly returns the items that are gone, each with the only new item that is the same under another
// key. Items without a description and arguments must have similar names.
func renamedExactly(kind snapshot.Kind, gone, fresh []*pair) map[*pair]*pair {
	named := kind.KeyField() == "name"
	found := onlyAlike(gone, fresh, func(p *pair) string {
		if named {
			return withoutName(p.raw())
		}
		return viewOf(p.raw()).text("name")
	})
	maps.DeleteFunc(found, func(old, new *pair) bool {
		bare := viewOf(old.old).text("description") == "" && len(argumentsOf(old.old)) == 0
		return named && (opposite(old.key, new.key) || bare && similarity(old.key, new.key) < likely)
	})
	return found
}

// argumentsOf returns the names of a tool's arguments, or of a prompt's.
func argumentsOf(raw json.RawMessage) []string {
	v := viewOf(raw)
	if v["arguments"] != nil {
		names, _ := readArguments(v["arguments"])
		return names
	}
	return kit.SortedKeys(viewOf(viewOf(v["inputSchema"])["properties"]))
}

// namingChange describes how a name became another one, if by another prefix, suffix or spelling of its
// words; empty if by neither.
func namingChange(old, new *pair) string {
	if letters(old.key) == letters(new.key) {
		return ": other spellings of the same words"
	}
	was, is := wordsOf(old.key), wordsOf(new.key)
	whole := func(stem, longer []string, end bool) bool { // of words, not of letters
		n := len(longer) - len(stem)
		return len(stem) > 0 && n > 0 && (end && slices.Equal(longer[n:], stem) ||
			!end && slices.Equal(longer[:len(stem)], stem))
	}
	prefix, added := strings.CutSuffix(new.key, old.key)
	removed, shorter := strings.CutSuffix(old.key, new.key)
	suffix, longer := strings.CutPrefix(new.key, old.key)
	dropped, cut := strings.CutPrefix(old.key, new.key)
	switch {
	case added && whole(was, is, true):
		return ": prefix " + code(prefix) + " added"
	case shorter && whole(is, was, true):
		return ": prefix " + code(removed) + " removed"
	case longer && whole(was, is, false):
		return ": suffix " + code(suffix) + " added"
	case cut && whole(is, was, false):
		return ": suffix " + code(dropped) + " removed"
	case len(was) > 1 && len(is) > 1 && slices.Equal(was[1:], is[1:]) && !opposite(was[0], is[0]):
		return ": prefix " + code(was[0]) + " became " + code(is[0])
	}
	return ""
}

// sameCalls reports whether the arguments of two items whose names changed in the same way agree as far as a
// caller needs to use the new one instead: where only the verb differs, all of them.
func sameCalls(old, new *pair) bool {
	a, b := argumentsOf(old.raw()), argumentsOf(new.raw())
	was, is := wordsOf(old.key), wordsOf(new.key)
	shared := sharedArguments(a, b)
	if len(was) == len(is) && len(was) > 0 && was[0] != is[0] && isVerb(was[0]) && isVerb(is[0]) {
		return shared == max(len(a), len(b))
	}
	return len(a)+len(b) == 0 || shared > 0 && 2*shared >= max(len(a), len(b))
}

// renamedAlike returns items whose names changed in the same way, if they are at least two and at least half
// of those that are gone, and what they have in common.
func renamedAlike(kind snapshot.Kind, gone, fresh []*pair) (successors map[*pair]*pair, cause string) {
	if kind.KeyField() != "name" {
		return nil, ""
	}
	renamed, taken := map[string]map[*pair]*pair{}, map[string]map[*pair]bool{}
	for _, old := range gone[:min(len(gone), maxCandidates)] {
		for _, new := range fresh[:min(len(fresh), maxCandidates)] {
			change := namingChange(old, new)
			if renamed[change] == nil {
				renamed[change], taken[change] = map[*pair]*pair{}, map[*pair]bool{}
			}
			if renamed[change][old] == nil && !taken[change][new] {
				renamed[change][old], taken[change][new] = new, true
			}
		}
	}
	delete(renamed, "")
	best := slices.MaxFunc(append(kit.SortedKeys(renamed), ""),
		func(a, b string) int { return cmp.Compare(len(renamed[a]), len(renamed[b])) })
	if n := len(renamed[best]); n < 2 || 2*n < len(gone) {
		return nil, ""
	}
	return renamed[best], sentence(kind.Plural()+" renamed", nil) + best
}

// renameHints returns a hint for each item that is gone and has a twin that stays, or a likely new name, as
// those whose names changed alike.
func renameHints(kind snapshot.Kind, matched []*pair, alike map[*pair]*pair) map[*pair]string {
	hints := map[*pair]string{}
	gone, fresh := unmatched(matched)
	for old, new := range alike {
		hints[old] = possiblyRenamed(old.key, new.key)
	}
	isAlike := kit.Set(slices.Collect(maps.Values(alike)))
	gone = slices.DeleteFunc(slices.Clone(gone), func(p *pair) bool { return hints[p] != "" })
	fresh = slices.DeleteFunc(slices.Clone(fresh), func(p *pair) bool { return isAlike[p] })
	for old, new := range mutual(kit.Map(gone, outlineOf), kit.Map(fresh, outlineOf), resemblance) {
		hints[old.pair] = possiblyRenamed(old.key, new.key)
	}
	if kind == snapshot.Tools {
		for old, twin := range twins(gone, matched) {
			hints[old] = "call " + code(twin.key) + " instead of " + code(old.key) + ": it is the same tool"
		}
	}
	return hints
}

// outline is what is compared of items that may be the same under another name.
type outline struct {
	*pair
	arguments, words []string // words of the description
	readOnly         json.RawMessage
}

func outlineOf(p *pair) *outline {
	v := viewOf(p.raw())
	return &outline{p, argumentsOf(p.raw()), wordsOf(v.text("description")),
		viewOf(v["annotations"])["readOnlyHint"]}
}

// resemblance returns how much two items are alike, from 0 to 1: by their names and arguments, or by equal
// arguments and similar descriptions.
func resemblance(old, new *outline) float64 {
	if opposite(old.key, new.key) ||
		old.readOnly != nil && new.readOnly != nil && !same(old.readOnly, new.readOnly) {
		return 0
	}
	names := similarity(old.key, new.key)
	if names == 1 && wording.CodePoints(old.key, new.key) != "" {
		return names // another encoding of the same name
	}
	a, b := old.arguments, new.arguments
	shared := sharedArguments(a, b)
	alike := dice(old.words, new.words) >= likely
	switch {
	case len(a) == 0 || len(b) == 0:
		return names
	case shared == max(len(a), len(b)) && alike:
		return max(names, likely)
	case names < likely, otherThing(old.key, new.key) && shared < max(len(a), len(b)),
		shared == 0 && !slices.Equal(wordsOf(old.key), wordsOf(new.key)):
		return 0
	}
	return (2*names + float64(shared)/float64(max(len(a), len(b)))) / 3
}

// otherThing reports whether each of two names has a noun that the other one lacks, such as get_trace_details
// and get_replay_details.
func otherThing(a, b string) bool {
	nouns := func(words, others []string) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			return !isVerb(word) && !slices.Contains(others, word)
		})
	}
	x, y := wordsOf(a), wordsOf(b)
	return nouns(x, y) && nouns(y, x) && letters(a) != letters(b)
}

func sharedArguments(a, b []string) int {
	return len(kit.Filter(a, func(name string) bool { return slices.Contains(b, name) }))
}

// twins returns the tools that are gone, each with one that stays and accepts the same, and that has the same
// description or is named in that of the other.
func twins(gone, matched []*pair) map[*pair]*pair {
	accepts := func(raw json.RawMessage) string {
		return string(rawjson.Form(arguments(viewOf(raw)["inputSchema"])))
	}
	staying := map[string][]*pair{} // by what they accept
	for _, p := range matched {
		if p.old != nil && p.new != nil {
			staying[accepts(p.new)] = append(staying[accepts(p.new)], p)
		}
	}
	found := map[*pair]*pair{}
	for _, old := range gone[:min(len(gone), maxCandidates)] {
		text, same := viewOf(old.old).text("description"), staying[accepts(old.old)]
		for _, p := range same[:min(len(same), maxCandidates)] {
			if p.key != "" && strings.Contains(text, p.key) ||
				text != "" && normal(text) == normal(viewOf(p.new).text("description")) {
				found[old] = p
			}
		}
	}
	return found
}

// joinRenamed joins a property that is gone with the only new one of its object that is the same, and sets
// the likely new names of others.
func (r *revision) joinRenamed(changes []*change) []*change {
	gone, fresh := properties(changes)
	claimed, altered := map[*change]bool{}, map[string]bool{}
	for old, new := range onlyAlike(gone, fresh, (*change).allButName) {
		if opposite(old.Name, new.Name) || r.altered(old.Old, altered) {
			continue
		}
		claimed[new] = true
		old.successor = &new.Edit
		if worse(new.judged, old.judged) {
			old.judged = new.judged
		}
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(ch *change) bool { return claimed[ch] })
	guessRenamed(properties(changes))
	return changes
}

var reference = kit.Pattern(`"\$ref"\s*:\s*"#(/[^"]*)"`)

// altered reports whether a definition that a schema refers to is another one now. What is known of
// definitions is kept.
func (r *revision) altered(schema json.RawMessage, known map[string]bool) bool {
	return slices.ContainsFunc(reference().FindAllSubmatch(schema, -1), func(m [][]byte) bool {
		pointer := string(m[1])
		if _, asked := known[pointer]; !asked {
			known[pointer] = false // it may refer to itself
			old := r.Before.At(pointer)
			known[pointer] = !same(old, r.After.At(pointer)) || r.altered(old, known)
		}
		return known[pointer]
	})
}

// properties returns the changes that remove a property, and those that add one.
func properties(changes []*change) (gone, fresh []*change) {
	for _, ch := range changes {
		switch {
		case ch.Family != schema.FamilyProperty || ch.successor != nil:
		case ch.New == nil:
			gone = append(gone, ch)
		case ch.Old == nil:
			fresh = append(fresh, ch)
		}
	}
	return gone, fresh
}

// allButName returns what a property is apart from its name: its object, whether it is required, and its
// schema.
func (ch *change) allButName() string {
	schema := withoutGeneratedTitle(ch.value(), ch.Name)
	return fmt.Sprint(parent(ch.Path), " ", ch.Required, " ", string(rawjson.Form(schema)))
}

// withoutGeneratedTitle returns a schema without a title that repeats a name, as pydantic writes one for each
// property and tool.
func withoutGeneratedTitle(schema json.RawMessage, name string) json.RawMessage {
	v := viewOf(schema)
	if v["title"] == nil || !repeatsName(v.text("title"), name) {
		return schema
	}
	delete(v, "title")
	return v.json()
}

// repeatsName reports whether a title is a name in other letters, as generators write it.
func repeatsName(title, name string) bool {
	rest, named := strings.CutPrefix(letters(title), letters(name))
	return named && slices.Contains([]string{"", "arguments", "output", "dictoutput"}, rest)
}

// guessRenamed notes likely new names of properties that are gone: those that look alike, the only two of one
// type that are gone and new in an object, and required ones that lost or gained words.
func guessRenamed(gone, fresh []*change) {
	typed := func(ch *change) string {
		v := viewOf(ch.value())
		return parent(ch.Path) + " " + cmp.Or(string(v["type"]), string(withoutRemarks(v).json())) +
			either(v["enum"] != nil, " enum", "")
	}
	onlyOfType := onlyAlike(gone, fresh, typed)
	for old, new := range mutual(gone, fresh, func(old, new *change) float64 {
		before, after := viewOf(old.Old), viewOf(new.New)
		if parent(old.Path) != parent(new.Path) || opposite(old.Name, new.Name) ||
			(before.text("type") == "boolean") != (after.text("type") == "boolean") {
			return 0
		}
		score := similarity(old.Name, new.Name)
		text := before.text("description")
		if text != "" && same(withoutRemarks(before).json(), withoutRemarks(after).json()) {
			const tie = 0.1 // of equal descriptions the names decide
			score = max(score, dice(wordsOf(text), wordsOf(after.text("description")))+tie*score)
		}
		sameRole := onlyOfType[old] == new || old.Required && new.Required && typed(old) == typed(new) &&
			(endsWith(old.Name, new.Name) || endsWith(new.Name, old.Name))
		return max(score, either(sameRole, likely, 0))
	}) {
		old.cause = possiblyRenamed(old.Name, new.Name)
		old.hint = old.cause
		new.cause, new.hint = old.cause, newNameOf(old.Name)
	}
}

// endsWith reports whether a name ends with the words of another one, such as endpointId with those of id.
func endsWith(name, end string) bool {
	long, short := wordsOf(name), wordsOf(end)
	return len(short) > 0 && len(long) > len(short) && slices.Equal(long[len(long)-len(short):], short)
}

func possiblyRenamed(old, new string) string {
	return code(old) + " possibly renamed to " + code(new) + wording.CodePoints(old, new)
}

func newNameOf(old string) string { return "possibly the new name of " + code(old) }

// shareRenames notes a new name of a property that was claimed or guessed in one tool for the others in which
// the same two names went and came.
func shareRenames(found []finding.Finding) {
	type place struct{ item, parent string }
	gone, fresh := map[place][]*finding.Finding{}, map[place][]*finding.Finding{}
	known := map[[2]string]bool{}
	for i := range found {
		f := &found[i]
		at := place{f.Item, parent(f.Path)}
		switch f.Rule {
		case "input-property-removed", "output-property-removed":
			gone[at] = append(gone[at], f)
		case "input-optional-property-added", "input-required-property-added",
			"input-required-property-added-with-default", "output-optional-property-added",
			"output-required-property-added":
			fresh[at] = append(fresh[at], f)
		case "input-property-renamed", "output-property-renamed":
			old, _ := rawjson.Text(f.Old)
			new, _ := rawjson.Text(f.New)
			known[[2]string{old, new}] = true
		}
	}
	pairs := func(do func(old, new *finding.Finding, names [2]string)) {
		for at, olds := range gone {
			for _, old := range olds[:min(len(olds), maxCandidates)] {
				for _, new := range fresh[at][:min(len(fresh[at]), maxCandidates)] {
					do(old, new, [2]string{lastName(old.Path), lastName(new.Path)})
				}
			}
		}
	}
	pairs(func(old, _ *finding.Finding, names [2]string) {
		known[names] = known[names] || old.Hint == possiblyRenamed(names[0], names[1])
	})
	pairs(func(old, new *finding.Finding, names [2]string) {
		if known[names] && old.Hint == "" && new.Hint == "" {
			old.Hint, new.Hint = possiblyRenamed(names[0], names[1]), newNameOf(names[0])
			old.Cause, new.Cause = old.Hint, old.Hint
		}
	})
}

// lastName returns the last step of a JSON pointer.
func lastName(pointer string) string {
	steps := rawjson.Split(pointer)
	return steps[len(steps)-1]
}
