package finding

import "fmt"

// Level is how much a finding matters. Levels are ordered: a higher one matters more.
type Level int

// The levels. Off is a rule's way to be silent; a finding never has it.
const (
	Off      Level = iota
	Info           // additions and other safe changes
	Warning        // behaviour an agent sees may change, or compatibility cannot be decided
	Breaking       // a caller or reader that was right before can now be wrong
)

var levelNames = [...]string{Off: "off", Info: "info", Warning: "warning", Breaking: "breaking"}

// String is the level's word in files, flags and reports.
func (l Level) String() string {
	if l < Off || l > Breaking {
		return fmt.Sprintf("level(%d)", int(l))
	}
	return levelNames[l]
}

// ParseLevel reads the word that String writes.
func ParseLevel(word string) (Level, error) {
	for l, name := range levelNames {
		if name == word {
			return Level(l), nil
		}
	}
	return Off, fmt.Errorf("unknown level %q: breaking, warning, info and off exist", word)
}

// MarshalText writes the level's word.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the level's word.
func (l *Level) UnmarshalText(text []byte) error {
	parsed, err := ParseLevel(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}
