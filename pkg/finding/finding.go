// Package finding defines findings, the rules that they come from, their levels, and the policy of a project
// that judges them.
//
// It knows nothing about servers, schemas or formats. The packages diff and check make findings; a Policy
// judges them:
//
//	judged := policy.Apply(findings, scope, time.Now())
//	failed := policy.Fails(judged)
//
// Rule ids, fingerprints and the words for levels and thresholds are stable, since waivers and reports of
// users refer to them. The Go API follows semantic versioning; before 1.0.0 a minor version may change it.
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

// Finding is what one rule reports at one place of one server.
type Finding struct {
	Rule    string  `json:"rule"`              // id of the rule, kebab-case and permanent
	Level   Level   `json:"level"`             // how much it matters
	Verdict Verdict `json:"verdict,omitempty"` // how the level was decided
	Server  string  `json:"server,omitempty"`  // configured name of the server
	// "tool/NAME", "prompt/NAME", "resource/URI", "template/URI", "waiver/RULE"; empty for the server itself
	Item string `json:"item,omitempty"`
	// JSON pointer (RFC 6901) inside the item, or inside the snapshot when Item is empty
	Path string `json:"path,omitempty"`
	// the member of the value at Path that differs, such as a keyword; empty for the value itself
	Member string `json:"member,omitempty"`
	// one sentence; like Cause and Hint, not part of the fingerprint
	Message string `json:"message"`
	// the message of several findings that Groups joins; empty = Message
	Cause string `json:"cause,omitempty"`
	Hint  string `json:"hint,omitempty"` // what to do next

	Old json.RawMessage `json:"old,omitempty"` // value before; absent = none
	New json.RawMessage `json:"new,omitempty"` // value now; absent = none
	// an example of a break: for input the arguments of a call that worked and fails now, for output a
	// result that could not come before; absent where the change is the proof, such as a tool that is gone
	Witness json.RawMessage `json:"witness,omitempty"`
	// the part of the text New that the finding is about; empty = all of it
	Passage string `json:"passage,omitempty"`
	// the places, such as "read_file(path)", that Cause applies to, if several
	Places []string `json:"places,omitempty"`

	// the applications that switch off tools that it is about, as far as they are known
	Off []OffIn `json:"off,omitempty"`
	// the recorded calls that it affects; nil = unknown
	Calls *Calls `json:"calls,omitempty"`
	// the waiver that covers it, set by Policy.Apply
	Waiver *Waiver `json:"waiver,omitempty"`
	// the line of the old value or of the waiver, if known
	Location *Location `json:"location,omitempty"`
}

// OffIn is an application that does not give tools to its model.
type OffIn struct {
	Application string   `json:"application"`     // as people call it
	Tools       []string `json:"tools,omitempty"` // if the finding is about several; empty = its tool
}

// String returns what a report says, such as "off in Codex CLI".
func (o OffIn) String() string {
	says := "off in " + o.Application
	if len(o.Tools) > 0 {
		says += ": " + kit.Some(o.Tools)
	}
	return says
}

// Location is a line of a file.
type Location struct {
	File string `json:"file"` // as shown to people
	Line int    `json:"line"` // from 1
}

// String returns the location as compilers write it, such as "mcpctl.yaml:12".
func (l Location) String() string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// LocationOf parses "FILE:LINE" or the name of a JSON or YAML file. Anything else, such as a URL or git:REF,
// has no location.
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

// Pointer returns Path and Member as one JSON pointer.
func (f Finding) Pointer() string {
	if f.Member == "" {
		return f.Path
	}
	return rawjson.Join(f.Path, f.Member)
}

// Name returns the name of an item such as "tool/search"; "(no name)" for one that a server gave none, "" for
// no item.
func Name(item string) string {
	_, name, isItem := strings.Cut(item, "/")
	if isItem && name == "" {
		return "(no name)"
	}
	return name
}

// Place returns where the finding is as a person writes it: "search", "search(query)" for an argument,
// "search().rows" for a member of the result; empty for the server itself.
func (f Finding) Place() string {
	name, steps := Name(f.Item), rawjson.Split(f.Pointer())
	if len(steps) == 0 {
		return name
	}
	path := strings.Join(rawjson.Properties(steps), ".")
	switch {
	case steps[0] == "outputSchema" && path != "":
		return name + "()." + path
	case path == "" && (slices.Contains(steps, "properties") || steps[0] == "arguments"):
		text, _ := rawjson.Text(f.New)
		path = cmp.Or(strings.Join(rawjson.Texts(f.New), ", "), text)
	}
	if path == "" {
		return name
	}
	return name + "(" + path + ")"
}

// Acceptable reports whether accept can apply the finding to a saved snapshot: it is a change, not a waiver
// or a comparison that was not possible.
func (f Finding) Acceptable() bool {
	return !strings.HasPrefix(f.Item, "waiver/") && (f.Old != nil || f.New != nil)
}

// Verdict is how the level of a finding was decided.
type Verdict string

// The verdicts of a finding.
const (
	Proved   Verdict = "proved"   // a witness shows it
	ByRule   Verdict = "rule"     // the rule's definition decides it
	Unproven Verdict = "unproven" // neither proved safe nor refuted within the budget
)

// Rule describes what findings with its id mean.
type Rule struct {
	ID        string    `json:"id"`                  // kebab-case, permanent
	Level     Level     `json:"level"`               // the default level
	Direction Direction `json:"direction,omitempty"` // of rules on schemas
	Security  bool      `json:"security,omitempty"`  // attacks on the user of an agent
	Title     string    `json:"title"`               // one line
	Doc       string    `json:"doc"`                 // what it detects and why it matters
	Example   string    `json:"example"`             // old → new
	Instead   string    `json:"instead"`             // what the author of a server can do
}

// Direction is the side of a call that a rule on schemas protects.
type Direction string

// The directions of a schema rule.
const (
	Input  Direction = "input"  // callers: what was accepted must stay accepted
	Output Direction = "output" // readers: results must stay within what was promised
)

// Sort sorts findings as reports list them: by server, item, path, rule, then fingerprint.
func Sort(findings []Finding) {
	all := slices.Clone(findings)
	order := make([]*Finding, len(all)) // swapping pointers is cheaper than swapping findings
	for i := range all {
		order[i] = &all[i]
	}
	prints := map[*Finding]string{} // of findings at the same place
	printOf := func(f *Finding) string {
		if prints[f] == "" {
			prints[f] = f.Fingerprint()
		}
		return prints[f]
	}
	slices.SortStableFunc(order, func(a, b *Finding) int {
		if place := cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Item, b.Item),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Member, b.Member)); place != 0 {
			return place
		}
		return strings.Compare(printOf(a), printOf(b))
	})
	for i, f := range order {
		findings[i] = *f
	}
}

// Level is how much a finding matters; a higher one matters more.
type Level int

// The levels. Off disables a rule; no finding has it.
const (
	Off      Level = iota
	Info           // additions and other safe changes
	Warning        // an agent may behave differently, or compatibility could not be decided
	Breaking       // a correct caller or reader can now fail
)

var levelNames = [...]string{Off: "off", Info: "info", Warning: "warning", Breaking: "breaking"}

// String returns the word for the level in files, flags and reports.
func (l Level) String() string {
	if l < Off || l > Breaking {
		return fmt.Sprintf("level(%d)", int(l))
	}
	return levelNames[l]
}

// ParseLevel parses the word that String returns.
func ParseLevel(word string) (Level, error) {
	for l, name := range levelNames {
		if name == word {
			return Level(l), nil
		}
	}
	return Off, fmt.Errorf("unknown level %q: use breaking, warning, info or off", word)
}

// MarshalText returns the word for the level.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText parses the word for a level.
func (l *Level) UnmarshalText(text []byte) error {
	parsed, err := ParseLevel(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}

// fingerprintBytes is the length of a fingerprint: 48 bits, 12 digits.
const fingerprintBytes = 6

// Fingerprint returns a permanent name of the finding: 12 hexadecimal digits of the SHA-256 of rule, server,
// item, pointer, old and new value, ignoring white space and key order.
func (f Finding) Fingerprint() string {
	// strings always encode
	parts, _ := json.Marshal([]string{f.Rule, f.Server, f.Item, f.Pointer(), canonical(f.Old),
		canonical(f.New)})
	hash := sha256.Sum256(parts)
	return hex.EncodeToString(hash[:fingerprintBytes])
}

// canonical returns a value with sorted keys, no white space, and numbers as written; invalid JSON as it is.
func canonical(raw json.RawMessage) string {
	value, err := rawjson.Decode(raw)
	if err != nil {
		return string(raw)
	}
	text, _ := json.Marshal(value) // what was decoded always encodes
	return string(text)
}

// Calls counts the recorded calls that a finding affects.
type Calls struct {
	Total     int             `json:"total"`             // calls of the server that were valid before
	Failing   int             `json:"failing"`           // calls that fail now because of the finding
	Undecided int             `json:"undecided"`         // calls for which that cannot be decided
	Clients   []string        `json:"clients,omitempty"` // names of the clients that made the failing ones
	Last      string          `json:"last,omitempty"`    // day of the last failing call, such as 2026-11-20
	Example   json.RawMessage `json:"example,omitempty"` // arguments of a failing call, secrets masked
}

// Unaffected reports whether the recorded calls show that the finding affects none of them.
func (c *Calls) Unaffected() bool {
	return c != nil && c.Total > 0 && c.Failing == 0 && c.Undecided == 0
}

// String returns the counts as a clause, such as "3 of 412 recorded calls fail now (2 clients, last
// 2026-11-20)".
func (c *Calls) String() string {
	all := kit.Counted(c.Total, "recorded call")
	switch {
	case c.Total == 0:
		return "no valid call of this server is recorded"
	case c.Failing == 0 && c.Undecided == 0:
		return "none of " + all + " is affected"
	case c.Failing == 0:
		return fmt.Sprintf("undecided for %d of %s", c.Undecided, all)
	}
	verb := "fail"
	if c.Failing == 1 {
		verb = "fails"
	}
	says := fmt.Sprintf("%d of %s %s now", c.Failing, all, verb)
	var details []string
	if len(c.Clients) > 0 {
		details = append(details, kit.Counted(len(c.Clients), "client"))
	}
	if c.Last != "" {
		details = append(details, "last "+c.Last)
	}
	if len(details) > 0 {
		says += " (" + strings.Join(details, ", ") + ")"
	}
	if c.Undecided > 0 {
		says += fmt.Sprintf(", undecided for %d", c.Undecided)
	}
	return says
}

// ResultRule is the id of the rule about results of calls that are sent again.
const ResultRule = "call-result-unexpected"

// CallRules returns the rules of replay.
func CallRules() []Rule {
	return []Rule{{
		ID: ResultRule, Level: Breaking, Title: "The result of a call is not as recorded or expected",
		Doc: "A recorded call was sent again, or a call of mcpctl.yaml was sent, and its result differs " +
			"from the recorded one or does not meet the expectation. A text that is only longer or " +
			"shorter is info.",
		Example: `/structuredContent/total: 3 → 4`,
		Instead: "Restore the result, record the calls again, or list places that change with each call " +
			"under calls.ignore in mcpctl.yaml.",
	}}
}
