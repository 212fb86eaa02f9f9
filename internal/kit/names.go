package kit

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Glob reports whether a pattern matches the whole of a text: * stands for any characters, slashes included,
// and ? for one. It takes at most the product of the two lengths.
func Glob(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, retry := -1, 0 // the last * and where its match ends so far
	i := 0
	for j := 0; j < len(t); {
		switch {
		case i < len(p) && p[i] == '*':
			star, retry = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i, j = i+1, j+1
		case star >= 0:
			retry++
			i, j = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}

// IsGlob reports whether a pattern can match more than itself.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// NameFilter is a pattern for names and URIs as path.Match has it, classes such as [a-z] included; * matches
// slashes too, since URIs are full of them. One without * ? [ matches every name that contains it.
type NameFilter string

// Valid reports whether it can be read as a pattern.
func (f NameFilter) Valid() bool {
	_, err := path.Match(string(f), "")
	return err == nil
}

// Match reports whether a name is one that the filter lets through.
func (f NameFilter) Match(name string) bool {
	if !strings.ContainsAny(string(f), `*?[\`) {
		return strings.Contains(name, string(f))
	}
	ok, _ := path.Match(strings.ReplaceAll(string(f), "/", "\x00"), strings.ReplaceAll(name, "/", "\x00"))
	return ok
}

// near is the least likeness at which one word may be a misspelling of another.
const near = 0.8

// Nearest are up to three of words that word may be a misspelling of, the nearest first.
func Nearest(word string, words []string) []string {
	type candidate struct {
		word  string
		score float64
	}
	var found []candidate
	for _, w := range words {
		if score := likeness(strings.ToLower(word), strings.ToLower(w)); score >= near {
			found = append(found, candidate{w, score})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.word, b.word))
	})
	var out []string
	for _, c := range found[:min(len(found), 3)] {
		out = append(out, c.word)
	}
	return out
}

// likeness is 0 (nothing alike) to 1 (equal). Names that hold each other count as near.
func likeness(a, b string) float64 {
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

// DidYouMean is ` (did you mean "x"?)` with the nearest of words, or nothing when none is near.
func DidYouMean(word string, words []string) string {
	if nearest := Nearest(word, words); len(nearest) > 0 {
		return fmt.Sprintf(" (did you mean %q?)", nearest[0])
	}
	return ""
}

// Suggest is a hint with the words nearest to a misspelt one, or with all of them when none is near and they
// are few.
func Suggest(word string, words []string) string {
	if nearest := Nearest(word, words); len(nearest) > 0 {
		return "did you mean " + Quoted(nearest, " or ") + "?"
	}
	if len(words) == 0 || len(words) > 12 {
		return ""
	}
	return "there is " + Quoted(words, ", ")
}

// Counted is a number of things in words; plural is what their name ends with then, in the place of an s.
func Counted(n int, thing string, plural ...string) string {
	if n != 1 {
		thing += append(plural, "s")[0]
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Some is the first few of many words, and how many more there are.
func Some(words []string) string {
	const few = 5
	if more := len(words) - few; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:few], ", "), more)
	}
	return strings.Join(words, ", ")
}

// Quoted is words in quotation marks with a separator between them.
func Quoted(words []string, separator string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(q, separator)
}

// ThisMachine reports whether the name or address of a host, with a port or without one, means this machine.
func ThisMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
