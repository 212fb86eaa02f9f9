package config

import "slices"

// kind is what a value of a configuration file is, whichever syntax it is written in.
type kind int

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

var kindNames = [...]string{null: "null", boolean: "a boolean", number: "a number", text: "a string", list: "a list", object: "an object"}

// String names the kind with its article.
func (k kind) String() string { return kindNames[k] }

// value is one value of a configuration file and the line where it begins.
type value struct {
	kind   kind
	line   int
	text   string  // of a scalar: as written; of a string: decoded
	items  []value // of a list
	fields []field // of an object, in file order, duplicates included
}

// field is one member of an object.
type field struct {
	key   string
	line  int // of the key
	value value
}

// get is the first member called key.
func (v value) get(key string) (field, bool) {
	i := slices.IndexFunc(v.fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return v.fields[i], true
}

// keys are the names of all members.
func (v value) keys() []string {
	names := make([]string, len(v.fields))
	for i, f := range v.fields {
		names[i] = f.key
	}
	return names
}

// repeated are the members whose key was there before, each with the line of the first.
func (v value) repeated() (again []field, first []int) {
	lines := make(map[string]int, len(v.fields))
	for _, f := range v.fields {
		if line, seen := lines[f.key]; seen {
			again, first = append(again, f), append(first, line)
			continue
		}
		lines[f.key] = f.line
	}
	return again, first
}
