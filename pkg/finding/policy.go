package finding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Policy is what a project decided about findings. The zero value changes no level, waives nothing, fails on
// breaking.
type Policy struct {
	FailOn      Threshold           // from this level on a comparison fails
	CheckFailOn Threshold           // from this level on a check fails; CheckPolicy takes it
	Rules       map[string]Level    // levels that replace those of the findings, by rule id; Off drops them
	Overrides   map[string]Override // what holds for one server instead, by its name
	Waivers     []Waiver            // the first that covers a finding and has not expired waives it
}

// Override is the policy for one server. What it leaves out holds as for all servers.
type Override struct {
	FailOn, CheckFailOn Threshold
	Rules               map[string]Level
}

// CheckPolicy is the policy for a check of what is there now, whose thresholds are its own: CheckFailOn, else
// warning.
func (p Policy) CheckPolicy() Policy {
	p.FailOn = cmp.Or(p.CheckFailOn, FailOnWarning)
	p.Overrides = maps.Clone(p.Overrides)
	for name, o := range p.Overrides {
		p.Overrides[name] = Override{FailOn: o.CheckFailOn, Rules: o.Rules}
	}
	return p
}

// Scope is what a run looked at. It decides which waivers had their chance to match.
type Scope struct {
	Rules   []string // ids of the rules that were applied
	Others  []string // ids of rules that exist and were not applied
	Seen    []string // names of the servers that were looked at in full
	Partial []string // names of the servers that were asked, and not looked at in full
	Absent  []string // names of the servers that exist and were not asked
}

// Apply is the findings as the policy sees them: levels replaced, findings of rules that are off left out,
// waived ones marked, and findings about the waivers themselves added. They are sorted as Sort does; the
// given ones are not changed.
func (p Policy) Apply(findings []Finding, scope Scope, now time.Time) []Finding {
	judged := []Finding{}
	for _, f := range findings {
		if f.Level = p.level(f); f.Level != Off {
			judged = append(judged, f)
		}
	}
	used := p.waive(judged, now)
	for i, w := range p.Waivers {
		if f, ok := w.finding(used[i], scope, now); ok {
			if f.Level = p.level(f); f.Level != Off {
				judged = append(judged, f)
			}
		}
	}
	Sort(judged)
	return judged
}

// waive marks the findings that a waiver covers, and tells which waivers cover any.
func (p Policy) waive(findings []Finding, now time.Time) (used []bool) {
	used = make([]bool, len(p.Waivers))
	named := p.named(findings)
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

// named are the fingerprints of the findings that each waiver with a fingerprint names.
func (p Policy) named(findings []Finding) map[string][]string {
	named := map[string][]string{}
	for _, w := range p.Waivers {
		if w.Fingerprint == "" {
			continue
		}
		for _, f := range Named(findings, w.Fingerprint) {
			named[w.Fingerprint] = append(named[w.Fingerprint], f.Fingerprint())
		}
	}
	return named
}

// Fails tells whether one of the findings makes a run fail: it is not waived, and at or above the threshold
// of its server.
func (p Policy) Fails(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		return p.Threshold(f.Server).FailsOn(f)
	})
}

// Enabled are the ids of the rules to which the policy gives a level for a server, sorted, also of rules off
// by default.
func (p Policy) Enabled(server string) []string {
	var ids []string
	for _, rules := range p.levels(server) {
		for id := range rules {
			if level, _ := p.chosen(id, server); level != Off {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (p Policy) level(f Finding) Level {
	if level, ok := p.chosen(f.Rule, f.Server); ok {
		return level
	}
	return f.Level
}

func (p Policy) chosen(rule, server string) (level Level, ok bool) {
	for _, rules := range p.levels(server) {
		if level, ok = rules[rule]; ok {
			return level, true
		}
	}
	return level, false
}

// levels are the levels that the policy gives, those that go before others first.
func (p Policy) levels(server string) []map[string]Level {
	return []map[string]Level{p.Overrides[server].Rules, p.Rules}
}

// Threshold is the level from which findings of a server fail a run.
func (p Policy) Threshold(server string) Threshold {
	return cmp.Or(p.Overrides[server].FailOn, p.FailOn)
}

// Threshold is the lowest level that makes a run fail. The zero value, as any that does not exist, is
// breaking.
type Threshold string

// The thresholds, in the words of --fail-on.
const (
	FailOnBreaking Threshold = "breaking"
	FailOnWarning  Threshold = "warning"
	FailOnInfo     Threshold = "info"
	FailOnAny      Threshold = "any" // the same as info: whatever is reported
	FailOnNever    Threshold = "never"
)

// ParseThreshold reads a word of --fail-on.
func ParseThreshold(word string) (Threshold, error) {
	switch t := Threshold(word); t {
	case FailOnBreaking, FailOnWarning, FailOnInfo, FailOnAny, FailOnNever:
		return t, nil
	}
	return FailOnNever, fmt.Errorf("unknown threshold %q: breaking, warning, info, any and never exist", word)
}

// FailsOn reports whether a finding makes the run fail. A waived one never does.
func (t Threshold) FailsOn(f Finding) bool {
	return f.Waiver == nil && t.Fails(f.Level)
}

// Fails tells whether a finding of this level makes the run fail.
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
