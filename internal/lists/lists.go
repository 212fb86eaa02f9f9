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
