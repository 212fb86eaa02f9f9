package rawjson

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
)

// Difference is a place at which two decoded values differ.
type Difference struct {
	Pointer  string
	Old, New any // nil also on the side that does not have the place
	Added    bool
	Removed  bool
}

// Differences returns up to most places at which two values of [Decode] differ, and how many more there are.
// Numbers are compared by value. Places that match a pattern of ignored are passed over; a pattern is the
// steps of a JSON pointer, with "*" for any step.
func Differences(old, new any, most int, ignored ...[]string) (found []Difference, more int) {
	w := &walker{most: most}
	options := []gocmp.Option{gocmp.Reporter(w), gocmp.Comparer(sameNumber),
		gocmp.Comparer(func(a, b whole) bool { return Same(a.value, b.value) })}
	for _, pattern := range ignored {
		options = append(options, gocmp.FilterPath(func(path gocmp.Path) bool {
			return slices.EqualFunc(pattern, stepsOf(path, len(pattern)+1),
				func(p, step string) bool { return p == "*" || p == step })
		}, gocmp.Ignore()))
	}
	old, new = aligned(old, new, 0)
	gocmp.Equal(old, new, options...)
	return w.found, w.more
}

// deepest is how many levels are compared; what is deeper is compared as a whole.
const deepest = 100

type whole struct{ value any }

// aligned returns two values with objects in place of lists, by index and without the elements that both
// lists begin or end with. go-cmp aligns lists differently from run to run, and takes twice the time for each
// list inside another.
func aligned(old, new any, level int) (any, any) {
	a, b := map[string]any{}, map[string]any{}
	oldMap, isMap := old.(map[string]any)
	newMap, areMaps := new.(map[string]any)
	oldList, isList := old.([]any)
	newList, areLists := new.([]any)
	switch {
	case isMap && areMaps && level < deepest:
		maps.Copy(a, oldMap)
		maps.Copy(b, newMap)
	case isList && areLists && level < deepest:
		first, last := 0, 0 // how many elements are the same at the beginning and at the end
		shorter := min(len(oldList), len(newList))
		for first < shorter && Same(oldList[first], newList[first]) {
			first++
		}
		for last < shorter-first && Same(oldList[len(oldList)-1-last], newList[len(newList)-1-last]) {
			last++
		}
		for i, value := range oldList[first : len(oldList)-last] {
			a[strconv.Itoa(first+i)] = value
		}
		for i, value := range newList[first : len(newList)-last] {
			b[strconv.Itoa(first+i)] = value
		}
	case level == deepest:
		return whole{old}, whole{new}
	default:
		return old, new
	}
	for key := range a {
		if _, both := b[key]; both {
			a[key], b[key] = aligned(a[key], b[key], level+1)
		}
	}
	return a, b
}

// stepsOf returns the first steps of the JSON pointer that a path stands for.
func stepsOf(path gocmp.Path, most int) (steps []string) {
	for _, step := range path {
		if index, ok := step.(gocmp.MapIndex); ok && len(steps) < most {
			steps = append(steps, index.Key().String())
		}
	}
	return steps
}

// walker collects the places that go-cmp reports.
type walker struct {
	path  gocmp.Path
	found []Difference
	most  int
	more  int
}

// PushStep follows the comparison into a value.
func (w *walker) PushStep(s gocmp.PathStep) { w.path = append(w.path, s) }

// PopStep follows the comparison out of a value.
func (w *walker) PopStep() { w.path = w.path[:len(w.path)-1] }

// Report records the place of a difference.
func (w *walker) Report(r gocmp.Result) {
	switch {
	case r.Equal():
		return
	case len(w.found) == w.most:
		w.more++
		return
	}
	old, new := w.path.Last().Values()
	d := Difference{Pointer: Join("", stepsOf(w.path, len(w.path))...), Added: !old.IsValid(),
		Removed: !new.IsValid()}
	if !d.Added {
		d.Old = old.Interface()
	}
	if !d.Removed {
		d.New = new.Interface()
	}
	w.found = append(w.found, d)
}

// Same reports whether two values of [Decode] are the same. Numbers are compared by value.
func Same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, value := range a {
			if other, ok := b[key]; !ok || !Same(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Same)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(a, b)
	}
	_, isMap := b.(map[string]any)
	_, isList := b.([]any)
	return !isMap && !isList && a == b
}

func sameNumber(a, b json.Number) bool { return a == b || exact(a.String()) == exact(b.String()) }

// exact returns one spelling for all spellings of a number. It never writes out a large exponent.
func exact(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(significant, "0")
	if trimmed == "" {
		return "0"
	}
	scale, ok := new(big.Int).SetString(exponent, 10)
	if !ok {
		scale = new(big.Int)
	}
	scale.Add(scale, big.NewInt(int64(len(significant)-len(trimmed)-len(fraction))))
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + scale.String()
}
