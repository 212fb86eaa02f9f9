package schema

import "slices"

// differ finds items that are all different. Each cell offers as many values as there are cells, or all that it has;
// a matching of cells to values exists or does not (Hall's theorem: a cell with as many values as cells never lacks).
func (a *arrayProblem) differ(doubt reason, doubted bool) outcome {
	n := 0
	for _, c := range a.cells {
		n += c.count
	}
	if n > maxCells {
		return a.tooMany(n)
	}
	var offers [][]string
	values := map[string]any{}
	for _, c := range a.cells {
		offer, why := a.offer(c.lits, n, values)
		if why != (reason{}) {
			doubt, doubted = why, true
		}
		for range c.count {
			offers = append(offers, offer)
		}
	}
	chosen, ok := match(offers)
	if !ok {
		if doubted {
			return undecided(doubt)
		}
		return outcome{answer: void}
	}
	value := []any{}
	for _, key := range chosen {
		value = append(value, values[key])
	}
	if doubted {
		return doubtful(value, doubt)
	}
	return found(value)
}

// tooMany decides unique items by counting alone: very many of them cannot differ where one kind of item has few
// values.
func (a *arrayProblem) tooMany(n int) outcome {
	for _, c := range a.cells {
		if offer, why := a.offer(c.lits, min(c.count, maxCells), map[string]any{}); why == (reason{}) && len(offer) < c.count && len(offer) < maxCells {
			return outcome{answer: void}
		}
	}
	return undecided(reason{what: "very many different items"})
}

// offer lists up to n different values that satisfy literals.
func (a *arrayProblem) offer(lits []lit, n int, values map[string]any) (keys []string, why reason) {
	lits = slices.Clone(lits)
	for range n {
		out := a.inside(lits)
		switch out.answer {
		case void:
			return keys, why
		case unsure:
			return keys, out.why
		}
		key := canonical(out.value)
		values[key] = out.value
		keys = append(keys, key)
		lits = append(lits, not(seal(constant(out.value))))
	}
	return keys, why
}

// match assigns to each row one of its keys, no key twice.
func match(rows [][]string) ([]string, bool) {
	owner := map[string]int{}
	chosen := make([]string, len(rows))
	var assign func(row int, seen map[string]bool) bool
	assign = func(row int, seen map[string]bool) bool {
		for _, key := range rows[row] {
			if seen[key] {
				continue
			}
			seen[key] = true
			if other, taken := owner[key]; !taken || assign(other, seen) {
				owner[key], chosen[row] = row, key
				return true
			}
		}
		return false
	}
	for row := range rows {
		if !assign(row, map[string]bool{}) {
			return nil, false
		}
	}
	return chosen, true
}
