package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Something that is gone may be found under another name. If nothing but the name differs, or many names
// changed in the same way, it was renamed. What only looks like it is a guess, and becomes a hint.

// likely is the similarity, from 0 to 1, from which a new name is suggested for an old one.
const likely = 0.6

// maxCandidates bounds the names that are compared in pairs, so that replacing a long list takes linear time.
const maxCandidates = 100

// A word is a part of a name, in lower case, with its place in the name.
type word struct {
	text       string
	start, end int
}

// wordsOf splits a name at punctuation and at capitals. A name of more than 200 bytes is cut.
func wordsOf(name string) []word {
	const longest = 200
	var words []word
	var last rune
	for i, r := range name[:min(len(name), longest)] {
		size := len(string(r))
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		case len(words) > 0 && words[len(words)-1].end == i && !(unicode.IsUpper(r) && unicode.IsLower(last)):
			w := &words[len(words)-1]
			w.text, w.end = w.text+string(unicode.ToLower(r)), i+size
		default:
			words = append(words, word{string(unicode.ToLower(r)), i, i + size})
		}
		last = r
	}
	return words
}

// stems returns the words without their places; plurals become singular.
func stems(words []word) []string {
	return kit.Map(words, func(w word) string { return stem(w.text) })
}

func stem(text string) string {
	if len(text) > 3 && !strings.HasSuffix(text, "ss") {
		return strings.TrimSuffix(text, "s")
	}
	return text
}

// verbs lists verbs of one meaning. Names with verbs of different meanings name different things.
var verbs = [...]string{
	"create add new insert make register write put save upsert store post",
	"get read fetch show view describe retrieve load inspect",
	"list search find query browse enumerate lookup",
	"update edit modify change patch set write put save upsert store post",
	"delete remove drop destroy erase clear purge",
}

// opposites lists words that exclude each other, in pairs.
const opposites = "start stop start end begin end open close enable disable connect disconnect push pull " +
	"import export upload download send receive login logout approve reject accept reject accept decline " +
	"grant revoke up down show hide encode decode encrypt decrypt first last on off allow deny allow block " +
	"attach detach min max minimum maximum before after from to include exclude in out source target " +
	"source destination old new left right latitude longitude lat lng lat lon input output public private " +
	"incoming outgoing lower upper since until parent child next previous next prev x y row column join " +
	"leave pause resume expand collapse increase decrease ascending descending asc desc true false sender " +
	"recipient merge split width height read write older newer head tail request response client server"

// negations are words that turn the meaning of a name round.
var negations = []string{"no", "not", "non", "never", "without"}

// opposite reports whether two names say different or opposite things by the words that only one of them has.
func opposite(a, b string) bool {
	x, y := stems(wordsOf(a)), stems(wordsOf(b))
	onlyX := kit.Filter(x, func(w string) bool { return !slices.Contains(y, w) })
	onlyY := kit.Filter(y, func(w string) bool { return !slices.Contains(x, w) })
	negated := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(negations, w) })
	}
	if negated(onlyX) != negated(onlyY) {
		return true
	}
	pairs := strings.Fields(opposites)
	verbsX, verbsY, sameVerb := false, false, false
	for _, v := range onlyX {
		verbsX = verbsX || len(meanings(v)) > 0
		for _, w := range onlyY {
			for i := 0; i < len(pairs); i += 2 {
				if p, q := stem(pairs[i]), stem(pairs[i+1]); p == v && q == w || p == w && q == v {
					return true
				}
			}
			for _, prefix := range [...]string{"un", "dis", "de", "non"} {
				if v == prefix+w || w == prefix+v {
					return true
				}
			}
			verbsY = verbsY || len(meanings(w)) > 0
			sameVerb = sameVerb || sameMeaning(v, w)
		}
	}
	return verbsX && verbsY && !sameVerb
}

// meanings returns the groups of verbs that a word belongs to.
func meanings(w string) []int {
	var groups []int
	for i, group := range verbs {
		if slices.Contains(strings.Fields(group), w) {
			groups = append(groups, i)
		}
	}
	return groups
}

func sameMeaning(a, b string) bool {
	groups := meanings(b)
	return a == b || slices.ContainsFunc(meanings(a), func(g int) bool { return slices.Contains(groups, g) })
}

// similarity returns how much two names have in common, from 0 to 1: of their words, where verbs of one
// meaning are the same, or of their pairs of neighbouring letters. It is 0 for names of opposite meaning.
func similarity(a, b string) float64 {
	if opposite(a, b) {
		return 0
	}
	return max(dice(stems(wordsOf(a)), stems(wordsOf(b)), sameMeaning),
		dice(letterPairs(a), letterPairs(b), func(x, y string) bool { return x == y }))
}

func letterPairs(name string) []string {
	const longest = 200
	name = strings.ToLower(name[:min(len(name), longest)])
	var pairs []string
	for i := 1; i < len(name); i++ {
		pairs = append(pairs, name[i-1:i+1])
	}
	return pairs
}

// dice returns Dice's coefficient of two lists, from 0 to 1.
func dice(a, b []string, equal func(x, y string) bool) float64 {
	rest, common := slices.Clone(b), 0
	for _, x := range a {
		if i := slices.IndexFunc(rest, func(y string) bool { return equal(x, y) }); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			common++
		}
	}
	return 2 * float64(common) / float64(max(1, len(a)+len(b)))
}

// overlap returns how many words two texts have in common, from 0 to 1.
func overlap(a, b string) float64 {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return dice(strings.FieldsFunc(strings.ToLower(a), apart), strings.FieldsFunc(strings.ToLower(b), apart),
		func(x, y string) bool { return x == y })
}

// assign pairs each old thing with the new one of the highest score, each new one once. Pairs below likely
// are left out.
func assign[T comparable](gone, fresh []T, score func(old, new T) float64) map[T]T {
	type guess struct {
		old, new T
		score    float64
	}
	var guesses []guess
	for _, old := range gone[:min(len(gone), maxCandidates)] {
		for _, new := range fresh[:min(len(fresh), maxCandidates)] {
			if s := score(old, new); s >= likely {
				guesses = append(guesses, guess{old, new, s})
			}
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return cmp.Compare(b.score, a.score) })
	found, taken := map[T]T{}, map[T]bool{}
	for _, g := range guesses {
		if _, assigned := found[g.old]; !assigned && !taken[g.new] {
			found[g.old], taken[g.new] = g.new, true
		}
	}
	return found
}

// onlyAlike pairs old and new things that have the same key, where no other on either side has it. Those
// with an empty key have no partner.
func onlyAlike[T comparable](gone, fresh []T, key func(T) string) map[T]T {
	by := func(items []T) map[string][]T {
		groups := map[string][]T{}
		for _, item := range items {
			groups[key(item)] = append(groups[key(item)], item)
		}
		return groups
	}
	found, after := map[T]T{}, by(fresh)
	for what, old := range by(gone) {
		if new := after[what]; what != "" && len(old) == 1 && len(new) == 1 {
			found[old[0]] = new[0]
		}
	}
	return found
}

// joinRenamedItems reports items whose key changed, and returns the pairs that are left: an old item under
// its new key is one pair, so that what else changed is reported under the old key.
func joinRenamedItems(c *comparison, kind snapshot.Kind, matched []*pair) []*pair {
	successors, cause := renamedAlike(kind, gone(matched), fresh(matched))
	causes, claimed := map[*pair]string{}, map[*pair]bool{}
	for old, new := range successors {
		causes[old], claimed[new] = cause, true
	}
	for old, new := range renamedExactly(kind, matched) {
		if successors[old] == nil && !claimed[new] {
			successors[old], claimed[new] = new, true
		}
	}
	for _, old := range matched {
		new := successors[old]
		if new == nil {
			continue
		}
		if kind.KeyField() == "name" {
			c.reportAnnounced(kind.Word()+"-renamed", finding.Finding{
				Item: kind.ID(old.key), Old: rawjson.Quote(old.key), New: rawjson.Quote(new.key),
				Hint:  either(kind == snapshot.Tools, "call ", "use ") + code(new.key) + " instead",
				Cause: causes[old],
			}, old.old, "new", code(new.key))
		} else {
			reportMoved(c, kind, old, new)
		}
		old.new = new.new
	}
	return slices.DeleteFunc(matched, func(p *pair) bool { return claimed[p] })
}

// renamedExactly returns the items that are gone, each with the only new item that is the same under another
// key.
func renamedExactly(kind snapshot.Kind, matched []*pair) map[*pair]*pair {
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
		return kind.KeyField() == "name" && (opposite(old.key, new.key) ||
			!describesItself(old.old) && similarity(old.key, new.key) < likely)
	})
	return found
}

// describesItself reports whether an item says enough for another one that says the same to be taken for it.
func describesItself(raw json.RawMessage) bool {
	v := viewOf(raw)
	return v.text("description") != "" || len(argumentsOf(raw)) > 0 || v["arguments"] != nil
}

// argumentsOf returns the names of a tool's arguments, or of a prompt's.
func argumentsOf(raw json.RawMessage) []string {
	v := viewOf(raw)
	if v["arguments"] != nil {
		return kit.Map(readArguments(v["arguments"]), func(a argument) string { return a.name })
	}
	return kit.SortedKeys(viewOf(viewOf(v["inputSchema"])["properties"]))
}

// A namingChange is how a name became another one: a prefix or a suffix that came, went or changed, or
// another spelling of the same words.
type namingChange struct{ part, old, new string }

// namingChanges lists the ways in which one name can have become another.
func namingChanges(old, new string) []namingChange {
	a, b := wordsOf(old), wordsOf(new)
	letters := func(words []word) string {
		return strings.Join(kit.Map(words, func(w word) string { return w.text }), "")
	}
	if letters(a) == letters(b) {
		return []namingChange{{part: "spelling", new: styleOf(new)}}
	}
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head].text == b[head].text {
		head++
	}
	for tail < min(len(a), len(b)) && a[len(a)-1-tail].text == b[len(b)-1-tail].text {
		tail++
	}
	var changes []namingChange
	if tail > 0 {
		before, after := old[:a[len(a)-tail].start], new[:b[len(b)-tail].start]
		changes = append(changes, namingChange{"prefix", before, after})
	}
	if head > 0 {
		changes = append(changes, namingChange{"suffix", old[a[head-1].end:], new[b[head-1].end:]})
	}
	return changes
}

// styleOf names the way in which the words of a name are joined.
func styleOf(name string) string {
	switch {
	case strings.Contains(name, "_"):
		return "snake_case"
	case strings.Contains(name, "-"):
		return "kebab-case"
	case strings.ToLower(name) == name:
		return "lower case"
	}
	return "camelCase"
}

// renamedAlike returns items whose names changed in the same way, if they are at least two and at least half
// of those that are gone, and what they have in common.
func renamedAlike(kind snapshot.Kind, gone, fresh []*pair) (successors map[*pair]*pair, cause string) {
	if kind.KeyField() != "name" {
		return map[*pair]*pair{}, ""
	}
	renamed := map[namingChange]map[*pair]*pair{}
	for _, old := range gone[:min(len(gone), maxCandidates)] {
		for _, new := range fresh[:min(len(fresh), maxCandidates)] {
			for _, change := range namingChanges(old.key, new.key) {
				if change.old != "" && change.new != "" && (opposite(change.old, change.new) ||
					!shareArguments(old.old, new.new)) {
					continue
				}
				if renamed[change] == nil {
					renamed[change] = map[*pair]*pair{}
				}
				if renamed[change][old] == nil {
					renamed[change][old] = new
				}
			}
		}
	}
	var best namingChange
	for change, pairs := range renamed {
		if order := cmp.Compare(len(pairs), len(renamed[best])); order > 0 ||
			order == 0 && fmt.Sprint(change) < fmt.Sprint(best) {
			best = change
		}
	}
	if n := len(renamed[best]); n < 2 || 2*n < len(gone) {
		return map[*pair]*pair{}, ""
	}
	cause = sentence(kind.Plural()+" renamed", nil)
	switch {
	case best.part == "spelling":
		cause += " to " + best.new
	case best.old == "":
		cause += ": " + best.part + " " + code(best.new) + " added"
	case best.new == "":
		cause += ": " + best.part + " " + code(best.old) + " removed"
	default:
		cause += ": " + best.part + " " + code(best.old) + " became " + code(best.new)
	}
	return renamed[best], cause
}

// shareArguments reports whether two items have an argument in common, or both have none.
func shareArguments(old, new json.RawMessage) bool {
	a, b := argumentsOf(old), argumentsOf(new)
	shared := slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
	return shared || len(a) == 0 && len(b) == 0
}

// renameHints returns a hint for each item that is gone and has a twin that stays, or a likely new name.
func renameHints(kind snapshot.Kind, matched []*pair) map[*pair]string {
	hints := map[*pair]string{}
	for old, new := range assign(gone(matched), fresh(matched), resemblance) {
		hints[old] = code(old.key) + " possibly renamed to " + code(new.key)
	}
	if kind == snapshot.Tools {
		for old, twin := range twins(matched) {
			hints[old] = "call " + code(twin.key) + " instead of " + code(old.key) + ": it is the same tool"
		}
	}
	return hints
}

// resemblance returns how much two items are alike, from 0 to 1: by their names and arguments, or by equal
// arguments and similar descriptions.
func resemblance(old, new *pair) float64 {
	before, after := viewOf(old.old), viewOf(new.new)
	reads := viewOf(before["annotations"])["readOnlyHint"]
	writes := viewOf(after["annotations"])["readOnlyHint"]
	if opposite(old.key, new.key) || reads != nil && writes != nil && !same(reads, writes) {
		return 0
	}
	names := similarity(old.key, new.key)
	a, b := argumentsOf(old.old), argumentsOf(new.new)
	if len(a) == 0 || len(b) == 0 {
		return names
	}
	common := float64(len(kit.Filter(a, func(name string) bool { return slices.Contains(b, name) })))
	shared := common / float64(min(len(a), len(b)))
	if slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))) &&
		overlap(before.text("description"), after.text("description")) >= likely {
		return max(names, likely)
	}
	if names < likely {
		return 0
	}
	return (2*names + shared) / 3
}

// twins returns the tools that are gone, each with one that stays and accepts the same, and that has the same
// description or is named in that of the other.
func twins(matched []*pair) map[*pair]*pair {
	accepts := func(raw json.RawMessage) string {
		input, err := rawjson.Canonical(arguments(viewOf(raw)["inputSchema"]))
		if err != nil {
			return ""
		}
		return string(input)
	}
	staying := map[string][]*pair{}
	for _, p := range matched {
		if p.old != nil && p.new != nil {
			staying[accepts(p.new)] = append(staying[accepts(p.new)], p)
		}
	}
	found := map[*pair]*pair{}
	for _, old := range gone(matched) {
		text := viewOf(old.old).text("description")
		for _, p := range staying[accepts(old.old)][:min(len(staying[accepts(old.old)]), maxCandidates)] {
			named := slices.Contains(words(text), p.key) ||
				slices.ContainsFunc(wordsOf(text), func(w word) bool { return text[w.start:w.end] == p.key })
			equal := normal(text) == normal(viewOf(p.new).text("description"))
			if found[old] == nil && text != "" && (named || equal) {
				found[old] = p
			}
		}
	}
	return found
}

// joinRenamed joins a property that is gone with the only new one of its object that is the same.
func joinRenamed(changes []*change) []*change {
	gone, fresh := properties(changes)
	claimed := map[*change]bool{}
	for old, new := range onlyAlike(gone, fresh, (*change).allButName) {
		if opposite(old.Name, new.Name) {
			continue
		}
		claimed[new] = true
		old.successor = &new.Edit
		if worse(new.judged, old.judged) {
			old.judged = new.judged
		}
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(ch *change) bool { return claimed[ch] })
	guessRenamed(changes)
	return changes
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
// schema. A title that repeats the name, as pydantic writes one for each property, does not count.
func (ch *change) allButName() string {
	value := ch.value()
	if v := viewOf(value); v["title"] != nil && repeatsName(v.text("title"), ch.Name) {
		delete(v, "title")
		value = v.json()
	}
	accepts, err := rawjson.Canonical(value)
	if err != nil {
		accepts = value
	}
	return fmt.Sprint(parent(ch.Path), " ", ch.Required, " ", string(accepts))
}

// repeatsName reports whether a title is a name in other letters, as generators write it.
func repeatsName(title, name string) bool {
	letters := func(text string) string {
		return strings.Join(kit.Map(wordsOf(text), func(w word) string { return w.text }), "")
	}
	rest, named := strings.CutPrefix(letters(title), letters(name))
	return named && slices.Contains([]string{"", "arguments", "output"}, rest)
}

// guessRenamed finds likely new names for properties that are gone: those that look alike, and the only two
// of one type that are gone and new in an object.
func guessRenamed(changes []*change) {
	gone, fresh := properties(changes)
	count := map[string]int{}
	typed := func(ch *change) string {
		v := viewOf(ch.value())
		return parent(ch.Path) + " " + cmp.Or(string(v["type"]), string(withoutRemarks(v).json()))
	}
	for _, ch := range gone {
		count["gone "+typed(ch)]++
	}
	for _, ch := range fresh {
		count["new "+typed(ch)]++
	}
	for old, new := range assign(gone, fresh, func(old, new *change) float64 {
		switch {
		case parent(old.Path) != parent(new.Path) || opposite(old.Name, new.Name):
			return 0
		case typed(old) == typed(new) && count["gone "+typed(old)] == 1 && count["new "+typed(new)] == 1:
			return max(likely, resemblanceOfProperties(old, new))
		}
		return resemblanceOfProperties(old, new)
	}) {
		old.likeness, new.likeness = new, old
	}
}

// resemblanceOfProperties returns how much two properties are alike, from 0 to 1: by their names, or by their
// descriptions if they accept the same.
func resemblanceOfProperties(gone, fresh *change) float64 {
	names := similarity(gone.Name, fresh.Name)
	old, new := viewOf(gone.Old), viewOf(fresh.New)
	if old.text("description") != "" && same(withoutRemarks(old).json(), withoutRemarks(new).json()) {
		const tie = 0.1 // of equal descriptions the names decide
		return max(names, overlap(old.text("description"), new.text("description"))+tie*names)
	}
	return names
}

// spreadGuesses takes a guess made in one tool for another tool that lost and gained the same names.
func spreadGuesses(c *comparison) {
	added := map[string]*finding.Finding{}
	for i := range c.findings {
		if f := &c.findings[i]; f.Hint == "" && f.Old == nil && strings.Contains(f.Rule, "-property-added") {
			added[f.Item+f.Path] = f
		}
	}
	for i := range c.findings {
		gone := &c.findings[i]
		steps := rawjson.Split(gone.Path)
		if gone.Hint != "" || len(steps) == 0 || !strings.HasSuffix(gone.Rule, "-property-removed") {
			continue
		}
		old := steps[len(steps)-1]
		new, guessed := c.guesses[old]
		place := gone.Item + rawjson.Join(parent(gone.Path), new)
		if fresh := added[place]; guessed && fresh != nil {
			gone.Hint, fresh.Hint, gone.Cause = renaming(old, new)
			fresh.Cause = gone.Cause
			delete(added, place)
		}
	}
}

// renaming returns what is said of a property that was possibly renamed: a hint for each of two findings, and
// their cause.
func renaming(old, new string) (gone, fresh, cause string) {
	cause = code(old) + " possibly renamed to " + code(new)
	return cause, "possibly the new name of " + code(old), cause
}
