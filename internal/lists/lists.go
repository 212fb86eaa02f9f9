// Package lists makes lists and sets of other lists.
package lists

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
