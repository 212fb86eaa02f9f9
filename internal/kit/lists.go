// Package kit has small functions that the standard library lacks: for lists and maps (Map, Filter, Group,
// SortedKeys), work on all processors (Parallel), patterns of names (Glob, NameFilter), suggestions for
// misspelt words (DidYouMean), counted and listed words (Counted, Some), and regular expressions that are
// compiled when first used (Pattern).
package kit

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Parallel does something for each number below n, on all processors, and begins no more once ctx has ended.
func Parallel(ctx context.Context, n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}

// Map is what is made of each item, in order; nil of none.
func Map[T, U any](items []T, made func(T) U) []U {
	if len(items) == 0 {
		return nil
	}
	all := make([]U, 0, len(items))
	for _, item := range items {
		all = append(all, made(item))
	}
	return all
}

// Flat are the items that each of the items gives, one after the other.
func Flat[T, U any](items []T, given func(T) []U) []U {
	var all []U
	for _, item := range items {
		all = append(all, given(item)...)
	}
	return all
}

// Filter is the items that are wanted, in a list of their own; nil for none.
func Filter[T any](items []T, wanted func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if wanted(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// Set has each of the items.
func Set[T comparable](items []T) map[T]bool {
	set := make(map[T]bool, len(items))
	for _, item := range items {
		set[item] = true
	}
	return set
}

// SortedKeys are the keys of a map in their order, in a list that is made once; nil for none.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	keys := slices.AppendSeq(make([]K, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}

// Distinct is each of the items once, in the order in which they come first; nil for none.
func Distinct[T comparable](items []T) []T {
	seen := make(map[T]bool, len(items))
	return Filter(items, func(item T) bool {
		again := seen[item]
		seen[item] = true
		return !again
	})
}

// Group is the items with one key together, in the order in which the keys come first; nil for none.
func Group[T any, K comparable](items []T, key func(T) K) [][]T {
	var groups [][]T
	at := map[K]int{}
	for _, item := range items {
		k := key(item)
		i, known := at[k]
		if !known {
			i, at[k], groups = len(groups), len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}

// SortBy sorts items by an order, and those that are equal in it by a key, which may be costly: it is made
// for these alone.
func SortBy[T any, K cmp.Ordered](items []T, order func(a, b T) int, key func(T) K) {
	type keyed struct {
		item T
		key  K
	}
	slices.SortStableFunc(items, order)
	for len(items) > 0 {
		alike := 1
		for alike < len(items) && order(items[0], items[alike]) == 0 {
			alike++
		}
		if alike > 1 {
			all := Map(items[:alike], func(item T) keyed { return keyed{item, key(item)} })
			slices.SortStableFunc(all, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
			for i, one := range all {
				items[i] = one.item
			}
		}
		items = items[alike:]
	}
}
