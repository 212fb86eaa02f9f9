// Package check tells what is wrong with what servers offer, without an older surface to compare it with.
//
// Each problem is one finding of one rule at the place that has it. Rules lists all that can be found: how servers speak
// the protocol, their schemas, how well a model can work with them, what they cost, whether they can be trusted, and how
// they go together. No rule calls a tool or contacts anything.
package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Surface is one server to look at. Rules of the fleet look at all of them together.
type Surface struct {
	Name     string             // configured name
	Variant  string             // the server that this is one of several variants of; empty = the only one
	Snapshot *snapshot.Snapshot // what it offers; nil = not known, and nothing is said of it
	Saved    *snapshot.Snapshot // what was saved of it before; nil = nothing was
	Observed Observed           // what was seen on the way
}

// Observed is what a probe saw of a server beside its surface. The zero value is that of a saved snapshot: nothing.
type Observed struct {
	Transport string          // "stdio", "streamable-http" or "sse"
	Noise     []string        // pieces of stdout that are not the protocol
	Notices   []Notice        // oddities that lost nothing
	Again     []snapshot.List // the lists once more, in the order as sent; nil = not asked again
}

// Notice is an oddity that a probe met, by one of the codes of the package probe.
type Notice struct{ Code, Message string }

// Options tune a check. The zero value has no budget.
type Options struct{ Budgets Budgets }

// Budgets are limits on what surfaces may offer; 0 = none.
type Budgets struct {
	Tokens, Tools             int // of all surfaces together
	ServerTokens, ServerTools int // of each surface
	ToolTokens                int // of each tool
	ItemBytes                 int // of each tool, prompt, resource and template, as JSON without blanks
	TextCharacters            int // of each text that a server wrote for a reader
}

// Run tells what the rules say of surfaces. The findings are sorted as finding.Sort does. It never panics, whatever a
// server sent.
func Run(surfaces []Surface, options Options) []finding.Finding {
	f := fleet{budgets: options.Budgets}
	for _, s := range surfaces {
		if s.Snapshot != nil {
			f.subjects = append(f.subjects, newSubject(s))
		}
	}
	var found []finding.Finding
	for _, r := range rows() {
		for _, s := range f.subjects {
			found = append(found, r.about(s)...)
		}
		if r.together != nil {
			r.together(f, func(one finding.Finding) { found = append(found, r.complete(one)) })
		}
	}
	finding.Sort(found)
	return found
}

// fleet is all that one run looks at.
type fleet struct {
	subjects []*subject
	budgets  Budgets
}

// tell reports what a rule found. What the rule says of itself is filled in.
type tell func(finding.Finding)

// row is one rule with the function that looks for it: in one surface, or in all of them together.
type row struct {
	finding.Rule
	alone    func(*subject, tell)
	together func(fleet, tell)
	change   bool // a finding that the saved snapshot has too was accepted with it
}

// rows are all rules with their functions.
func rows() []row {
	return slices.Concat(protocolRows(), schemaRows(), providerRows(), qualityRows(), budgetRows(), limitRows(), securityRows(), fleetRows())
}

// Rules are all rules of a check, sorted by id.
func Rules() []finding.Rule {
	var rules []finding.Rule
	for _, r := range rows() {
		rules = append(rules, r.Rule)
	}
	slices.SortFunc(rules, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return rules
}

// about is what the rule says of one surface. What the saved snapshot says as well was seen and accepted: it is told, but
// as info.
func (r row) about(s *subject) []finding.Finding {
	found := r.in(s)
	if !r.change || s.Saved == nil || len(found) == 0 {
		return found
	}
	known := map[string]bool{}
	for _, f := range r.in(newSubject(Surface{Name: s.Name, Snapshot: s.Saved})) {
		known[f.Fingerprint()] = true
	}
	for i, f := range found {
		if known[f.Fingerprint()] {
			found[i].Level = finding.Info
			found[i].Message += " It was there when the snapshot was saved."
		}
	}
	return found
}

func (r row) in(s *subject) []finding.Finding {
	var found []finding.Finding
	if r.alone != nil {
		r.alone(s, func(f finding.Finding) {
			f.Server = s.Name
			found = append(found, r.complete(f))
		})
	}
	return found
}

// complete fills in what the rule says of every finding.
func (r row) complete(f finding.Finding) finding.Finding {
	f.Rule = r.ID
	f.Level = cmp.Or(f.Level, r.Level)
	f.Verdict = cmp.Or(f.Verdict, finding.ByRule)
	f.Message = cmp.Or(f.Message, r.Title+".")
	f.Hint = cmp.Or(f.Hint, r.Instead)
	return f
}

// encoded is a decoded value as JSON again, with no more escapes than it needs.
func encoded(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil { // what was decoded encodes
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// quoted is a text as a JSON value.
func quoted(text string) json.RawMessage { return encoded(text) }
