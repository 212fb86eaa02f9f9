package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Encode returns the snapshot file: canonical JSON, indented by two spaces, with a final newline. The same
// surface gives the same bytes in any order and spelling in which it was sent. Each list is sorted by key,
// then by the canonical form of its items.
//
// The error is an *IncompleteError for a snapshot that is not Complete, and otherwise names the item or field
// that holds no JSON.
func (s *Snapshot) Encode() ([]byte, error) {
	if lists := s.Incomplete(); len(lists) > 0 {
		return nil, &IncompleteError{lists}
	}
	return s.EncodeKnown()
}

// EncodeKnown returns the file like Encode, to be shown and never saved: of lists that are not whole it has
// what arrived, and its member "incomplete" holds what is wrong with each of them. Parse reads that, too.
func (s *Snapshot) EncodeKnown() ([]byte, error) {
	fields, err := s.fields()
	if err != nil {
		return nil, err
	}
	file := []byte{'{'}
	for i, key := range kit.SortedKeys(fields) {
		if i > 0 {
			file = append(file, ',')
		}
		file = append(append(append(append(file, "\n  "...), rawjson.Quote(key)...), ": "...), fields[key]...)
	}
	return append(file, "\n}\n"...), nil
}

// Digest returns "sha256:" and the hash of the bytes that Encode gives; empty when the snapshot cannot be
// encoded.
func (s *Snapshot) Digest() string {
	file, err := s.Encode()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(file))
}

// fields returns the members of the file, each as it stands in it.
func (s *Snapshot) fields() (map[string][]byte, error) {
	fields := map[string][]byte{}
	raw := map[string]json.RawMessage{"serverInfo": s.Server, "capabilities": s.Capabilities}
	maps.Copy(raw, s.Extra)
	raw["mcpctl"], raw[incomplete] = strconv.AppendInt(nil, Format, 10), s.problems()
	if s.Protocol != "" {
		raw["protocolVersion"] = rawjson.Quote(s.Protocol)
	}
	if s.Instructions != "" {
		raw["instructions"] = rawjson.Quote(s.Instructions)
	}
	if s.Supported != nil { // their order says nothing
		versions := slices.Sorted(slices.Values(s.Supported))
		raw["supportedVersions"] = rawjson.List(kit.Map(versions, rawjson.Quote))
	}
	for key, value := range raw {
		if value == nil {
			continue
		}
		indented, err := rawjson.AppendIndented(nil, value, 1)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", key, err)
		}
		fields[key] = indented
	}
	for _, kind := range Kinds() {
		list := s.List(kind)
		if list.State == NotOffered || list.State == Unread {
			continue
		}
		var err error
		if fields[string(kind)], err = encodeList(list); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// incomplete is the member that names the lists which are not whole, each with its problem.
const incomplete = "incomplete"

// problems returns the problem of each list that is not whole, by kind; nil if all are whole.
func (s *Snapshot) problems() json.RawMessage {
	var problems []rawjson.Member
	for _, list := range s.Incomplete() {
		problems = append(problems, rawjson.Member{Key: string(list.Kind),
			Value: rawjson.Quote(list.Problem)})
	}
	if problems == nil {
		return nil
	}
	return rawjson.Build(problems...)
}

// encodeList returns a list as it stands in the file: sorted by key, then by the canonical form of the items.
func encodeList(list List) ([]byte, error) {
	type element struct {
		Item
		form json.RawMessage // canonical, where another item has the same key
	}
	items := kit.Map(list.items, func(item Item) *element { return &element{Item: item} })
	form := func(e *element) []byte {
		if e.form == nil {
			e.form = rawjson.Form(e.Raw)
		}
		return e.form
	}
	slices.SortStableFunc(items, func(a, b *element) int {
		if a.Key != b.Key {
			return strings.Compare(a.Key, b.Key)
		}
		return bytes.Compare(form(a), form(b))
	})
	forms := make([][]byte, len(items))
	for i, item := range items {
		form, err := rawjson.AppendIndented(make([]byte, 0, len(item.Raw)), item.Raw, 2)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", list.Kind.ID(item.Key), err)
		}
		forms[i] = form
	}
	if len(forms) == 0 {
		return []byte("[]"), nil
	}
	return slices.Concat([]byte("[\n    "), bytes.Join(forms, []byte(",\n    ")), []byte("\n  ]")), nil
}

// Lines finds lines in one snapshot file. It reads each value once, however many lines are asked for.
type Lines struct {
	file     []byte
	whole    rawjson.Member            // the file
	items    map[string]rawjson.Member // by id; At is the place in the file
	children map[int][]rawjson.Member  // of the values that were looked into, by place in the file
}

// NewLines reads a snapshot file, or the part of a report about the named server, or the only one; before a
// fault at least.
func NewLines(file []byte, server string) *Lines {
	file = bytes.TrimPrefix(file, byteOrderMark)
	l := &Lines{file: file, whole: rawjson.Member{Value: file}, items: map[string]rawjson.Member{},
		children: map[int][]rawjson.Member{}}
	if bytes.Contains(file, []byte(`"servers"`)) { // as reports spell it
		l.whole = reported(l.whole, server)
	}
	for _, list := range children(l.whole) {
		kind := Kind(list.Key)
		if !slices.Contains(Kinds(), kind) {
			continue
		}
		for _, item := range children(list) {
			id := kind.ID(keyOf(kind, item.Value))
			if _, known := l.items[id]; !known { // of items with one name it is the first
				l.items[id] = item
			}
		}
	}
	return l
}

// children returns the inner values of a value, with their places in the file.
func children(m rawjson.Member) []rawjson.Member {
	inner := rawjson.Children(m.Value)
	for i := range inner {
		inner[i].At += m.At
	}
	return inner
}

// reported returns what a report holds of a server; a file that is not a report, or does not hold the server,
// as a whole.
func reported(file rawjson.Member, server string) rawjson.Member {
	for _, m := range children(file) {
		if m.Key != "servers" {
			continue
		}
		entries := children(m)
		for _, entry := range entries {
			name, _ := rawjson.Text(rawjson.Find(entry.Value, "/name"))
			if name == server || len(entries) == 1 {
				return entry
			}
		}
	}
	return file
}

// Of returns the line, from 1, on which a value begins: id names an item as Kind.ID does, pointer (RFC 6901)
// a value inside it, or from the top with an empty id. What is not there has the line of the nearest value
// around.
func (l *Lines) Of(id, pointer string) int {
	within, known := l.whole, id == ""
	if !known {
		within, known = l.items[id]
	}
	if !known { // the list that it would be in
		within = l.whole
		word, _, _ := strings.Cut(id, "/")
		pointer = ""
		for _, kind := range Kinds() {
			if kind.Word() == word {
				pointer = rawjson.Join("", string(kind))
			}
		}
	}
	return 1 + bytes.Count(l.file[:l.find(within, pointer).At], []byte("\n"))
}

// find returns the value that a pointer leads to inside another one, or the nearest value around it that is
// there.
func (l *Lines) find(m rawjson.Member, pointer string) rawjson.Member {
	for _, step := range rawjson.Split(pointer) {
		inner, known := l.children[m.At]
		if !known {
			inner = children(m)
			l.children[m.At] = inner
		}
		found := false
		for _, child := range inner { // of repeated members the last one counts
			if child.Key == step {
				m, found = child, true
			}
		}
		if !found {
			break
		}
	}
	return m
}
