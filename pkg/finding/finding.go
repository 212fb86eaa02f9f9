// Package finding is the vocabulary of verdicts: the levels, the rules that exist, and what one rule found in one place.
//
// It knows nothing about servers, schemas or formats; the packages diff and check make findings, policy judges them and
// report writes them.
package finding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Finding is one thing a rule has to say about one place of one server's surface.
type Finding struct {
	Rule    string  `json:"rule"`              // id of the rule, kebab-case and permanent
	Level   Level   `json:"level"`             // how much it matters
	Verdict Verdict `json:"verdict,omitempty"` // what the level rests on
	Server  string  `json:"server,omitempty"`  // configured name of the server
	Item    string  `json:"item,omitempty"`    // "tool/NAME", "prompt/NAME", "resource/URI", "template/URI", "waiver/RULE"; empty for the server itself
	Path    string  `json:"path,omitempty"`    // JSON pointer (RFC 6901) inside the item, or inside the snapshot when Item is empty
	Member  string  `json:"member,omitempty"`  // the member of the value at Path that differs, such as a keyword; empty for the value itself
	Message string  `json:"message"`           // one sentence for a person; never part of the fingerprint
	Hint    string  `json:"hint,omitempty"`    // what to do next

	Old     json.RawMessage `json:"old,omitempty"`     // the value before; absent when there was none
	New     json.RawMessage `json:"new,omitempty"`     // the value now; absent when there is none
	Witness json.RawMessage `json:"witness,omitempty"` // an instance that was right before and is wrong now

	Waiver   *Waiver   `json:"waiver,omitempty"`   // what excuses it; nil = nothing does. Policy.Apply sets it
	Location *Location `json:"location,omitempty"` // where the old value, or the waiver, stands in a file; nil = in none that is known
}

// Location is a line of a file.
type Location struct {
	File string `json:"file"` // as shown to people
	Line int    `json:"line"` // from 1
}

// String is the place as compilers write it, such as "mcpctl.yaml:12".
func (l Location) String() string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// Pointer is the deepest place that the finding speaks of: Path and Member as one JSON pointer.
func (f Finding) Pointer() string {
	if f.Member == "" {
		return f.Path
	}
	return f.Path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(f.Member)
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
	slices.SortStableFunc(findings, func(a, b Finding) int {
		order := cmp.Or(
			cmp.Compare(a.Server, b.Server), cmp.Compare(a.Item, b.Item),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Member, b.Member),
		)
		if order != 0 {
			return order
		}
		return cmp.Compare(a.Fingerprint(), b.Fingerprint())
	})
}
