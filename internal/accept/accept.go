// Package accept moves a saved snapshot forward by some of the changes that a comparison found, and by nothing else.
//
// A finding names a place, not an edit: one finding can stand for several edits of the JSON (a required property is a
// member of properties and a name in required), and one edit can be behind several findings (a definition that two
// properties share). So each accepted finding is tried out: the values at its place, then those at the places around it,
// are taken over from the new snapshot, and the comparison is asked again. The smallest step after which the finding is
// gone, and as few others with it as can be, is the one that is taken. Result says what went along.
//
// To take over an item as a whole would need no search, and would accept with a new description the argument that was
// removed beside it: whoever accepts a finding has read that finding alone.
package accept

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Compare is a comparison of two snapshots. It must answer the same to the same two each time.
type Compare func(old, new *snapshot.Snapshot) []finding.Finding

// Result is a snapshot that was moved forward.
type Result struct {
	Snapshot *snapshot.Snapshot
	Taken    []finding.Finding // what was found before and is not any more: the chosen findings, and what cannot be told apart from them
	Left     []finding.Finding // what is found still, or in other words
}

// Move takes over from new what the chosen findings of compare(old, new) tell, given by their fingerprints. Neither
// snapshot is changed. A chosen finding that no change of old can end, such as one about a list that could not be read,
// is an error, and so is a fingerprint that is not there.
func Move(old, new *snapshot.Snapshot, chosen []string, compare Compare) (Result, error) {
	m := mover{new: new, compare: compare}
	before := compare(old, new)
	for _, id := range chosen {
		if !slices.ContainsFunc(before, func(f finding.Finding) bool { return f.Fingerprint() == id }) {
			return Result{}, fmt.Errorf("accepting %s: nothing that was found has this fingerprint", id)
		}
	}
	moved := old
	for _, f := range before {
		if !slices.Contains(chosen, f.Fingerprint()) {
			continue
		}
		next, ok := m.step(moved, f, before)
		if !ok {
			return Result{}, fmt.Errorf("accepting %s (%s): it is about the comparison, not about what is saved", f.Fingerprint(), f.Rule)
		}
		moved = next
	}
	after := compare(moved, new)
	return Result{Snapshot: moved, Taken: ended(before, after), Left: after}, nil
}

// mover knows where to move to.
type mover struct {
	new     *snapshot.Snapshot
	compare Compare
}

// step moves a snapshot forward by one finding. What an earlier step took along needs none. Most findings can be judged
// with nothing but their item in view; only those that cannot need the whole of both sides.
func (m mover) step(from *snapshot.Snapshot, wanted finding.Finding, before []finding.Finding) (*snapshot.Snapshot, bool) {
	if near := m.near(from, wanted, before); near != nil {
		m := mover{near, m.compare}
		if found := m.compare(from, near); contains(found, wanted) {
			return m.cheapest(from, wanted, found)
		}
	}
	found := m.compare(from, m.new)
	target, ok := recognise(wanted, found)
	if !ok {
		return from, true
	}
	return m.cheapest(from, target, found)
}

// cheapest is the candidate that ends the target at the least cost; false when none ends it.
func (m mover) cheapest(from *snapshot.Snapshot, target finding.Finding, found []finding.Finding) (best *snapshot.Snapshot, ok bool) {
	least := 0
	for candidate := range m.candidates(from, target, found) {
		price, ends := cost(target, found, m.compare(candidate, m.new))
		if ends && (best == nil || price < least) {
			best, least = candidate, price
		}
		if best != nil && least == 0 {
			break
		}
	}
	return best, best != nil
}

func contains(found []finding.Finding, f finding.Finding) bool {
	return slices.ContainsFunc(found, func(g finding.Finding) bool { return g.Fingerprint() == f.Fingerprint() })
}

// recognise finds a finding among those of a later comparison, which may tell it in other words.
func recognise(f finding.Finding, found []finding.Finding) (finding.Finding, bool) {
	for _, same := range []func(finding.Finding) bool{
		func(g finding.Finding) bool { return g.Fingerprint() == f.Fingerprint() },
		func(g finding.Finding) bool { return g.Rule == f.Rule && samePlace(f, g) },
		func(g finding.Finding) bool { return samePlace(f, g) },
	} {
		if i := slices.IndexFunc(found, same); i >= 0 {
			return found[i], true
		}
	}
	return finding.Finding{}, false
}

func samePlace(f, g finding.Finding) bool { return f.Item == g.Item && f.Pointer() == g.Pointer() }

// cost is how far a step goes beyond its target: findings that it ends count most, findings that it makes less. ends is
// false when the target is there still.
func cost(target finding.Finding, before, after []finding.Finding) (price int, ends bool) {
	const lost = 1000
	known := map[string]bool{}
	for _, f := range before {
		known[f.Fingerprint()] = true
	}
	for _, f := range after {
		if f.Fingerprint() == target.Fingerprint() {
			return 0, false
		}
		if !known[f.Fingerprint()] {
			price++
		}
	}
	for _, f := range ended(before, after) {
		if f.Fingerprint() != target.Fingerprint() {
			price += lost
		}
	}
	return price, true
}

// ended are the findings of before at whose places after has none.
func ended(before, after []finding.Finding) []finding.Finding {
	type place struct{ item, pointer string }
	places, prints := map[place]bool{}, map[string]bool{}
	for _, f := range after {
		places[place{f.Item, f.Pointer()}], prints[f.Fingerprint()] = true, true
	}
	ended := []finding.Finding{}
	for _, f := range before {
		if !prints[f.Fingerprint()] && !places[place{f.Item, f.Pointer()}] {
			ended = append(ended, f)
		}
	}
	return ended
}
