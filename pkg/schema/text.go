package schema

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// text decides a clause about strings: lengths, patterns and finite sets.
func (e *engine) text(atoms []lit) outcome {
	for _, l := range atoms {
		if l.op == opScalars && !l.not {
			return e.members(atoms, l.set.strings)
		}
	}
	if v, ok := e.formatted(atoms); ok {
		return found(v)
	}
	region, excluded, doubt := regionOf(atoms)
	if region.Bounded && region.MaxLen < region.MinLen {
		return outcome{answer: void}
	}
	out := e.findText(region, excluded)
	if out.answer == inhabited && doubt.node != nil {
		return doubtful(out.value, doubt)
	}
	return out
}

// formatted finds a string among examples of the formats that are asked for.
func (e *engine) formatted(atoms []lit) (string, bool) {
	for _, l := range atoms {
		if l.op != opFormat {
			continue
		}
		for _, v := range [...]string{formatExample(l.text), "a"} {
			if ok, doubt := textSatisfies(atoms, v, e.formats); ok && doubt.node == nil {
				return v, true
			}
		}
	}
	return "", false
}

// members decides a clause about finitely many strings.
func (e *engine) members(atoms []lit, members []string) outcome {
	out := outcome{answer: void}
	for _, v := range members {
		if e.step() {
			return undecided(outOfSteps)
		}
		switch ok, doubt := textSatisfies(atoms, v, e.formats); {
		case ok && doubt.node == nil:
			return found(v)
		case ok:
			out = better(out, doubtful(v, doubt))
		}
	}
	return out
}

// textSatisfies reports whether a string satisfies all atoms, or may: then the doubt names the first that is not
// understood.
func textSatisfies(atoms []lit, v string, f *formats) (ok bool, doubt reason) {
	for _, l := range atoms {
		var ok bool
		switch l.op {
		case opScalars:
			ok = l.set.hasString(v)
		case opMinLength:
			ok = utf8.RuneCountInString(v) >= l.count
		case opMaxLength:
			ok = utf8.RuneCountInString(v) <= l.count
		case opPattern:
			if l.pattern == nil {
				doubt = reason{"a pattern that is not understood", l.node}
				continue
			}
			ok = l.pattern.Match(v)
		case opFormat:
			has := f.accepts(l.text, v)
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

// regionOf collects what atoms say of a string. Constructs that are not understood are left out; the doubt names one.
func regionOf(atoms []lit) (r pattern.Region, excluded []string, doubt reason) {
	for _, l := range atoms {
		switch {
		case l.op == opScalars:
			excluded = append(excluded, l.set.strings...)
		case l.op == opMinLength && !l.not:
			r.MinLen = max(r.MinLen, l.count)
		case l.op == opMaxLength && l.not:
			r.MinLen = max(r.MinLen, l.count+1)
		case l.op == opMaxLength:
			bound(&r, l.count)
		case l.op == opMinLength:
			bound(&r, l.count-1)
		case l.op == opPattern && l.pattern != nil && !l.not:
			r.All = append(r.All, l.pattern)
		case l.op == opPattern && l.pattern != nil:
			r.None = append(r.None, l.pattern)
		case l.op == opPattern:
			doubt = reason{"a pattern that is not understood", l.node}
		default:
			doubt = reason{"a format that is asserted", l.node}
		}
	}
	return r, excluded, doubt
}

func bound(r *pattern.Region, n int) {
	if !r.Bounded || n < r.MaxLen {
		r.Bounded, r.MaxLen = true, n
	}
}

// maxWitnessText bounds the strings that are written out.
const maxWitnessText = 1 << 16

// patternWork is the work on automata that costs as much as one step of the engine.
const patternWork = 64

// findText finds a string of a region that is not excluded.
func (e *engine) findText(r pattern.Region, excluded []string) outcome {
	if len(r.All) == 0 && len(r.None) == 0 {
		return plainText(r, excluded)
	}
	spent := 0
	r.Spent = &spent
	defer func() { e.left -= 4 + spent/patternWork }()
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
func plainText(r pattern.Region, excluded []string) outcome {
	taken := map[string]bool{}
	for _, s := range excluded {
		taken[s] = true
	}
	if r.MinLen > maxWitnessText {
		return undecided(reason{what: "strings too long to write out"})
	}
	for length := max(r.MinLen, 1); !r.Bounded || length <= r.MaxLen; length++ {
		for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789" {
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
