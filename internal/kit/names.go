package kit

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/xrash/smetrics"
)

// Glob reports whether a pattern matches a whole text: * matches any characters, slashes included, and ? one.
func Glob(pattern, text string) bool {
	return match(strings.NewReplacer(`[`, `\[`, `\`, `\\`).Replace(pattern), text)
}

// match is path.Match with a * that matches slashes.
func match(pattern, text string) bool {
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00"))
	return ok
}

// IsGlob reports whether a pattern can match more than itself.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// NameFilter is a pattern for names and URIs as in path.Match, but * matches slashes too. One without * ? [
// matches every name that contains it.
type NameFilter string

// Valid reports whether the pattern is well-formed.
func (f NameFilter) Valid() bool {
	_, err := path.Match(string(f), "")
	return err == nil
}

// Match reports whether the filter selects a name.
func (f NameFilter) Match(name string) bool {
	if !strings.ContainsAny(string(f), `*?[\`) {
		return strings.Contains(name, string(f))
	}
	return match(string(f), name)
}

// OneEdit reports whether a word becomes another one when one byte is added, removed or replaced.
func OneEdit(word, other string) bool {
	return len(word) <= len(other)+1 && smetrics.WagnerFischer(word, other, 1, 1, 1) == 1
}

// minSimilarity is the similarity from which a word may be a misspelling of another one.
const minSimilarity = 0.8

// Nearest returns up to three words that a word may be a misspelling of, the most similar first; no opposite.
func Nearest(word string, words []string) []string {
	scores := map[string]float64{}
	for _, w := range words {
		a, b := strings.ToLower(word), strings.ToLower(w)
		if score := similarity(a, b); score >= minSimilarity && !negates(a, b) && !negates(b, a) {
			scores[w] = score
		}
	}
	found := SortedKeys(scores)
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	return found[:min(len(found), 3)]
}

// negates reports whether a word is another one behind un, dis or no-, possibly misspelled.
func negates(word, other string) bool {
	return slices.ContainsFunc([]string{"un", "dis", "no-", "no_"}, func(prefix string) bool {
		rest, found := strings.CutPrefix(word, prefix)
		return found && !strings.HasPrefix(other, prefix) && similarity(rest, other) >= minSimilarity
	})
}

// FewEdits reports whether a word contains another one, or differs from it in at most two bytes or a third.
func FewEdits(word, other string) bool {
	few := max(2, max(len(word), len(other))/3)
	return strings.Contains(word, other) || strings.Contains(other, word) ||
		len(word) <= len(other)+few && smetrics.WagnerFischer(word, other, 1, 1, 1) <= few
}

// similarity returns 0 (nothing in common) to 1 (equal). Names that contain each other are similar.
func similarity(a, b string) float64 {
	switch {
	case a == b:
		return 1
	case a == "" || b == "" || len(a) > 200 || len(b) > 200:
		return 0
	case len(a) > 2 && len(b) > 2 && (strings.Contains(a, b) || strings.Contains(b, a)):
		return max(0.9, smetrics.JaroWinkler(a, b, 0.7, 4))
	}
	return smetrics.JaroWinkler(a, b, 0.7, 4)
}

// DidYouMean returns ` (did you mean "x"?)` with the most similar of some words, or "".
func DidYouMean(word string, words []string) string {
	if nearest := Nearest(word, words); len(nearest) > 0 {
		return fmt.Sprintf(" (did you mean %q?)", nearest[0])
	}
	return ""
}

// Suggest returns a hint with the words similar to a misspelled one, or with all of them when none is similar
// and they are few.
func Suggest(word string, words []string) string {
	if nearest := Nearest(word, words); len(nearest) > 0 {
		last := len(nearest) - 1
		first := Quoted(nearest[:last], ", ")
		if last > 0 {
			first += " or "
		}
		return fmt.Sprintf("did you mean %s%q?", first, nearest[last])
	}
	if len(words) == 0 || len(words) > 12 {
		return ""
	}
	return "use one of " + Quoted(words, ", ")
}

// Counted returns a number with a noun, such as "2 tools". The plural ends with plural, by default s.
func Counted(n int, noun string, plural ...string) string {
	if n != 1 {
		noun += append(plural, "s")[0]
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Some returns the first five of some words, and the number of the others.
func Some(words []string) string {
	const shown = 5
	if more := len(words) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:shown], ", "), more)
	}
	return strings.Join(words, ", ")
}

// Clip returns a text of at most so many bytes, with … after it if there are more.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Quoted returns words in quotation marks, joined by a separator.
func Quoted(words []string, separator string) string {
	return strings.Join(Map(words, func(word string) string { return fmt.Sprintf("%q", word) }), separator)
}

// And returns words as a sentence has them: "a, b and c"; beyond most of them the rest is counted.
func And(words []string, most int) string {
	if more := len(words) - most; more > 0 {
		return strings.Join(words[:most], ", ") + fmt.Sprintf(" and %d more", more)
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return strings.Join(words, "")
}

// ThisMachine reports whether a host name or address, with or without a port, is this machine.
func ThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// Pattern returns a regular expression that is compiled when it is first used. A faulty one panics then.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
