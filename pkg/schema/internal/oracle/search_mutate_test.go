package oracle

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"slices"
)

// atoms returns plain values of every type, to put anywhere.
func atoms() []any {
	return []any{nil, true, false, json.Number("0"), json.Number("1"), json.Number("-1"), json.Number("1.5"), "", "a",
		[]any{}, []any{nil}, map[string]any{}, map[string]any{"a": nil}}
}

// mutate changes what both schemas accept in one place at a time: it replaces, removes, adds and repeats.
func (s *search) mutate() (any, bool) {
	pool := atoms()
	for _, f := range []facts{{inPlace(s.narrow)}, {inPlace(s.wide)}} {
		pool = append(pool, f.known()...)
	}
	for i := 0; i < len(s.accepted) && !s.spent(); i++ {
		for v := range mutations(s.accepted[i], pool) {
			if s.refutes(v) {
				return v, true
			}
			if s.spent() {
				break
			}
		}
	}
	return nil, false
}

// inPlace returns all schemas that speak of the whole value.
func inPlace(d *document) []node {
	all, _ := bag([]node{d.node()})
	return all
}

// mutations returns the values one step away from v.
func mutations(v any, pool []any) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, other := range pool {
			if !yield(other) {
				return
			}
		}
		switch v := v.(type) {
		case map[string]any:
			mutateObject(v, pool, yield)
		case []any:
			mutateArray(v, pool, yield)
		}
	}
}

func mutateObject(o map[string]any, pool []any, yield func(any) bool) {
	for _, name := range keys(o) {
		less := maps.Clone(o)
		delete(less, name)
		if !yield(less) {
			return
		}
		for sub := range mutations(o[name], pool) {
			with := maps.Clone(o)
			with[name] = sub
			if !yield(with) {
				return
			}
		}
	}
	for _, name := range [...]string{"a", "extra"} {
		for _, sub := range pool[:min(len(pool), 13)] {
			with := maps.Clone(o)
			with[name] = sub
			if !yield(with) {
				return
			}
		}
	}
}

func mutateArray(a []any, pool []any, yield func(any) bool) {
	for i := range a {
		if !yield(slices.Delete(slices.Clone(a), i, i+1)) || !yield(append(slices.Clone(a), a[i])) {
			return
		}
		for sub := range mutations(a[i], pool) {
			with := slices.Clone(a)
			with[i] = sub
			if !yield(with) {
				return
			}
		}
	}
	for _, sub := range pool {
		if !yield(append(slices.Clone(a), sub)) {
			return
		}
	}
}

func readValue(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, err
	}
	return v, Check(v)
}
