package finding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Budgets limit what servers may offer; 0 = no limit.
type Budgets struct {
	Tokens, Tools             int // of all servers together
	ServerTokens, ServerTools int // of each server
	ToolTokens                int // of each tool
	ItemBytes                 int // of each tool, prompt, resource and template, as compact JSON
	TextCharacters            int // of each description, title and instructions
}

// Policy is what a project decided about findings. The zero value changes no level, waives nothing and fails
// on breaking findings.
type Policy struct {
	FailOn      Threshold           // of a comparison
	CheckFailOn Threshold           // of a check; see CheckPolicy
	Rules       map[string]Level    // replaces levels, by rule id; Off drops the findings
	Overrides   map[string]Override // by name of the server
	Waivers     []Waiver            // the first that covers a finding and has not expired waives it
}

// Override is the policy for one server. Zero fields take the value for all servers.
type Override struct {
	FailOn, CheckFailOn Threshold
	Rules               map[string]Level
}

// CheckPolicy returns the policy for a check: its threshold is CheckFailOn, by default warning.
func (p Policy) CheckPolicy() Policy {
	p.FailOn = cmp.Or(p.CheckFailOn, FailOnWarning)
	p.Overrides = maps.Clone(p.Overrides)
	for name, o := range p.Overrides {
		p.Overrides[name] = Override{FailOn: o.CheckFailOn, Rules: o.Rules}
	}
	return p
}

// WithFailOn returns the policy with a threshold for every server, as --fail-on names it; empty = as the
// policy has it, else breaking.
func (p Policy) WithFailOn(word string) (Policy, error) {
	if word == "" {
		p.FailOn = cmp.Or(p.FailOn, FailOnBreaking)
		return p, nil
	}
	threshold, err := ParseThreshold(word)
	if err != nil {
		return p, err
	}
	p.FailOn, p.Overrides = threshold, maps.Clone(p.Overrides)
	for name, o := range p.Overrides {
		p.Overrides[name] = Override{Rules: o.Rules}
	}
	return p, nil
}

// Scope is what a run looked at; only a waiver that could match there can be unused.
type Scope struct {
	Rules   []string // ids of the rules that were applied
	Others  []string // ids of the other rules
	Seen    []string // names of the servers that were read in full
	Partial []string // names of the servers that were contacted and not read in full
	Absent  []string // names of the configured servers that were not contacted
}

// Apply returns the findings as the policy judges them: with replaced levels, without the rules that are off,
// with waivers, and with findings about the waivers themselves. They are sorted as by Sort.
func (p Policy) Apply(findings []Finding, scope Scope, now time.Time) []Finding {
	judged := []Finding{}
	add := func(f Finding) {
		if level, ok := p.level(f.Rule, f.Server); ok {
			f.Level = level
		}
		if f.Level != Off {
			judged = append(judged, f)
		}
	}
	for _, f := range findings {
		add(f)
	}
	used := p.waive(judged, now)
	for i, w := range p.Waivers {
		if f, ok := w.finding(used[i], scope, now); ok {
			add(f)
		}
	}
	Sort(judged)
	return judged
}

// waive sets the waivers of findings and returns which waivers cover any.
func (p Policy) waive(findings []Finding, now time.Time) (used []bool) {
	used = make([]bool, len(p.Waivers))
	named := map[string][]string{} // fingerprints of findings by the fingerprint of a waiver
	for _, w := range p.Waivers {
		if w.Fingerprint != "" && named[w.Fingerprint] == nil {
			for _, f := range Named(findings, w.Fingerprint) {
				named[w.Fingerprint] = append(named[w.Fingerprint], f.Fingerprint())
			}
		}
	}
	for i := range findings {
		f := &findings[i]
		for k, w := range p.Waivers {
			if !w.Covers(*f) || w.Fingerprint != "" &&
				!slices.Contains(named[w.Fingerprint], f.Fingerprint()) {
				continue
			}
			used[k] = true
			if f.Waiver == nil && !w.Expires.Over(now) {
				f.Waiver = &p.Waivers[k]
			}
		}
	}
	return used
}

// Fails reports whether one of the findings fails the run: not waived, and at or above the threshold of its
// server.
func (p Policy) Fails(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		return p.Threshold(f.Server).FailsOn(f)
	})
}

// Enabled returns the ids of the rules to which the policy gives a level for a server, sorted; among them are
// rules that are off by default.
func (p Policy) Enabled(server string) []string {
	var ids []string
	for _, rules := range []map[string]Level{p.Overrides[server].Rules, p.Rules} {
		for id := range rules {
			if level, _ := p.level(id, server); level != Off {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// level returns the level that the policy gives to a rule for a server.
func (p Policy) level(rule, server string) (level Level, ok bool) {
	if level, ok = p.Overrides[server].Rules[rule]; !ok {
		level, ok = p.Rules[rule]
	}
	return level, ok
}

// Threshold returns the threshold for a server.
func (p Policy) Threshold(server string) Threshold {
	return cmp.Or(p.Overrides[server].FailOn, p.FailOn)
}

// Threshold is the lowest level that fails a run. The zero value and unknown values mean breaking.
type Threshold string

// The thresholds, as --fail-on takes them.
const (
	FailOnBreaking Threshold = "breaking"
	FailOnUsed     Threshold = "used-breaking" // breaking, unless no recorded call is affected
	FailOnWarning  Threshold = "warning"
	FailOnInfo     Threshold = "info"
	FailOnAny      Threshold = "any" // the same as info
	FailOnNever    Threshold = "never"
)

// ParseThreshold parses a value of --fail-on.
func ParseThreshold(word string) (Threshold, error) {
	switch t := Threshold(word); t {
	case FailOnBreaking, FailOnUsed, FailOnWarning, FailOnInfo, FailOnAny, FailOnNever:
		return t, nil
	}
	return FailOnNever,
		fmt.Errorf("unknown threshold %q: use breaking, used-breaking, warning, info, any or never", word)
}

// FailsOn reports whether a finding fails the run. A waived one never does.
func (t Threshold) FailsOn(f Finding) bool {
	return f.Waiver == nil && t.Fails(f.Level) && !(t == FailOnUsed && f.Calls.Unaffected())
}

// Fails reports whether a finding of a level fails the run.
func (t Threshold) Fails(level Level) bool {
	switch t {
	case FailOnNever:
		return false
	case FailOnWarning:
		return level >= Warning
	case FailOnInfo, FailOnAny:
		return level >= Info
	}
	return level >= Breaking
}
