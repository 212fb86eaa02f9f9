package diff

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/wording"
)

// wordsOf returns the words of the first 200 bytes of a text in the singular.
func wordsOf(text string) []string {
	return kit.Map(wording.Words(text[:min(len(text), 200)]), func(word string) string {
		if len(word) > 3 && !strings.HasSuffix(word, "ss") {
			return strings.TrimSuffix(word, "s")
		}
		return word
	})
}

// verbs lists verbs of one meaning. Names with verbs of different meanings name different things.
var verbs = kit.Map([]string{
	"create add new insert make register write put save upsert store post",
	"get read fetch show view describe retrieve load inspect",
	"list search find query browse enumerate lookup",
	"update edit modify change patch set write put save upsert store post",
	"delete remove drop destroy erase clear purge",
}, strings.Fields)

func isVerb(word string) bool { return sameVerb(word, word) }

// sameVerb reports whether two words are verbs of one meaning.
func sameVerb(a, b string) bool {
	return slices.ContainsFunc(verbs,
		func(group []string) bool { return slices.Contains(group, a) && slices.Contains(group, b) })
}

// opposites lists words that exclude each other, in pairs.
var opposites = strings.Fields(`
	start stop start end begin end open close enable disable connect disconnect push pull import
	export upload download send receive login logout approve reject accept reject accept decline
	grant revoke up down show hide encode decode encrypt decrypt first last on off allow deny allow
	block attach detach min max minimum maximum before after from to include exclude in out source
	target source destination old new left right latitude longitude lat lng lat lon input output
	public private incoming outgoing lower upper since until parent child next previou next prev x y
	row column join leave pause resume expand collapse increase decrease ascending descending asc
	desc true false sender recipient merge split width height read write older newer head tail
	request response client server lock unlock mute unmute follow unfollow subscribe unsubscribe`)

// opposite reports whether two names say different or opposite things by the words that only one of them has.
func opposite(a, b string) bool {
	x, y := wordsOf(a), wordsOf(b)
	onlyX := kit.Filter(x, func(word string) bool { return !slices.Contains(y, word) })
	onlyY := kit.Filter(y, func(word string) bool { return !slices.Contains(x, word) })
	verbsX, verbsY := kit.Filter(onlyX, isVerb), kit.Filter(onlyY, isVerb)
	if len(verbsX) > 0 && len(verbsY) > 0 && dice(verbsX, verbsY) == 0 {
		return true
	}
	for i := 0; i < len(opposites); i += 2 {
		p, q := opposites[i], opposites[i+1]
		if slices.Contains(onlyX, p) && slices.Contains(onlyY, q) ||
			slices.Contains(onlyX, q) && slices.Contains(onlyY, p) {
			return true
		}
	}
	return false
}

// similarity returns how much two names have in common, from 0 to 1: of their words, or of their pairs of
// neighbouring letters. Names of one look, such as composed and decomposed ones, have all.
func similarity(a, b string) float64 {
	if wording.Look(a) == wording.Look(b) {
		return 1
	}
	pairs := func(name string) (pairs []string) {
		name = strings.ToLower(name[:min(len(name), 200)])
		for i := 1; i < len(name); i++ {
			pairs = append(pairs, name[i-1:i+1])
		}
		return pairs
	}
	return max(dice(wordsOf(a), wordsOf(b)), dice(pairs(a), pairs(b)))
}

// dice returns Dice's coefficient of two lists of words, from 0 to 1. Verbs of one meaning are the same.
func dice(a, b []string) float64 {
	rest, common := slices.Clone(b), 0
	for _, x := range a {
		if i := slices.IndexFunc(rest, func(y string) bool { return x == y || sameVerb(x, y) }); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			common++
		}
	}
	return 2 * float64(common) / float64(max(1, len(a)+len(b)))
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string { return strings.Join(wording.Words(text), "") }
