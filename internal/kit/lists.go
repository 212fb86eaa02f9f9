// Package kit has small functions that the standard library lacks: for lists and maps (Map, Filter, Group,
// SortedKeys), concurrency (Parallel), patterns of names (Glob, NameFilter), suggestions for misspelled words
// (DidYouMean), counts and lists of words (Counted, Some), and regular expressions that are compiled at first
// use (Pattern).
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

// Parallel calls do with each number below n, on all processors, and starts no more calls once ctx has ended.
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

// Map returns the results of a function for each item; nil for none.
func Map[T, U any](items []T, convert func(T) U) []U {
	if len(items) == 0 {
		return nil
	}
	all := make([]U, 0, len(items))
	for _, item := range items {
		all = append(all, convert(item))
	}
	return all
}

// Flat returns the concatenated results of a function for each item.
func Flat[T, U any](items []T, list func(T) []U) []U {
	var all []U
	for _, item := range items {
		all = append(all, list(item)...)
	}
	return all
}

// Filter returns a new list of the items that are wanted; nil for none.
func Filter[T any](items []T, wanted func(T) bool) []T {
	var kept []T
	for _, item := range items {
		if wanted(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// Set returns a set of the items.
func Set[T comparable](items []T) map[T]bool {
	set := make(map[T]bool, len(items))
	for _, item := range items {
		set[item] = true
	}
	return set
}

// SortedKeys returns the keys of a map, sorted; nil for none.
func SortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	if len(m) == 0 {
		return nil
	}
	keys := slices.AppendSeq(make([]K, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}

// Distinct returns the items without duplicates, in the order of their first occurrence; nil for none.
func Distinct[T comparable](items []T) []T {
	seen := make(map[T]bool, len(items))
	return Filter(items, func(item T) bool {
		again := seen[item]
		seen[item] = true
		return !again
	})
}

// Group returns lists of the items with the same key, in the order of their first occurrence; nil for none.
func Group[T any, K comparable](items []T, key func(T) K) [][]T {
	var groups [][]T
	index := map[K]int{}
	for _, item := range items {
		k := key(item)
		i, known := index[k]
		if !known {
			i, index[k], groups = len(groups), len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}
