// Package snapshot is what an MCP server offers, as one canonical JSON file.
//
// A snapshot holds the raw JSON that the server sent; typed access is a view of it. The file format is
// described in docs/reference.md: the same surface gives the same bytes on every machine.
//
//	s, err := snapshot.Parse(data)          // a file, or what a server answered
//	tool, answer := s.Tools.Find("search")  // Present, Absent, or Unknown when the list is not whole
//	file, err := s.Encode()                 // an *IncompleteError when a list is not whole
//
// A list knows whether it is whole: what did not arrive is unknown, never absent, and a part is never
// encoded.
//
// The file format is stable: version 1 stays readable, and what it has no name for is kept. The Go API
// follows semantic versioning with the module; fields may be added to its structs, so name the fields in
// composite literals.
package snapshot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Format is the version of the file format that Encode writes and the newest one that Parse reads.
const Format = 1

// Snapshot is the surface of one server at one moment. The zero value offers nothing and can be encoded.
type Snapshot struct {
	// negotiated protocol version, such as "2025-11-25"; empty when it is not known
	Protocol string
	// the versions that server/discover lists; nil when the server was not asked or has no such list
	Supported    []string
	Server       json.RawMessage // serverInfo as sent; nil when there was none
	Capabilities json.RawMessage // capabilities as sent; nil when there were none
	Instructions string          // text for the model; empty when there was none

	Tools, Prompts, Resources, Templates, Skills List

	Extra map[string]json.RawMessage // further members of a file of this format, kept as they are
}

// List returns the list of one kind; one that the server does not offer when the kind is unknown.
func (s *Snapshot) List(kind Kind) List {
	list := List{}
	if slot := kind.row().slot; slot != nil {
		list = *slot(s)
	}
	list.Kind = kind
	return list
}

// SetList replaces the list of its kind. One that is none of Kinds changes nothing.
func (s *Snapshot) SetList(list List) {
	if slot := list.Kind.row().slot; slot != nil {
		*slot(s) = list
	}
}

// Complete reports whether everything that the server offers is there.
func (s *Snapshot) Complete() bool { return len(s.Incomplete()) == 0 }

// Incomplete returns the lists that are not whole, in the order of Kinds.
func (s *Snapshot) Incomplete() []List {
	var lists []List
	for _, kind := range Kinds() {
		if list := s.List(kind); !list.Whole() {
			lists = append(lists, list)
		}
	}
	return lists
}

// IncompleteError is Encode's error for a snapshot that is not Complete: a part never becomes a file.
type IncompleteError struct{ Lists []List }

// Error names the lists and why they are not whole.
func (e *IncompleteError) Error() string {
	var parts []string
	for _, list := range e.Lists {
		parts = append(parts, fmt.Sprintf("the list of %s is %s: %s", list.Kind.Plural(), list.State,
			list.Problem))
	}
	return strings.Join(parts, "; ")
}

// Size returns how many bytes of JSON and text the snapshot is.
func (s *Snapshot) Size() int {
	size := len(s.Instructions) + len(s.Server) + len(s.Capabilities) + len(strings.Join(s.Supported, ""))
	for _, value := range s.Extra {
		size += len(value)
	}
	for _, kind := range Kinds() {
		for _, item := range s.List(kind).Items() {
			size += len(item.Raw)
		}
	}
	return size
}

// Hidden returns the characters that a model reads and a person does not see: control characters but tab and
// line ends, zero-width, bidirectional, filler, tags, idle variation selectors. What emoji and joining
// scripts need is not counted.
func Hidden(text string) []rune {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7F }) {
		return nil // most texts
	}
	var hidden []rune
	runes := []rune(text)
	flagTags := 0 // how many tags may follow: a black flag turns into that of a region by up to seven of them
	for i, r := range runes {
		flagTags--
		switch {
		case r == 0x1F3F4:
			flagTags = 8
		case 0xE0000 <= r && r <= 0xE007F && flagTags > 0: // a tag
		case r == 0x200C || r == 0x200D:
			if i == 0 || i == len(runes)-1 || !joinable(runes[i-1]) || !joinable(runes[i+1]) {
				hidden = append(hidden, r)
			}
		case 0xFE00 <= r && r <= 0xFE0F:
			if i == 0 || invisible(runes[i-1]) {
				hidden = append(hidden, r)
			}
		case invisible(r) && !scripted(runes, i):
			hidden = append(hidden, r)
		}
	}
	return hidden
}

// scripted reports whether an invisible character belongs to the script of the text: a zero-width space
// between letters of a script that marks its words with it, and a mark of direction in a text that is written
// from right to left. Several in a row do not.
func scripted(runes []rune, i int) bool {
	before, after := ' ', ' '
	if i > 0 {
		before = runes[i-1]
	}
	if i+1 < len(runes) {
		after = runes[i+1]
	}
	if invisible(before) || invisible(after) {
		return false
	}
	switch runes[i] {
	case 0x200B:
		inWords := func(r rune) bool {
			return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
		}
		return inWords(before) && inWords(after)
	case 0x200E, 0x200F, 0x061C:
		return slices.ContainsFunc(runes[max(0, i-maxReach):min(len(runes), i+maxReach)], func(r rune) bool {
			return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
		})
	}
	return false
}

// maxReach is how far the letters are to which a mark of direction belongs.
const maxReach = 40

// invisible reports whether a character is never visible: controls but tab and line ends, and what Unicode
// lets programs ignore.
func invisible(r rune) bool {
	if r == '\t' || r == '\n' || r == '\r' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// joinable reports whether a character may stand beside a zero-width joiner: symbols and emoji, from U+2190
// on, and scripts whose spelling needs joiners.
func joinable(r rune) bool {
	return r >= 0x2190 && r < 0xE0000 && !invisible(r) || r == 0xFE0F ||
		unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
			unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
			unicode.Khmer, unicode.Myanmar, unicode.Mongolian, unicode.Syriac)
}
