// Package syntax reads JSON with comments, YAML and TOML into one tree of values that knows the line of each.
//
// Files are taken for hostile: their size after aliases and their depth are bounded, and no error quotes more of a file
// than one character, since it may hold secrets.
package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is what a value is, whichever syntax it is written in.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Boolean
	Number
	Text
	List
	Object
)

var kindNames = [...]string{Null: "null", Boolean: "a boolean", Number: "a number", Text: "a string", List: "a list", Object: "an object"}

// String names the kind with its article.
func (k Kind) String() string { return kindNames[k] }

// Value is one value of a file and the line where it begins.
type Value struct {
	Kind   Kind
	Line   int     // 1-based
	Text   string  // of a scalar: as written; of a string: decoded
	Items  []Value // of a list
	Fields []Field // of an object, in file order, duplicates included
}

// Field is one member of an object.
type Field struct {
	Key   string
	Line  int // of the key, 1-based
	Value Value
}

// In is the field with the name that messages have for it: behind that of the object it is a member of.
func (f Field) In(parent string) Field {
	f.Key = parent + "." + f.Key
	return f
}

// String is a field that holds a string.
func String(key, text string, line int) Field {
	return Field{key, line, Value{Kind: Text, Line: line, Text: text}}
}

// Scalar tells whether v is a string, a number or a boolean.
func (v Value) Scalar() bool { return v.Kind == Text || v.Kind == Number || v.Kind == Boolean }

// Empty tells whether v holds nothing: null, "", [] or {}.
func (v Value) Empty() bool { return len(v.Items)+len(v.Fields)+len(v.Text) == 0 }

// Get is the first member called key.
func (v Value) Get(key string) (Field, bool) {
	for _, f := range v.Fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// TextOf is the text of the scalar that the first member called key holds.
func (v Value) TextOf(key string) string {
	f, _ := v.Get(key)
	return f.Value.Text
}

// At are the members at a path of keys; several when a key is repeated.
func (v Value) At(path ...string) []Field {
	var found []Field
	for _, f := range v.Fields {
		switch {
		case f.Key != path[0]:
		case len(path) == 1:
			found = append(found, f)
		default:
			found = append(found, f.Value.At(path[1:]...)...)
		}
	}
	return found
}

// Keys are the names of all members.
func (v Value) Keys() []string {
	names := make([]string, len(v.Fields))
	for i, f := range v.Fields {
		names[i] = f.Key
	}
	return names
}

// Repeated are the members whose key was there before, each with the line of the first.
func (v Value) Repeated() (again []Field, first []int) {
	lines := make(map[string]int, len(v.Fields))
	for _, f := range v.Fields {
		if line, seen := lines[f.Key]; seen {
			again, first = append(again, f), append(first, line)
			continue
		}
		lines[f.Key] = f.Line
	}
	return again, first
}

// Without leaves out members.
func (v Value) Without(keys ...string) Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f Field) bool { return slices.Contains(keys, f.Key) })
	return v
}

// With adds a member, unless there is one of that key.
func (v Value) With(f Field) Value {
	if _, there := v.Get(f.Key); !there {
		v.Fields = append(slices.Clip(v.Fields), f)
	}
	return v
}

// Error is a mistake in a file's syntax. Its message quotes nothing of the file beyond one character.
type Error struct {
	Line          int // 1-based
	Message, Hint string
}

// Parser reads the text of one file.
type Parser func([]byte) (Value, *Error)

// ParserFor is how a file is written: TOML and YAML by their extensions, JSON otherwise.
func ParserFor(path string) Parser {
	switch {
	case IsYAML(path):
		return YAML
	case strings.EqualFold(filepath.Ext(path), ".toml"):
		return TOML
	}
	return JSON
}

// IsYAML tells whether a file is written in YAML, by its extension.
func IsYAML(path string) bool {
	extension := strings.ToLower(filepath.Ext(path))
	return extension == ".yaml" || extension == ".yml"
}

// MaxFile bounds the size of a file, in bytes.
const MaxFile = 16 << 20

// Decode is the UTF-8 text of a file without its byte order mark.
func Decode(data []byte) ([]byte, error) {
	switch {
	case len(data) > MaxFile:
		return nil, fmt.Errorf("larger than %d MiB", MaxFile>>20)
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, errors.New("UTF-16 text; save it as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8 text; save it as UTF-8")
	}
	return data, nil
}
