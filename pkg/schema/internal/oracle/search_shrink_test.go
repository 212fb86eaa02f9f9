package oracle

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"
)

// The evaluations spent on making a witness small, and how much text counts as one of them.
const (
	maxShrinks     = 600
	bytesPerShrink = 500
)

// shrink makes a witness smaller and plainer while it stays one. Strings and numbers that the schemas show, as
// examples or members of enumerations, are left as they are: they make a call look real.
func (s *search) shrink(v any) any {
	shown := map[string]bool{}
	for _, d := range []*document{s.narrow, s.wide} {
		collectShown(d.Root, shown)
	}
	left := maxShrinks
	for again := true; again && left > 0; {
		again = false
		for smaller := range reductions(v, shown) {
			if left -= 1 + len(textOf(smaller))/bytesPerShrink; left < 0 {
				break
			}
			if s.admits(smaller) && s.wide.Accepts("", smaller) == No {
				v, again = smaller, true
				break
			}
		}
	}
	return v
}

// collectShown gathers the scalars that a schema shows.
func collectShown(v any, shown map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, known := range (facts{[]node{{value: v}}}).known() {
			scalarsIn(known, shown)
		}
		for _, sub := range v {
			collectShown(sub, shown)
		}
	case []any:
		for _, sub := range v {
			collectShown(sub, shown)
		}
	}
}

func scalarsIn(v any, shown map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, sub := range v {
			scalarsIn(sub, shown)
		}
	case []any:
		for _, sub := range v {
			scalarsIn(sub, shown)
		}
	default:
		shown[textOf(v)] = true
	}
}

// reductions returns simpler values, the boldest steps first.
func reductions(v any, shown map[string]bool) iter.Seq[any] {
	return func(yield func(any) bool) {
		switch v := v.(type) {
		case map[string]any:
			reduceObject(v, shown, yield)
		case []any:
			reduceArray(v, shown, yield)
		case string:
			reduceString(v, shown, yield)
		case json.Number:
			reduceNumber(v, shown, yield)
		}
	}
}

func reduceObject(o map[string]any, shown map[string]bool, yield func(any) bool) {
	for _, name := range keys(o) {
		less := maps.Clone(o)
		delete(less, name)
		if !yield(less) {
			return
		}
	}
	for _, name := range keys(o) {
		for sub := range reductions(o[name], shown) {
			with := maps.Clone(o)
			with[name] = sub
			if !yield(with) {
				return
			}
		}
	}
}

func reduceArray(a []any, shown map[string]bool, yield func(any) bool) {
	for chunk := len(a); chunk >= 1; chunk /= 2 {
		for from := 0; from < len(a); from += chunk {
			if !yield(slices.Delete(slices.Clone(a), from, min(from+chunk, len(a)))) {
				return
			}
		}
	}
	for i := range min(len(a), 20) {
		for sub := range reductions(a[i], shown) {
			with := slices.Clone(a)
			with[i] = sub
			if !yield(with) {
				return
			}
		}
	}
}

// reduceString shortens a string, but never to nothing.
func reduceString(text string, shown map[string]bool, yield func(any) bool) {
	if shown[textOf(text)] || utf8.RuneCountInString(text) < 2 {
		return
	}
	runes := []rune(text)
	if yield("a") {
		for n := len(runes) / 2; n >= 1; n /= 2 {
			if !yield(string(runes[:len(runes)-n])) {
				return
			}
		}
	}
}

func reduceNumber(n json.Number, shown map[string]bool, yield func(any) bool) {
	if shown[textOf(n)] {
		return
	}
	for _, plain := range [...]json.Number{"0", "1", "-1", "0.5", "1.5"} {
		if n == plain || len(n) < len(plain) || !yield(plain) {
			return
		}
	}
}
