package accept

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

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

// itemOf is the item that a finding is about.
func itemOf(f finding.Finding) (kind snapshot.Kind, key string, ok bool) {
	for _, kind := range snapshot.Kinds() {
		if key, ok := strings.CutPrefix(f.Item, kind.ID("")); ok {
			return kind, key, true
		}
	}
	return "", "", false
}

// near is a snapshot that differs from another one as the new one does in the item of a finding, and in nothing else; nil
// when the finding is about no item.
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

// ofServer steps through what the server says of itself. Lists are never taken over as a whole: what is not known of
// them must not be taken for gone.
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
