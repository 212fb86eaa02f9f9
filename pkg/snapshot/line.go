package snapshot

import (
	"slices"
	"strconv"
	"strings"
)

// Lines finds lines in one snapshot file. It reads the file once, however many lines are asked for.
type Lines struct {
	file   []byte
	breaks []int          // where each line ends
	lists  map[Kind]int   // where each list begins
	items  map[string]int // where each item begins, by its id
}

// NewLines reads a snapshot file. Of what is no JSON it knows what stands before the fault.
func NewLines(file []byte) *Lines {
	l := &Lines{file: file, lists: map[Kind]int{}, items: map[string]int{}}
	for at, c := range file {
		if c == '\n' {
			l.breaks = append(l.breaks, at)
		}
	}
	for _, kind := range Kinds() {
		if start, end := child(file, string(kind)); start >= 0 {
			l.lists[kind] = start
			l.index(kind, file[start:end], start)
		}
	}
	return l
}

// index notes where the items of a list begin; of items with one name it is the first.
func (l *Lines) index(kind Kind, list []byte, at int) {
	s := scanner{data: list}
	_ = s.array(func() error { // what is no list has no item
		raw, err := s.span()
		key, _ := KeyOf(kind, raw)
		if _, known := l.items[kind.ID(key)]; !known {
			l.items[kind.ID(key)] = at + s.pos - len(raw)
		}
		return err
	})
}

// Of is the line, from 1, on which a value begins. id names an item as Kind.ID does, and pointer (RFC 6901) a value inside
// it; with an empty id the pointer starts at the top of the file. Of a value that the file does not have, it is the line
// of the nearest value around it that is there.
func (l *Lines) Of(id, pointer string) int {
	at, there := l.item(id)
	if there {
		at = l.inside(at, tokens(pointer))
	}
	line, _ := slices.BinarySearch(l.breaks, at)
	return 1 + line
}

// item is where an item begins, or else its list; the top of the file for an empty id and for what is no item.
func (l *Lines) item(id string) (at int, there bool) {
	if at, there = l.items[id]; there || id == "" {
		return at, true
	}
	word, _, _ := strings.Cut(id, "/")
	for _, kind := range Kinds() {
		if kind.Word() == word {
			return l.lists[kind], false
		}
	}
	return 0, false
}

// inside follows steps into the value that begins at a place, as far as they lead.
func (l *Lines) inside(at int, steps []string) int {
	for _, step := range steps {
		start, _ := child(l.file[at:], step)
		if start < 0 {
			break
		}
		at += start
	}
	return at
}

// tokens are the steps of a JSON pointer.
func tokens(pointer string) []string {
	var steps []string
	for step := range strings.SplitSeq(pointer, "/") {
		steps = append(steps, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return steps[1:]
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
