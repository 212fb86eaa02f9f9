package diff

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// A tree is a JSON value made of object, array, set and leaf.
type (
	object map[string]any
	array  map[int]any     // by index
	set    map[element]any // by canonical form: an array whose order and repetitions mean nothing
)

// element is the canonical form of an element of a set.
type element string

// leaf is a string, number, true, false or null.
type leaf struct {
	Text  string // as written
	Value string // the same for every spelling of a number
}

// Equal tells whether two leaves mean the same.
func (l leaf) Equal(other leaf) bool { return l.Value == other.Value }

// treeOf reads a JSON value; what is no JSON is a leaf of its own.
func treeOf(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return leaf{string(raw), string(raw)}
	}
	return grow("", value)
}

// grow makes a tree of a decoded value that stands under a key.
func grow(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		o := make(object, len(v))
		for name, member := range v {
			o[name] = grow(name, member)
		}
		return o
	case []any:
		if unordered(key) {
			return growSet(v)
		}
		a := make(array, len(v))
		for i, part := range v {
			a[i] = grow("", part)
		}
		return a
	case json.Number:
		return leaf{v.String(), exact(v.String())}
	}
	text, _ := json.Marshal(value) // a string, bool or nil
	return leaf{string(text), string(text)}
}

func growSet(elements []any) set {
	s := make(set, len(elements))
	for _, part := range elements {
		tree := grow("", part)
		s[element(meaning(tree))] = tree
	}
	return s
}

// unordered tells whether an array under this key is a set: its order says nothing.
func unordered(key string) bool {
	return slices.Contains([]string{"required", "enum", "type"}, key)
}

// exact is one spelling for all spellings of a number, without ever writing out a large exponent.
func exact(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	scale, ok := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	if !ok {
		scale = new(big.Int)
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	scale.Sub(scale, big.NewInt(int64(len(fraction))))
	trimmed := strings.TrimRight(digits, "0")
	scale.Add(scale, big.NewInt(int64(len(digits)-len(trimmed))))
	switch {
	case trimmed == "":
		return "0"
	case negative:
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + scale.String()
}

// encode writes a tree as JSON, numbers as they were written.
func encode(tree any) json.RawMessage {
	return write(nil, tree, func(l leaf) string { return l.Text })
}

// meaning is the same text for all trees that mean the same.
func meaning(tree any) string {
	return string(write(nil, tree, func(l leaf) string { return l.Value }))
}

func write(dst []byte, tree any, show func(leaf) string) []byte {
	switch t := tree.(type) {
	case leaf:
		return append(dst, show(t)...)
	case object:
		return writeParts(dst, '{', slices.Sorted(maps.Keys(t)), func(dst []byte, key string) []byte {
			name, _ := json.Marshal(key)
			return write(append(append(dst, name...), ':'), t[key], show)
		})
	case array:
		return writeParts(dst, '[', slices.Sorted(maps.Keys(t)), func(dst []byte, i int) []byte { return write(dst, t[i], show) })
	case set:
		return writeParts(dst, '[', slices.Sorted(maps.Keys(t)), func(dst []byte, e element) []byte { return write(dst, t[e], show) })
	}
	return append(dst, "null"...)
}

func writeParts[K any](dst []byte, open byte, keys []K, part func([]byte, K) []byte) []byte {
	dst = append(dst, open)
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = part(dst, key)
	}
	return append(dst, open+2) // '{' + 2 = '}' and '[' + 2 = ']'
}

// itemTree is an item without what the specification says anyway.
func itemTree(kind snapshot.Kind, raw json.RawMessage) any {
	tree, ok := treeOf(raw).(object)
	if !ok {
		return treeOf(raw)
	}
	switch kind {
	case snapshot.Tools:
		dropDefaults(tree, "annotations", map[string]string{
			"readOnlyHint": "false", "destructiveHint": "true", "idempotentHint": "false", "openWorldHint": "true",
		})
		dropDefaults(tree, "execution", map[string]string{"taskSupport": `"forbidden"`})
	case snapshot.Prompts:
		if arguments, ok := tree["arguments"].(array); ok {
			tree["arguments"] = argumentsTree(arguments)
		}
		dropDefaults(tree, "arguments", nil)
	}
	return tree
}

// dropDefaults takes out of the object under key the members that have their default value, and the object if it is empty then.
func dropDefaults(tree object, key string, defaults map[string]string) {
	inner, ok := tree[key].(object)
	if !ok {
		return
	}
	for name, value := range defaults {
		if l, ok := inner[name].(leaf); ok && l.Value == value {
			delete(inner, name)
		}
	}
	if len(inner) == 0 {
		delete(tree, key)
	}
}

// argumentsTree is a prompt's arguments by name.
func argumentsTree(list array) object {
	named := make(object, len(list))
	for i, argument := range list {
		key := strconv.Itoa(i)
		if o, ok := argument.(object); ok {
			if name, ok := o["name"].(leaf); ok {
				json.Unmarshal([]byte(name.Text), &key)
			}
			if required, ok := o["required"].(leaf); ok && required.Value == "false" {
				delete(o, "required")
			}
		}
		named[key] = argument
	}
	return named
}

// serverTree is what a server says of itself, without what the specification says anyway.
func serverTree(s *snapshot.Snapshot) any {
	tree := object{}
	for name, text := range map[string]string{"protocolVersion": s.Protocol, "instructions": s.Instructions} {
		if text != "" {
			quoted, _ := json.Marshal(text)
			tree[name] = leaf{string(quoted), string(quoted)}
		}
	}
	if s.Server != nil {
		tree["serverInfo"] = treeOf(s.Server)
	}
	if s.Capabilities == nil {
		return tree
	}
	tree["capabilities"] = treeOf(s.Capabilities)
	if capabilities, ok := tree["capabilities"].(object); ok {
		for _, capability := range capabilities {
			if options, ok := capability.(object); ok {
				if l, ok := options["listChanged"].(leaf); ok && l.Value == "false" {
					delete(options, "listChanged")
				}
			}
		}
	}
	return tree
}
