package snapshot

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
)

// Encode is the snapshot file: canonical JSON, indented by two spaces, with a final newline. The same surface gives the
// same bytes, whatever the order and the spelling in which it was sent. Each list is sorted by key, then by the canonical
// form of its items.
//
// The error names the item or field that holds no JSON.
func (s *Snapshot) Encode() ([]byte, error) {
	file := value{open: '{'}
	if err := s.addFields(&file); err != nil {
		return nil, err
	}
	for _, kind := range Kinds() {
		if err := addList(&file, kind, s.List(kind)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(file.members, func(a, b member) int { return compareKeys(a.key, b.key) })
	return append(file.append(nil, 0), '\n'), nil
}

// Digest is "sha256:" and the hash of the bytes that Encode gives; empty when the snapshot cannot be encoded.
func (s *Snapshot) Digest() string {
	file, err := s.Encode()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(file))
}

func (s *Snapshot) addFields(file *value) error {
	file.add("mcpctl", value{token: strconv.AppendInt(nil, Format, 10)})
	if s.Protocol != "" {
		file.add("protocolVersion", value{token: quote(s.Protocol)})
	}
	if s.Instructions != "" {
		file.add("instructions", value{token: quote(s.Instructions)})
	}
	if s.Supported != nil {
		file.add("supportedVersions", versions(s.Supported))
	}
	fields := append([]Member{{"serverInfo", s.Server}, {"capabilities", s.Capabilities}}, s.Extra...)
	for _, m := range fields {
		if m.Value == nil {
			continue
		}
		v, err := parseValue(m.Value)
		if err != nil {
			return fmt.Errorf("encoding %s: %w", m.Key, err)
		}
		file.add(m.Key, v)
	}
	return nil
}

// versions are protocol versions as a sorted array: their order says nothing.
func versions(supported []string) value {
	v := value{open: '['}
	for _, version := range slices.Sorted(slices.Values(supported)) {
		v.members = append(v.members, member{value: value{token: quote(version)}})
	}
	return v
}

func addList(file *value, kind Kind, list *List) error {
	if list == nil {
		return nil
	}
	items := make([]encoded, len(list.Items))
	for i, item := range list.Items {
		v, err := parseValue(item.Raw)
		if err != nil {
			return fmt.Errorf("encoding %s: %w", kind.ID(item.Key), err)
		}
		items[i] = encoded{item, v}
	}
	slices.SortFunc(items, encoded.compare)
	array := value{open: '['}
	for _, item := range items {
		array.members = append(array.members, member{value: item.value})
	}
	file.add(string(kind), array)
	return nil
}

// encoded is an item and its canonical value.
type encoded struct {
	Item
	value value
}

func (a encoded) compare(b encoded) int {
	if order := bytes.Compare([]byte(a.Key), []byte(b.Key)); order != 0 {
		return order
	}
	return bytes.Compare(a.value.append(nil, indentedLevels), b.value.append(nil, indentedLevels))
}

func (v *value) add(key string, m value) {
	v.members = append(v.members, member{quote(key), m})
}
