package snapshot

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Line is the line of a snapshot file, from 1, on which a value begins. id names an item as Kind.ID does, and pointer
// (RFC 6901) a value inside it; with an empty id the pointer starts at the top of the file. Of a value that the file
// does not have, it is the line of the nearest value around it that is there.
func Line(file []byte, id, pointer string) int {
	value, at := file, 0
	if id != "" {
		value, at = itemIn(file, id)
	}
	if at < 0 {
		at, pointer = -at, ""
	}
	for _, token := range tokens(pointer) {
		start, end := child(value, token)
		if start < 0 {
			break
		}
		value, at = value[start:end], at+start
	}
	return 1 + bytes.Count(file[:at], []byte("\n"))
}

// tokens are the steps of a JSON pointer.
func tokens(pointer string) []string {
	var steps []string
	for step := range strings.SplitSeq(pointer, "/") {
		steps = append(steps, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return steps[1:]
}

// itemIn is an item of a file and where it begins. Of an item that is not there the value is nil, and the position is that
// of its list, or 0, as a negative number.
func itemIn(file []byte, id string) (value []byte, at int) {
	word, key, _ := strings.Cut(id, "/")
	i := slices.IndexFunc(Kinds(), func(k Kind) bool { return k.Word() == word })
	if i < 0 {
		return nil, 0
	}
	kind := Kinds()[i]
	start, end := child(file, string(kind))
	if start < 0 {
		return nil, 0
	}
	list := file[start:end]
	s := scanner{data: list}
	at = -start
	_ = s.array(func() error { // what is no list has no item
		raw, err := s.span()
		if found, _ := KeyOf(kind, raw); found == key && value == nil {
			value, at = raw, start+s.pos-len(raw)
		}
		return err
	})
	return value, at
}

// child is where the member or element that a step of a pointer names begins and ends; -1 when there is none. Of a member
// that is repeated it is the last one, as most readers of JSON take it.
func child(value []byte, step string) (start, end int) {
	start = -1
	s := scanner{data: value}
	take := func(is bool) error {
		raw, err := s.span()
		if is {
			start, end = s.pos-len(raw), s.pos
		}
		return err
	}
	i := -1
	if s.peek() == '[' {
		_ = s.array(func() error { i++; return take(strconv.Itoa(i) == step) }) // what is no JSON has no values
		return start, end
	}
	_ = s.object(func(key []byte) error {
		name, _ := text(key)
		return take(name == step)
	})
	return start, end
}
