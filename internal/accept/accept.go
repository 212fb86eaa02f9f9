// Package accept moves a saved snapshot forward by some of the changes that a comparison found, and by nothing else.
//
// One finding can stand for several edits, and one edit be behind several findings. So each accepted finding is tried out:
// values at its place, then around it, are taken over, and the comparison is asked again. The smallest step that ends the
// finding, and as few others as can be, is taken; Result says what went along. To take over whole items would accept what
// nobody read.
package accept

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
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

// Move takes over from new what the chosen findings of compare(old, new) tell, by fingerprint. A finding that no change of
// old can end is an error, and so is an unknown fingerprint.
func Move(old, new *snapshot.Snapshot, chosen []string, compare Compare) (Result, error) {
	m := mover{new: new, compare: compare}
	before := compare(old, new)
	known := lists.Set(lists.Map(before, func(f finding.Finding) string { return f.Fingerprint() }))
	for _, id := range chosen {
		if !known[id] {
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

type mover struct {
	new     *snapshot.Snapshot
	compare Compare
}

// step moves a snapshot forward by one finding, unless an earlier step did; most are judged with their item alone in view.
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

// cost is how far a step goes beyond its target: findings ended count most. ends is false while the target is there.
func cost(target finding.Finding, before, after []finding.Finding) (price int, ends bool) {
	const lost = 1000
	known := lists.Set(lists.Map(before, func(f finding.Finding) string { return f.Fingerprint() }))
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

// candidates are the snapshots that a finding may lead to, the smallest step first.
func (m mover) candidates(from *snapshot.Snapshot, target finding.Finding, found []finding.Finding) iter.Seq[*snapshot.Snapshot] {
	if target.Item == "" {
		return m.ofServer(from, target)
	}
	if kind, key, ok := itemOf(target); ok {
		return m.ofItem(from, target, kind, key, successor(kind, target.Item, found, m.new))
	}
	return func(func(*snapshot.Snapshot) bool) {}
}

func itemOf(f finding.Finding) (kind snapshot.Kind, key string, ok bool) {
	for _, kind := range snapshot.Kinds() {
		if key, ok := strings.CutPrefix(f.Item, kind.ID("")); ok {
			return kind, key, true
		}
	}
	return "", "", false
}

// near differs from a snapshot as the new one does in the finding's item alone; nil when it is about no item.
func (m mover) near(from *snapshot.Snapshot, f finding.Finding, found []finding.Finding) *snapshot.Snapshot {
	kind, key, ok := itemOf(f)
	if !ok {
		return nil
	}
	items := group(m.new, kind, key)
	if next := successor(kind, f.Item, found, m.new); next != "" {
		items = append(items, group(m.new, kind, next)...)
	}
	return m.with(from, kind, key, items)
}

// successor is the key under which an item that is gone is found now; empty when no finding says so.
func successor(kind snapshot.Kind, item string, found []finding.Finding, new *snapshot.Snapshot) string {
	for _, f := range found {
		if key, ok := rawjson.Text(f.New); f.Item == item && f.Path == "" && ok && len(group(new, kind, key)) == 1 {
			return key
		}
	}
	return ""
}

// ofItem steps inside an item, and at last takes over the item as a whole, with all others of its key.
func (m mover) ofItem(from *snapshot.Snapshot, target finding.Finding, kind snapshot.Kind, key, successor string) iter.Seq[*snapshot.Snapshot] {
	return func(yield func(*snapshot.Snapshot) bool) {
		old, new := group(from, kind, key), group(m.new, kind, key)
		if len(new) == 0 && successor != "" {
			new = group(m.new, kind, successor)
		}
		if len(old) == 1 && len(new) == 1 {
			for _, edit := range edits(target, kind) {
				raw, ok := edit(old[0], new[0])
				if ok && !yield(m.with(from, kind, key, []json.RawMessage{raw})) {
					return
				}
			}
		}
		yield(m.with(from, kind, key, new))
	}
}

// group are the items of one key.
func group(s *snapshot.Snapshot, kind snapshot.Kind, key string) []json.RawMessage {
	var raws []json.RawMessage
	for _, item := range s.List(kind).Items() {
		if item.Key == key {
			raws = append(raws, item.Raw)
		}
	}
	return raws
}

// with is a snapshot with other items in the place of those of a key.
func (m mover) with(from *snapshot.Snapshot, kind snapshot.Kind, key string, items []json.RawMessage) *snapshot.Snapshot {
	var raws []json.RawMessage
	for _, item := range from.List(kind).Items() {
		if item.Key != key {
			raws = append(raws, item.Raw)
		}
	}
	moved, list := *from, snapshot.NewList(kind, slices.Concat(raws, items))
	if m.new.List(kind).State == snapshot.NotOffered && len(list.Items()) == 0 {
		list = snapshot.List{Kind: kind}
	}
	moved.SetList(list)
	return &moved
}

// ofServer steps through what the server says of itself, never a whole list: what is not known is not gone.
func (m mover) ofServer(from *snapshot.Snapshot, target finding.Finding) iter.Seq[*snapshot.Snapshot] {
	return func(yield func(*snapshot.Snapshot) bool) {
		place := rawjson.Split(target.Path)
		if len(place) == 0 || slices.Contains(snapshot.Kinds(), snapshot.Kind(place[0])) {
			return
		}
		old, errOld := from.EncodeKnown()
		new, errNew := m.new.EncodeKnown()
		if errOld != nil || errNew != nil {
			return
		}
		for _, edit := range serverEdits(target, place) {
			raw, ok := edit(old, new)
			if !ok {
				continue
			}
			if moved, err := snapshot.Parse(raw); err == nil && !yield(moved) {
				return
			}
		}
	}
}

func serverEdits(target finding.Finding, place []string) []edit {
	var list []edit
	switch {
	case place[0] == "supportedVersions":
		value := target.New
		if value == nil {
			value = target.Old
		}
		list = append(list, at(place, element(value)))
	case place[0] == "capabilities" && len(place) == 2 && target.New == nil:
		gone := []edit{take(place)} // and with the capability its lists, of which nothing else is told
		for _, kind := range snapshot.Kinds() {
			if string(kind) == place[1] || kind == snapshot.Templates && place[1] == string(snapshot.Resources) {
				gone = append(gone, take([]string{string(kind)}))
			}
		}
		list = append(list, all(gone...))
	}
	return append(list, outwards(place, 1)...)
}
