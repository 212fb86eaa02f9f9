package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// comparer returns the findings of two snapshots, the same for the same two each time.
type comparer func(old, new *snapshot.Snapshot) []finding.Finding

// moved is a saved snapshot with accepted changes.
type moved struct {
	snapshot *snapshot.Snapshot
	data     []byte            // the new file; nil = it stays
	taken    []finding.Finding // the chosen findings, and others of their items
	left     []finding.Finding // findings that remain
	saved    *seen.Saved
}

// moveItems accepts changes by item: it returns old with the items of the chosen findings as they are in new.
// A finding about the server itself takes the member of the snapshot that it is about, such as serverInfo.
// found are the findings of compare(old, new). A finding about the comparison itself cannot be chosen.
func moveItems(
	old, new *snapshot.Snapshot, found []finding.Finding, chosen func(finding.Finding) bool, compare comparer,
) (moved, error) {
	now := old
	for _, f := range kit.Filter(found, chosen) {
		next, err := take(now, new, f, found)
		if err != nil {
			return moved{}, fmt.Errorf("accepting %s (%s): %w", f.Fingerprint(), f.Rule, err)
		}
		now = next
	}
	after := compare(now, new)
	left := kit.Set(kit.Map(after, finding.Finding.Fingerprint))
	var taken []finding.Finding
	for _, f := range found {
		switch remains := left[f.Fingerprint()]; {
		case remains && chosen(f):
			return moved{}, fmt.Errorf("accepting %s (%s): %w", f.Fingerprint(), f.Rule, errComparison)
		case !remains:
			taken = append(taken, f)
		}
	}
	return moved{snapshot: now, taken: taken, left: after}, nil
}

// errComparison is why a finding cannot be accepted that is still there after what it names was taken.
var errComparison = errors.New("the finding is about the comparison, not about what is saved")

// take returns a snapshot with what a finding is about as new has it.
func take(from, new *snapshot.Snapshot, f finding.Finding, found []finding.Finding) (*snapshot.Snapshot,
	error) {
	for _, kind := range snapshot.Kinds() {
		key, ok := strings.CutPrefix(f.Item, kind.ID(""))
		if !ok {
			continue
		}
		taken := takeItem(from, new, kind, key)
		if next := successor(new, kind, f.Item, found); next != "" {
			taken = takeItem(taken, new, kind, next)
		}
		return taken, nil
	}
	if f.Rule == diff.IncompleteRule {
		return takeSkipped(from, new, f), nil
	}
	place := rawjson.Split(f.Path)
	if f.Item != "" || len(place) == 0 || slices.Contains(snapshot.Kinds(), snapshot.Kind(place[0])) {
		return nil, errComparison // never a whole list: what is not known is not gone
	}
	return takeMember(from, new, place[0]), nil
}

// takeSkipped returns a snapshot with the tools as new has them that a finding names as not analyzed.
func takeSkipped(from, new *snapshot.Snapshot, f finding.Finding) *snapshot.Snapshot {
	for _, name := range diff.Skipped(f) {
		from = takeItem(from, new, snapshot.Tools, name)
	}
	return from
}

// successor returns the key of the item that a removed one was renamed to; empty when no finding says so.
func successor(new *snapshot.Snapshot, kind snapshot.Kind, item string, found []finding.Finding) string {
	for _, f := range found {
		if key, ok := rawjson.Text(f.New); f.Item == item && f.Path == "" && ok &&
			len(new.List(kind).ByKey()[key]) == 1 {
			return key
		}
	}
	return ""
}

// takeItem returns a snapshot with the items of one key as new has them.
func takeItem(from, new *snapshot.Snapshot, kind snapshot.Kind, key string) *snapshot.Snapshot {
	var raws []json.RawMessage
	for _, item := range from.List(kind).Items() {
		if item.Key != key {
			raws = append(raws, item.Raw)
		}
	}
	taken, list := *from, snapshot.NewList(kind, append(raws, new.List(kind).ByKey()[key]...))
	if new.List(kind).State == snapshot.NotOffered && len(list.Items()) == 0 {
		list = snapshot.List{Kind: kind}
	}
	taken.SetList(list)
	return &taken
}

// takeMember returns a snapshot with a member of its file as new has it. With a capability go its lists,
// whose items no other finding names.
func takeMember(from, new *snapshot.Snapshot, name string) *snapshot.Snapshot {
	taken := *from
	switch name {
	case "protocolVersion":
		taken.Protocol = new.Protocol
	case "supportedVersions":
		taken.Supported = new.Supported
	case "serverInfo":
		taken.Server = new.Server
	case "instructions":
		taken.Instructions = new.Instructions
	case "capabilities":
		taken.Capabilities = new.Capabilities
		for _, kind := range snapshot.Kinds() {
			if rawjson.ObjectOf(new.Capabilities)[kind.Capability()] == nil &&
				new.List(kind).State == snapshot.NotOffered {
				taken.SetList(snapshot.List{Kind: kind})
			}
		}
	default:
		taken.Extra = map[string]json.RawMessage{}
		maps.Copy(taken.Extra, from.Extra)
		if taken.Extra[name] = new.Extra[name]; new.Extra[name] == nil {
			delete(taken.Extra, name)
		}
	}
	return &taken
}
