package diff

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A tree is a JSON value made of object, array and leaf.
type (
	object map[string]any
	array  map[int]any // by index
)

// leaf is a string, number, true, false or null.
type leaf struct {
	Text  string // as written
	Value string // the same for every spelling of a number
}

// Equal tells whether two leaves mean the same.
func (l leaf) Equal(other leaf) bool { return l.Value == other.Value }

// treeOf reads a JSON value. Of members with the same key the last one holds. What is no JSON is a leaf of its own.
func treeOf(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return leaf{string(raw), string(raw)}
	}
	return grow(value)
}

func grow(value any) any {
	switch v := value.(type) {
	case map[string]any:
		o := make(object, len(v))
		for name, member := range v {
			o[name] = grow(member)
		}
		return o
	case []any:
		a := make(array, len(v))
		for i, element := range v {
			a[i] = grow(element)
		}
		return a
	case json.Number:
		return leaf{v.String(), exact(v.String())}
	}
	text, _ := json.Marshal(value) // a string, a bool and nil always encode
	return leaf{string(text), string(text)}
}

// same tells whether two JSON values mean the same, whatever the order of keys and the spelling of numbers.
func same(old, new json.RawMessage) bool {
	if old == nil || new == nil {
		return old == nil && new == nil
	}
	return bytes.Equal(old, new) || len(walk(treeOf(old), treeOf(new))) == 0
}

// alike tells whether two JSON values are the same but for white space and the order of keys. It is faster than same.
func alike(old, new json.RawMessage) bool {
	if bytes.Equal(old, new) {
		return true
	}
	before, errOld := rawjson.Canonical(old)
	after, errNew := rawjson.Canonical(new)
	return errOld == nil && errNew == nil && bytes.Equal(before, after)
}

// exact is one spelling for all spellings of a number. It never writes out a large exponent.
func exact(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(significant, "0")
	if trimmed == "" {
		return "0"
	}
	scale, ok := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	if !ok {
		scale = new(big.Int)
	}
	scale.Add(scale, big.NewInt(int64(len(significant)-len(trimmed)-len(fraction))))
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + scale.String()
}

// encode writes a tree as JSON, numbers as they were written.
func encode(dst []byte, tree any) []byte {
	switch t := tree.(type) {
	case leaf:
		return append(dst, t.Text...)
	case object:
		return encodeParts(dst, '{', slices.Sorted(maps.Keys(t)), func(dst []byte, key string) []byte {
			return encode(append(append(dst, quoted(key)...), ':'), t[key])
		})
	case array:
		return encodeParts(dst, '[', slices.Sorted(maps.Keys(t)), func(dst []byte, i int) []byte { return encode(dst, t[i]) })
	}
	return append(dst, "null"...)
}

func encodeParts[K any](dst []byte, open byte, keys []K, part func([]byte, K) []byte) []byte {
	dst = append(dst, open)
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = part(dst, key)
	}
	return append(dst, open+2) // '{' + 2 = '}' and '[' + 2 = ']'
}

// quoted is a text as a JSON string.
func quoted(text string) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always encodes
	return bytes.TrimSpace(b.Bytes())
}
