package oracle

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
)

// The bounds on arrays that are built: their length and their text in bytes.
const (
	maxItems = 40_000
	maxBytes = 1 << 18
)

// items returns the schemas that hold for the item at an index.
func (f facts) items(index int) []node {
	var out []node
	for _, n := range f.parts {
		tuple := n.list("prefixItems")
		rest, hasRest := n.child("items")
		if _, isTuple := rest.value.([]any); hasRest && isTuple {
			tuple = n.list("items")
			rest, hasRest = n.child("additionalItems")
		}
		switch {
		case index < len(tuple):
			out = append(out, tuple[index])
		case hasRest:
			out = append(out, rest)
		}
		if rest, ok := n.child("unevaluatedItems"); ok && len(tuple) <= index && !hasRest {
			out = append(out, rest)
		}
	}
	return out
}

func (f facts) tuple() int {
	longest := 0
	for _, n := range f.parts {
		items, _ := n.object()["items"].([]any)
		longest = max(longest, len(n.list("prefixItems")), len(items))
	}
	return longest
}

// arrays returns candidates of type array: of every length that either side names, with every candidate for an item
// at every index that either side distinguish, and with items repeated.
func (s *search) arrays(alt alternative, p place) iter.Seq[any] {
	narrow, wide := facts{alt}, facts{p.bag()}
	return func(yield func(any) bool) {
		for v := range s.sizes(narrow, p.hints(), p.below) {
			if !yield(v) {
				return
			}
		}
		for i := range max(narrow.tuple(), wide.tuple()) + 1 {
			for v := range s.varyItem(narrow, wide, p, i) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// sizes returns arrays of different lengths and of repeated items; none where only items differ.
func (s *search) sizes(narrow, wide facts, below bool) iter.Seq[any] {
	return func(yield func(any) bool) {
		if below {
			return
		}
		for _, n := range lengths(narrow, wide) {
			if v, ok := s.array(narrow, n, n > narrow.least("minItems")); ok && !yield(v) {
				return
			}
		}
		s.repeated(narrow, wide)(yield)
	}
}

// lengths returns the lengths worth trying, the least first.
func lengths(narrow, wide facts) []int {
	low, high := narrow.least("minItems"), narrow.most("maxItems")
	out := []int{low, 0, 1, 2, narrow.tuple(), wide.tuple(), wide.tuple() + 1, high}
	for _, n := range wide.counts("minItems", "maxItems", "minContains", "maxContains") {
		out = append(out, n-1, n, n+1)
	}
	kept := []int{low}
	for _, n := range out {
		if n >= low && (high < 0 || n <= high) && n <= maxItems && !slices.Contains(kept, n) {
			kept = append(kept, n)
		}
	}
	return kept
}

// array builds an array of n items that the narrow side accepts. With distinct set, items differ where they can.
func (s *search) array(narrow facts, n int, distinct bool) ([]any, bool) {
	items := make([]any, 0, n)
	unique := distinct || slices.Contains(narrow.values("uniqueItems"), any(true))
	taken := map[string]bool{}
	bytes := 0
	for i := range n {
		schemas := narrow.items(i)
		if held := narrow.contained(i); held.value != nil {
			schemas = append(slices.Clone(schemas), held)
		}
		v, ok := s.minimal(schemas)
		if unique && ok {
			v = s.fresh(schemas, v, taken, i)
		}
		bytes += s.smallest[key(schemas)].size + 1
		if !ok || bytes > maxBytes {
			return nil, false
		}
		items = append(items, v)
	}
	s.work -= bytes / bytesPerUnit
	return items, true
}

// contained returns the schema that the item at an index should satisfy for the sake of contains.
func (f facts) contained(index int) node {
	for _, n := range f.parts {
		sub, ok := n.child("contains")
		if !ok {
			continue
		}
		need := max(1, facts{[]node{n}}.least("minContains"))
		if index < need {
			return sub
		}
		index -= need
	}
	return node{}
}

// fresh returns a value like v that was not taken yet, or v where none was found.
func (s *search) fresh(schemas []node, v any, taken map[string]bool, i int) any {
	for _, candidate := range s.variants(schemas, v, i) {
		if text := textOf(candidate); !taken[text] && s.fits(schemas, candidate) {
			taken[text] = true
			return candidate
		}
	}
	for candidate := range s.values(place{ns: schemas, depth: 1}) {
		if text := textOf(candidate); !taken[text] {
			taken[text] = true
			return candidate
		}
		if len(taken) > 64 {
			break
		}
	}
	return v
}

func (s *search) variants(_ []node, v any, i int) []any {
	switch v := v.(type) {
	case string:
		return []any{v, v + strconv.Itoa(i), strconv.Itoa(i)}
	case json.Number:
		if r, ok := rat(v); ok && r.IsInt() {
			return []any{v, json.Number(strconv.Itoa(i)), json.Number(strconv.Itoa(-i))}
		}
	}
	return []any{v, json.Number(strconv.Itoa(i)), strconv.Itoa(i)}
}

// repeated returns arrays of one item over and over, and of items that the wide side's contains speaks of.
func (s *search) repeated(narrow, wide facts) iter.Seq[any] {
	return func(yield func(any) bool) {
		low := max(2, narrow.least("minItems"))
		sizes := []int{low}
		for _, n := range wide.counts("minContains", "maxContains", "minItems", "maxItems") {
			sizes = append(sizes, n+1, n-1, n)
		}
		for _, n := range slices.Concat(wide.parts, narrow.parts) {
			sub, ok := n.child("contains")
			if !ok {
				sub = node{value: true}
			}
			item, ok := s.minimal(append(narrow.items(0), sub))
			for _, size := range sizes {
				if ok && size >= 0 && size <= maxItems && !yield(slices.Repeat([]any{item}, size)) {
					return
				}
			}
		}
	}
}

// varyItem puts every candidate for the item at an index into the smallest array that holds it.
func (s *search) varyItem(narrow, wide facts, p place, index int) iter.Seq[any] {
	return func(yield func(any) bool) {
		sub, ok := s.below(p, narrow.items(index), wide.items(index))
		if !ok {
			return
		}
		base, ok := s.array(narrow, max(index+1, narrow.least("minItems")), false)
		if !ok {
			base, ok = s.array(narrow, index+1, false)
		}
		if !ok {
			return
		}
		for v := range s.local(sub) {
			with := slices.Clone(base)
			with[index] = v
			if !yield(with) || len(base) > 1 && index == 0 && len(base) < 50 && !yield(slices.Repeat([]any{v}, len(base))) {
				return
			}
		}
	}
}
