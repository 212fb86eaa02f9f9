// Package finding is the vocabulary of verdicts: the levels, the rules that exist, what one rule found in one
// place, and what a project decided about that.
//
// It knows nothing about servers, schemas or formats. The packages diff and check make findings; a Policy
// judges them:
//
//	judged := policy.Apply(findings, scope, time.Now())
//	failed := policy.Fails(judged)
//
// Stability: rule ids, fingerprints and the words of levels and thresholds stay for good, since waivers and
// reports of users name them. The Go API follows semantic versioning; before 1.0.0 a minor version may change
// it.
package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Finding is one thing a rule has to say about one place of one server's surface.
type Finding struct {
	Rule    string  `json:"rule"`              // id of the rule, kebab-case and permanent
	Level   Level   `json:"level"`             // how much it matters
	Verdict Verdict `json:"verdict,omitempty"` // what the level rests on
	Server  string  `json:"server,omitempty"`  // configured name of the server
	// "tool/NAME", "prompt/NAME", "resource/URI", "template/URI", "waiver/RULE"; empty for the server itself
	Item string `json:"item,omitempty"`
	// JSON pointer (RFC 6901) inside the item, or inside the snapshot when Item is empty
	Path string `json:"path,omitempty"`
	// the member of the value at Path that differs, such as a keyword; empty for the value itself
	Member string `json:"member,omitempty"`
	// one sentence for a person; never part of the fingerprint, nor is Cause
	Message string `json:"message"`
	// what findings of one cause have in common, where the message says more; Groups joins them
	Cause string `json:"cause,omitempty"`
	Hint  string `json:"hint,omitempty"` // what to do next

	Old     json.RawMessage `json:"old,omitempty"`     // the value before; absent when there was none
	New     json.RawMessage `json:"new,omitempty"`     // the value now; absent when there is none
	Witness json.RawMessage `json:"witness,omitempty"` // an instance that was right before and is wrong now
	// the part of the text New that the finding is about; empty = all of it
	Passage string `json:"passage,omitempty"`
	// such as "read_file(path)", if it is about several; Cause says what is there
	Places []string `json:"places,omitempty"`
	// what else makes the witness wrong, in words, where none shows the finding alone
	AlsoBy []string `json:"alsoBy,omitempty"`

	// what excuses it; nil = nothing does. Policy.Apply sets it
	Waiver *Waiver `json:"waiver,omitempty"`
	// where the old value, or the waiver, stands in a file; nil = in none that is known
	Location *Location `json:"location,omitempty"`
}

// Location is a line of a file.
type Location struct {
	File string `json:"file"` // as shown to people
	Line int    `json:"line"` // from 1
}

// String is the place as compilers write it, such as "mcpctl.yaml:12".
func (l Location) String() string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// LocationOf reads "FILE:LINE" or the name of a JSON or YAML file. What is neither, such as a URL or git:REF,
// gives no file.
func LocationOf(s string) Location {
	if strings.HasPrefix(s, "git:") || strings.Contains(s, "://") {
		return Location{}
	}
	if i := strings.LastIndexByte(s, ':'); i > 0 {
		if line, err := strconv.Atoi(s[i+1:]); err == nil && line > 0 {
			return Location{File: s[:i], Line: line}
		}
	}
	switch filepath.Ext(s) {
	case ".json", ".yaml", ".yml":
		return Location{File: s, Line: 1}
	}
	return Location{}
}

// Pointer is the deepest place that the finding speaks of: Path and Member as one JSON pointer.
func (f Finding) Pointer() string {
	if f.Member == "" {
		return f.Path
	}
	return rawjson.Join(f.Path, f.Member)
}

// Acceptable tells whether accept can move a saved snapshot forward by what the finding tells: it is about a
// change, and not about a waiver or about what could not be compared.
func (f Finding) Acceptable() bool {
	return !strings.HasPrefix(f.Item, "waiver/") && (f.Old != nil || f.New != nil)
}

// Verdict tells what the level of a finding rests on.
type Verdict string

// The verdicts of a finding.
const (
	Proved   Verdict = "proved"   // a witness shows it
	ByRule   Verdict = "rule"     // the rule's definition decides it
	Unproven Verdict = "unproven" // neither proved safe nor refuted within the budget
)

// Rule is one row of a catalogue.
type Rule struct {
	ID        string    `json:"id"`                  // kebab-case, permanent
	Level     Level     `json:"level"`               // the default level
	Direction Direction `json:"direction,omitempty"` // empty for what is no schema
	Security  bool      `json:"security,omitempty"`  // it is about what can turn an agent against its user
	Title     string    `json:"title"`               // one line
	Doc       string    `json:"doc"`                 // what it detects and why that matters
	Example   string    `json:"example"`             // old → new
	Instead   string    `json:"instead"`             // what the author of a server can do instead
}

// Direction tells which side of a call a schema rule protects.
type Direction string

// The directions of a schema rule.
const (
	Input  Direction = "input"  // what a caller may send: what was accepted must stay accepted
	Output Direction = "output" // what a reader gets: what is returned must stay within what was promised
)

// Sort puts findings in the one order in which they are reported: server, item, path, rule, then fingerprint.
func Sort(findings []Finding) {
	all := slices.Clone(findings)
	order := make([]*Finding, len(all)) // findings are large to be moved about
	for i := range all {
		order[i] = &all[i]
	}
	kit.SortBy(order, byPlace, (*Finding).Fingerprint)
	for i, f := range order {
		findings[i] = *f
	}
}

func byPlace(a, b *Finding) int {
	return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Path, b.Path),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Member, b.Member))
}

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

// fingerprintBytes is how much of the hash a fingerprint shows: 48 bits, 12 digits.
const fingerprintBytes = 6

// Fingerprint names a change for good: 12 hexadecimal digits of the SHA-256 of rule, server, item, pointer,
// and old and new value, whatever their white space and key order. Wording and level are no part of it.
func (f Finding) Fingerprint() string {
	// strings always encode
	parts, _ := json.Marshal([]string{f.Rule, f.Server, f.Item, f.Pointer(), canonical(f.Old),
		canonical(f.New)})
	hash := sha256.Sum256(parts)
	return hex.EncodeToString(hash[:fingerprintBytes])
}

// bare matches numbers, words, and texts of letters that have one spelling alone.
var bare = kit.Pattern(`^(?:[-+.0-9A-Za-z]+|"[-+._/ 0-9A-Za-z]*")$`)

// canonical is a value with sorted keys and no white space, numbers as written. What is no JSON is taken as
// it is.
func canonical(raw json.RawMessage) string {
	if raw == nil || bare().Match(raw) {
		return string(raw)
	}
	value, err := rawjson.Decode(raw)
	if err != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}
