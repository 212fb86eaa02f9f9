package oracle

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// maxLength bounds the strings that are built.
const maxLength = 40_000

// strings returns candidates of type string inside the narrow side's patterns and lengths: plain ones, those at the
// lengths that the wide side names, and those that its patterns reject.
func (s *search) strings(narrow, wide facts) []any {
	region := s.region(narrow)
	out := []any{"a", "", "ab", "A", "1", "é", " ", "a b", "\n"}
	out = append(out, s.found(atLeast(region, 1))...)
	out = append(out, formatted(append(narrow.strings("format"), wide.strings("format")...))...)
	for _, p := range s.patterns(wide) {
		out = append(out, s.around(region, p, wide)...)
	}
	for _, n := range slices.Concat(narrow.counts("minLength", "maxLength"), wide.counts("minLength", "maxLength")) {
		for _, length := range [...]int{n - 1, n, n + 1} {
			if length >= 0 && length <= maxLength {
				out = append(out, strings.Repeat("a", length), strings.Repeat("é", min(length, 100)))
				out = append(out, s.found(between(region, length, length))...)
			}
		}
	}
	if len(region.All) > 0 {
		for _, text := range samples(region, 12) {
			out = append(out, text)
		}
	}
	return out
}

// around returns strings of the region that a pattern rejects, and accepted ones of the lengths beside the wide side's.
func (s *search) around(region pattern.Region, p *pattern.Pattern, wide facts) []any {
	outside, inside := region, region
	outside.None = append(slices.Clone(region.None), p)
	inside.All = append(slices.Clone(region.All), p)
	out := s.found(atLeast(outside, 1), outside, inside)
	for _, n := range wide.counts("minLength", "maxLength") {
		out = append(out, s.found(between(inside, n+1, n+1))...)
		if n > 0 {
			out = append(out, s.found(between(inside, n-1, n-1))...)
		}
	}
	return out
}

// found returns a string of each region that is known to hold one of a size that can be built.
func (s *search) found(regions ...pattern.Region) []any {
	var out []any
	for _, r := range regions {
		s.work -= workPerPattern * len(r.All)
		if text, found := r.Find(); found == pattern.Yes && len(text) <= maxLength {
			out = append(out, text)
		}
	}
	return out
}

func atLeast(r pattern.Region, n int) pattern.Region {
	r.MinLen = max(r.MinLen, n)
	return r
}

func between(r pattern.Region, low, high int) pattern.Region {
	r.MinLen = max(r.MinLen, low)
	if !r.Bounded || high < r.MaxLen {
		r.MaxLen, r.Bounded = high, true
	}
	return r
}

// region returns the strings that facts allow, as far as its patterns can be read.
func (s *search) region(f facts) pattern.Region {
	r := pattern.Region{All: s.patterns(f), MinLen: f.least("minLength")}
	if most := f.most("maxLength"); most >= 0 {
		r.MaxLen, r.Bounded = most, true
	}
	return r
}

func (s *search) patterns(f facts) []*pattern.Pattern {
	var out []*pattern.Pattern
	for _, text := range f.strings("pattern") {
		if p := s.pattern(text); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// pattern reads a pattern once; nil where it cannot be read.
func (s *search) pattern(text string) *pattern.Pattern {
	p, known := s.read[text]
	if !known {
		if p, _ = pattern.Parse(text); p != nil && !p.Regular() {
			p = nil
		}
		s.read[text] = p
	}
	return p
}

// formatted returns a string of each format.
func formatted(formats []string) []any {
	examples := map[string]string{
		"date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "duration": "P1D",
		"email": "a@example.com", "idn-email": "a@example.com", "hostname": "example.com", "idn-hostname": "example.com",
		"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com", "uri-reference": "/a",
		"iri": "https://example.com", "iri-reference": "/a", "uuid": "123e4567-e89b-12d3-a456-426614174000",
		"json-pointer": "/a", "relative-json-pointer": "0", "regex": "^a$", "uri-template": "/{a}",
	}
	var out []any
	for _, f := range formats {
		if example, ok := examples[f]; ok {
			out = append(out, example)
		}
	}
	return out
}

// samples returns up to n different strings of a region.
func samples(r pattern.Region, n int) []string {
	var found []string
	for range n {
		if len(found) > 0 {
			these, err := pattern.Exactly(found...)
			if err != nil {
				break
			}
			r.None = append(slices.Clone(r.None), these)
		}
		text, ok := r.Find()
		if ok != pattern.Yes {
			break
		}
		found = append(found, text)
	}
	return found
}
