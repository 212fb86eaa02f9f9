package schema

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// decideText decides a clause about strings: lengths, patterns and excluded strings. A string of a format
// that is named is preferred.
func decideText(e *engine, atoms []literal) outcome {
	region, excluded, doubt := regionOf(atoms)
	if region.Bounded && region.MaxLen < region.MinLen {
		return outcome{answer: empty}
	}
	for _, l := range atoms {
		if l.op == opFormat {
			if out := e.tryEach(atoms, formats()[l.text].examples(region)...); out.answer == inhabited {
				return out
			}
		}
	}
	out := findText(e, region, excluded)
	if out.answer == empty || out.answer == inhabited && doubt.node == nil {
		return out
	}
	if v, ok := trySamples(e, atoms, region.MinLen); ok {
		return found(v)
	}
	if out.answer == inhabited {
		return doubtful(out.value, doubt)
	}
	return out
}

// maxSamples is the number of strings that are tried of each pattern.
const maxSamples = 60

// trySamples looks among strings of each pattern, and a few others, for one that satisfies all atoms; then
// among those that are long enough with one of their characters repeated.
func trySamples(e *engine, atoms []literal, least int) (string, bool) {
	others := []string{"a", "", "0", "A", " ", "-", "aa", "ab", "a-b", "a1", "é"}
	var samples []string
	for _, l := range atoms {
		if l.op == opPattern && l.pattern != nil && !e.spend(16*maxSamples+l.pattern.Size()) {
			samples = append(samples, l.pattern.Samples(maxSamples)...)
		}
	}
	floor := e.left - e.left/4
	fits := func(atoms []literal, s string) bool {
		if e.spend(len(s) / 16); e.left < floor {
			return false
		}
		answer, _ := e.satisfiesAll(atoms, s)
		return answer == inhabited && e.left >= 0
	}
	for _, s := range slices.Concat(others, samples) {
		if fits(atoms, s) {
			return s, true
		}
	}
	ofAnyLength := kit.Filter(atoms,
		func(l literal) bool { return l.op != opMinLength && l.op != opMaxLength })
	for _, short := range slices.Concat(samples, others) {
		for long := range stretched(short, least) {
			if fits(ofAnyLength, long(len(short)+1)) && fits(atoms, long(least)) {
				return long(least), true
			}
		}
	}
	return "", false
}

// Bounds on the strings that are stretched, in characters, and on the places that are tried at either end.
const (
	maxStretched = 1 << 18
	maxPlaces    = 8
)

// stretched returns how to repeat each of the first and last characters of a string until it has a length.
func stretched(s string, length int) iter.Seq[func(int) string] {
	return func(yield func(func(int) string) bool) {
		letters := []rune(s)
		if length <= len(letters) || length > maxStretched {
			return
		}
		for i := range letters {
			if i >= maxPlaces && i < len(letters)-maxPlaces {
				continue
			}
			before, after := string(letters[:i]), string(letters[i:])
			if !yield(func(n int) string {
				return before + strings.Repeat(string(letters[i]), max(n-len(letters), 0)) + after
			}) {
				return
			}
		}
	}
}

// text decides an assertion about strings; a format is an annotation.
func (m *meter) text(n *node, v string) answer {
	m.spend(2 + len(v)/16)
	switch n.op {
	case opMinLength:
		return answerOf(utf8.RuneCountInString(v) >= n.count)
	case opMaxLength:
		return answerOf(utf8.RuneCountInString(v) <= n.count)
	case opPattern:
		return m.matches(n, v)
	}
	return inhabited
}

// regionOf collects what atoms say of a string. Constructs that are not understood are left out; the doubt
// names one.
func regionOf(atoms []literal) (r pattern.Region, excluded []string, doubt reason) {
	r.MinLen, r.MaxLen = counts(atoms, opMinLength, opMaxLength)
	r.Bounded = r.MaxLen < unbounded
	for _, l := range atoms {
		switch {
		case l.op == opMinLength, l.op == opMaxLength:
		case l.op == opScalars:
			excluded = append(excluded, l.set.strings()...)
		case l.op == opPattern && l.pattern != nil && l.pattern.Regular() && !l.not:
			r.All = append(r.All, l.pattern)
		case l.op == opPattern && l.pattern != nil && l.pattern.Regular():
			r.None = append(r.None, l.pattern)
		case l.op == opPattern:
			doubt = reason{"a pattern that is not understood", l.node}
		}
	}
	return r, excluded, doubt
}

// maxWitnessText bounds the strings that are written out.
const maxWitnessText = 1 << 16

// findText searches for a string in a region that is not excluded. Excluded strings become a pattern that
// must not match, so that one search decides; it may use three quarters of the work that is left.
func findText(e *engine, r pattern.Region, excluded []string) outcome {
	if len(r.All) == 0 && len(r.None) == 0 {
		e.spend(8 * len(excluded))
		return plainText(e, r, excluded)
	}
	if slices.ContainsFunc(r.All, func(p *pattern.Pattern) bool { return p.Longest() < r.MinLen }) {
		return outcome{answer: empty}
	}
	for _, s := range excluded {
		e.spend(16 * (2 + len(s))) // it becomes a part of a pattern
	}
	if e.left < 0 {
		return undecided(outOfSteps)
	}
	work := e.left * 3 / 4 // the rest is for samples
	r.Work = &work
	defer func(limit int) { e.spend(4*unitsPerStep + limit - work) }(work)
	if len(excluded) > 0 {
		these, err := pattern.Exactly(excluded...)
		if err != nil {
			return undecided(reason{what: "too many strings are excluded"})
		}
		r.None = append(r.None, these)
	}
	switch s, answer := r.Find(); answer {
	case pattern.Yes:
		return found(s)
	case pattern.No:
		return outcome{answer: empty}
	}
	return undecided(reason{what: "patterns too large to compare"})
}

// plainText finds a string by its length alone.
func plainText(e *engine, r pattern.Region, excluded []string) outcome {
	taken := kit.Set(excluded)
	if r.MinLen > maxWitnessText {
		if slices.ContainsFunc(excluded, func(s string) bool { return len(s) >= r.MinLen }) {
			return undecided(reason{what: "very long strings are excluded"})
		}
		return found(longText(r.MinLen))
	}
	for length := max(r.MinLen, 1); !r.Bounded || length <= r.MaxLen; length++ {
		for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789" {
			if e.spend(4 + length/16) {
				return undecided(outOfSteps)
			}
			if s := strings.Repeat(string(c), length); !taken[s] {
				return found(s)
			}
		}
		if length > r.MinLen+len(excluded) {
			break
		}
	}
	if r.MinLen == 0 && !taken[""] {
		return found("")
	}
	if r.Bounded && r.MaxLen == 0 {
		return outcome{answer: empty}
	}
	return undecided(reason{what: "too many strings are excluded"})
}

// A format is a kind of strings with a name.
type format struct {
	example string
	affixes []string // what stands before and after the letters of a long example; nil for none
}

// examples returns strings of the format, also of the least and the greatest length that a region allows.
func (f format) examples(r pattern.Region) []any {
	out := []any{f.example}
	for _, n := range [...]int{r.MinLen, r.MaxLen} {
		if n < maxWitnessText && len(f.affixes) > 0 && n > len(f.affixes[0])+len(f.affixes[1]) {
			letters := strings.Repeat("a", n-len(f.affixes[0])-len(f.affixes[1]))
			out = append(out, f.affixes[0]+letters+f.affixes[1])
		}
	}
	return out
}

// formats are those of 2020-12 validation §7.3, and what people take for them.
var formats = sync.OnceValue(func() map[string]format {
	onAddress, onMail := []string{"https://example.com/", ""}, []string{"", "@example.com"}
	onHost, onPath := []string{"", ".example.com"}, []string{"/", ""}
	return map[string]format{
		"date-time":     {"2026-01-31T12:00:00Z", nil},
		"date":          {"2026-01-31", nil},
		"time":          {"12:00:00Z", nil},
		"duration":      {"P1D", nil},
		"email":         {"ada@example.com", onMail},
		"idn-email":     {"ada@example.com", onMail},
		"hostname":      {"example.com", onHost},
		"idn-hostname":  {"example.com", onHost},
		"ipv4":          {"192.0.2.1", nil},
		"ipv6":          {"2001:db8::1", nil},
		"uri":           {"https://example.com", onAddress},
		"iri":           {"https://example.com", onAddress},
		"url":           {"https://example.com", onAddress},
		"uri-reference": {"/a", onPath},
		"iri-reference": {"/a", onPath},
		"uri-template":  {"/{id}", onPath},
		"json-pointer":  {"/a", onPath},
		"uuid":          {"123e4567-e89b-12d3-a456-426614174000", nil},
		"regex":         {"^a$", []string{"^", "$"}},
	}
})
