package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
)

// set takes a member of a file or result into the snapshot, and tells whether it is one of those that a snapshot knows.
// A null is the same as an absent member.
func (s *Snapshot) set(m Member) (known bool, err error) {
	null := string(m.Value) == "null"
	switch m.Key {
	case "tools", "prompts", "resources", "resourceTemplates":
		if !null {
			err = s.setItems(Kind(m.Key), m.Value)
		}
	case "protocolVersion":
		err = setText(&s.Protocol, m.Value)
	case "instructions":
		err = setText(&s.Instructions, m.Value)
	case "serverInfo":
		s.Server = unlessNull(m.Value)
	case "capabilities":
		s.Capabilities = unlessNull(m.Value)
	case "supportedVersions":
		if !null {
			s.Supported, err = texts(m.Value)
		}
	default:
		return false, nil
	}
	return true, within(err, []byte(m.Key))
}

func (s *Snapshot) setItems(kind Kind, raw json.RawMessage) error {
	items, err := Elements(raw)
	if err != nil {
		return err
	}
	s.SetList(kind, NewList(kind, items))
	return nil
}

func setText(target *string, raw json.RawMessage) error {
	if string(raw) == "null" {
		return nil
	}
	t, ok := text(raw)
	if !ok {
		return errors.New("not a text")
	}
	*target = t
	return nil
}

func unlessNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// texts is an array of texts.
func texts(raw json.RawMessage) ([]string, error) {
	elements, err := Elements(raw)
	if err != nil {
		return nil, err
	}
	list := make([]string, len(elements))
	for i, element := range elements {
		t, ok := text(element)
		if !ok {
			return nil, within(errors.New("not a text"), fmt.Append(nil, i))
		}
		list[i] = t
	}
	return list, nil
}

// unique refuses an object in which a key that a snapshot knows stands twice: no reader could know which one holds.
func unique(members []Member) error {
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.Key] {
			return within(errors.New("the key stands there twice"), []byte(m.Key))
		}
		seen[m.Key] = true
	}
	return nil
}

func has(members []Member, key string) bool { return lookUp(members, key) != nil }
