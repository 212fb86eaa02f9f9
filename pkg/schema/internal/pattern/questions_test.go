package pattern

import "unicode/utf8"

// Includes reports whether every string that matches narrow matches wide. With the answer [No] comes a
// shortest string that matches narrow and not wide, made of readable characters where the choice is free.
func Includes(wide, narrow *Pattern) (Answer, string) {
	s, found := Region{All: []*Pattern{narrow}, None: []*Pattern{wide}}.Find()
	switch found {
	case Yes:
		return No, s
	case No:
		return Yes, ""
	}
	return Unknown, ""
}

// String returns unknown, yes or no.
func (a Answer) String() string { return [...]string{"unknown", "yes", "no"}[a] }

// Contains reports whether s lies in the region.
func (r Region) Contains(s string) bool {
	for _, p := range r.All {
		if found, _ := p.Match(s); !found {
			return false
		}
	}
	for _, p := range r.None {
		if found, _ := p.Match(s); found {
			return false
		}
	}
	n := utf8.RuneCountInString(s)
	return n >= r.MinLen && (!r.Bounded || n <= r.MaxLen)
}
