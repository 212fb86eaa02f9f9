package schema

import (
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// decideText decides a clause about strings: lengths, patterns and finite sets.
func decideText(e *engine, atoms []lit) outcome {
	for _, l := range atoms {
		if l.op == opScalars && !l.not {
			return decideMembers(e, atoms, l.set.strings)
		}
	}
	if v, ok := findFormatted(e, atoms); ok {
		return found(v)
	}
	region, excluded, doubt := regionOf(atoms)
	if region.Bounded && region.MaxLen < region.MinLen {
		return outcome{answer: void}
	}
	out := findText(e, region, excluded)
	if out.answer == void || out.answer == inhabited && doubt.node == nil {
		return out
	}
	if v, ok := trySamples(e, atoms); ok {
		return found(v)
	}
	if out.answer == inhabited {
		return doubtful(out.value, doubt)
	}
	return out
}

// maxSamples is the number of strings that are tried of each pattern.
const maxSamples = 60

// trySamples looks among strings of each pattern, and a few others, for one that satisfies all atoms.
func trySamples(e *engine, atoms []lit) (string, bool) {
	tried := []string{"a", "", "0", "A", " ", "-", "aa", "ab", "a-b", "a1", "é"}
	for _, l := range atoms {
		if l.op == opPattern && l.pattern != nil && !e.spend(16*maxSamples+l.pattern.Size()) {
			tried = append(tried, l.pattern.Samples(maxSamples)...)
		}
	}
	floor := e.left - e.left/4
	for _, s := range tried {
		if e.left < floor {
			break
		}
		if ok, doubt := e.textSatisfies(atoms, s, e.formats); ok && doubt.node == nil && e.left >= 0 {
			return s, true
		}
	}
	return "", false
}

// findFormatted finds a string among examples of the formats that are asked for.
func findFormatted(e *engine, atoms []lit) (string, bool) {
	for _, l := range atoms {
		if l.op != opFormat {
			continue
		}
		for _, v := range append(slices.Clone(formats()[l.text].examples), "a") {
			if ok, doubt := e.textSatisfies(atoms, v, e.formats); ok && doubt.node == nil {
				return v, true
			}
		}
	}
	return "", false
}

// decideMembers tries the strings of a finite set. It is void only if each of them is refused for certain; a
// string that may satisfy the atoms is worth trying.
func decideMembers(e *engine, atoms []lit, members []string) outcome {
	out := outcome{answer: void}
	for _, v := range members {
		if e.step() {
			return undecided(outOfSteps)
		}
		switch ok, doubt := e.textSatisfies(atoms, v, e.formats); {
		case ok && doubt.node == nil:
			return found(v)
		case ok:
			out = better(out, doubtful(v, doubt))
		}
	}
	return out
}

// textSatisfies reports whether a string satisfies all atoms, or may: then the doubt names the first that is
// not understood.
func (m *meter) textSatisfies(atoms []lit, v string, formats bool) (ok bool, doubt reason) {
	for _, l := range atoms {
		m.spend(2 + len(v)/16)
		var ok bool
		switch l.op {
		case opScalars:
			ok = l.set.hasString(v)
		case opMinLength:
			ok = utf8.RuneCountInString(v) >= l.count
		case opMaxLength:
			ok = utf8.RuneCountInString(v) <= l.count
		case opPattern:
			found := m.matches(l.node, v, true)
			if found == unsure {
				doubt = reason{"a pattern that is not understood", l.node}
				continue
			}
			ok = found == inhabited
		case opFormat:
			has := inhabited
			if formats {
				has = hasFormat(l.text, v)
			}
			if has == unsure {
				doubt = reason{"a format that is not known", l.node}
				continue
			}
			ok = has == inhabited
		}
		if ok == l.not {
			return false, reason{}
		}
	}
	return true, doubt
}

// regionOf collects what atoms say of a string. Constructs that are not understood are left out; the doubt
// names one.
func regionOf(atoms []lit) (r pattern.Region, excluded []string, doubt reason) {
	r.MinLen, r.MaxLen = counts(atoms, opMinLength, opMaxLength)
	r.Bounded = r.MaxLen < unbounded
	for _, l := range atoms {
		switch {
		case l.op == opMinLength, l.op == opMaxLength:
		case l.op == opScalars:
			excluded = append(excluded, l.set.strings...)
		case l.op == opPattern && l.pattern != nil && l.pattern.Regular() && !l.not:
			r.All = append(r.All, l.pattern)
		case l.op == opPattern && l.pattern != nil && l.pattern.Regular():
			r.None = append(r.None, l.pattern)
		case l.op == opPattern:
			doubt = reason{"a pattern that is not understood", l.node}
		default:
			doubt = reason{"a format that is asserted", l.node}
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
		return outcome{answer: void}
	}
	return undecided(reason{what: "patterns too large to compare"})
}

// plainText finds a string by its length alone.
func plainText(e *engine, r pattern.Region, excluded []string) outcome {
	taken := kit.Set(excluded)
	if r.MinLen > maxWitnessText {
		return undecided(reason{what: "strings too long to write out"})
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
		return outcome{answer: void}
	}
	return undecided(reason{what: "too many strings are excluded"})
}

// A format is a kind of strings with a name.
type format struct {
	examples []string
	valid    func(s string) bool // nil if it is not checked
	affixes  []string            // what stands before and after the letters of a long example; nil for none
}

// ofLength returns an example of a length; empty if there is none.
func (f format) ofLength(n int) string {
	if len(f.affixes) < 2 || n <= len(f.affixes[0])+len(f.affixes[1]) {
		return ""
	}
	return f.affixes[0] + strings.Repeat("a", n-len(f.affixes[0])-len(f.affixes[1])) + f.affixes[1]
}

// formats are those of 2020-12 validation §7.3, and what people take for them.
var formats = sync.OnceValue(func() map[string]format {
	addresses := []string{"https://example.com", "http://example.com", "ftp://example.com/a", "urn:a"}
	mails := []string{"ada@example.com", "a@b.co", "A.B+1@EXAMPLE.COM"}
	hosts := []string{"example.com", "a", "A-1.EXAMPLE.COM"}
	onAddress, onMail := []string{"https://example.com/", ""}, []string{"", "@example.com"}
	onHost, onPath := []string{"", ".example.com"}, []string{"/", ""}
	inTime := func(layout string) func(string) bool {
		return func(s string) bool { return parses(time.Parse(layout, strings.ToUpper(s))) }
	}
	inNet := func(kind func(netip.Addr) bool) func(string) bool {
		return func(s string) bool {
			ip, err := netip.ParseAddr(s)
			return err == nil && kind(ip) && ip.Zone() == ""
		}
	}
	isHost := func(s string) bool { return len(s) <= 253 && hostname().MatchString(s) }
	isReference := func(s string) bool { return parses(url.Parse(s)) }
	isPointer := func(s string) bool { return jsonPointer().MatchString(s) }
	instants := []string{"2026-01-31T12:00:00Z", "1999-12-31T23:59:59.5+02:00"}
	return map[string]format{
		"date-time": {instants, inTime(time.RFC3339), nil},
		"date":      {[]string{"2026-01-31", "1999-12-31"}, inTime(time.DateOnly), nil},
		"time":      {[]string{"12:00:00Z", "23:59:59.5+02:00"}, inTime("15:04:05Z07:00"), nil},
		"email":     {mails, isEmail, onMail},
		"hostname":  {hosts, isHost, onHost},
		"ipv4":      {[]string{"192.0.2.1", "10.20.30.40"}, inNet(netip.Addr.Is4), nil},
		"ipv6":      {[]string{"2001:db8::1", "::1"}, inNet(netip.Addr.Is6), nil},
		"uri": {addresses, func(s string) bool {
			u, err := url.Parse(s)
			return err == nil && u.IsAbs()
		}, onAddress},
		"uri-reference": {[]string{"/a", "a", "#a"}, isReference, onPath},
		"uuid": {[]string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-42D3-A456-426614174000"},
			func(s string) bool { return uuid().MatchString(s) }, nil},
		"json-pointer":  {[]string{"/a", ""}, isPointer, onPath},
		"regex":         {[]string{"^a$", "a"}, nil, []string{"^", "$"}},
		"duration":      {[]string{"P1D", "PT1H", "P1Y2M3DT4H5M6S"}, nil, nil},
		"idn-email":     {mails, nil, onMail},
		"idn-hostname":  {hosts, nil, onHost},
		"iri":           {addresses, nil, onAddress},
		"url":           {addresses, nil, onAddress},
		"iri-reference": {[]string{"/a", "a", "#a"}, nil, onPath},
		"uri-template":  {[]string{"/{id}", "/a"}, nil, onPath},
	}
})

// hasFormat reports whether a string has a format. It is unsure of one that it does not know.
func hasFormat(name, s string) answer {
	if name == "regex" {
		if _, err := pattern.Parse(s); err == nil { // else it may be one that is only not decided here
			return inhabited
		}
	}
	if valid := formats()[name].valid; valid != nil {
		return answerOf(valid(s))
	}
	return unsure
}

func parses[T any](_ T, err error) bool { return err == nil }

func isEmail(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s
}

// The formats that the standard library does not read: RFC 1123 §2.1, RFC 4122 §3 and RFC 6901 §3.
var (
	hostname = kit.Pattern(
		`^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`)
	uuid        = kit.Pattern(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	jsonPointer = kit.Pattern(`^(/([^~]|~[01])*)?$`)
)
