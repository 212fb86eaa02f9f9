package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// What is here only the commands that act and watch need, until they have moved.

// setDuration is a flag value: a Go setDuration, or a number of seconds.
type setDuration struct {
	time.Duration
	set bool
}

// Set reads "10s", "1m30s" or "10".
func (d *setDuration) Set(text string) error {
	parsed, err := time.ParseDuration(text)
	if err != nil {
		if parsed, err = time.ParseDuration(text + "s"); err != nil {
			return fmt.Errorf("%q is not a setDuration such as 10s", text)
		}
	}
	if parsed < 0 {
		return fmt.Errorf("%q is negative", text)
	}
	*d = setDuration{parsed, true}
	return nil
}

// String is the value as it would be typed.
func (d *setDuration) String() string {
	if d == nil || !d.set {
		return ""
	}
	return d.Duration.String()
}

// or is the value, or other when none was given.
func (d setDuration) or(other time.Duration) time.Duration {
	if d.set {
		return d.Duration
	}
	return other
}

// setShard is part index of count, from 1; the zero value is everything.
type setShard struct{ index, count int }

// Set reads "2/5".
func (s *setShard) Set(text string) error {
	var parsed setShard
	if n, err := fmt.Sscanf(text, "%d/%d", &parsed.index, &parsed.count); err != nil || n != 2 || fmt.Sprintf("%d/%d", parsed.index, parsed.count) != text || parsed.index < 1 || parsed.index > parsed.count {
		return fmt.Errorf("%q is not a part such as 1/4", text)
	}
	*s = parsed
	return nil
}

// String is the value as it would be typed.
func (s *setShard) String() string {
	if s == nil || s.count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.index, s.count)
}

// has tells whether the item at position i belongs to this part.
func (s setShard) has(i int) bool { return s.count == 0 || i%s.count == s.index-1 }

// comparison says how to compare, and what fails.
type comparison struct {
	diff.Options
	base, failOn, semantics string
	showWaived              bool
}

// settle reads the flags that choose how schemas are compared.
func (how *comparison) settle() error {
	if how.Strict = how.semantics == "strict"; !how.Strict && how.semantics != "declared" {
		return exit.Usagef("--semantics is declared or strict, not %q", how.semantics)
	}
	return nil
}

// proposed is an entry as a person decides about it, whatever else it may lack.
func (inv *invocation) proposed(e config.Entry) report.Server {
	s := inv.described(e)
	s.State, s.Error, s.MoreErrors = report.OK, nil, nil
	return s
}

// placesOf are the places of an entry in a report.
func placesOf(e config.Entry) []report.Place {
	var places []report.Place
	for _, p := range e.Places {
		places = append(places, report.Place{Application: p.App, Scope: p.Scope, File: p.File, Line: p.Line, Name: p.Name, State: p.State})
	}
	return places
}

// described is a configured server in a report, with what would be run; secrets are masked.
func (inv *invocation) described(e config.Entry) report.Server {
	d := e.Describe()
	s := report.Server{Name: d.Name, State: report.OK}
	switch {
	case e.Disabled:
		s.State = report.Disabled
	case e.Err() != nil:
		s = misconfigured(d.Name, e.Server.Source, e.Problems).Server
	}
	s.Places = placesOf(e)
	s.Source, s.Transport, s.Command, s.Dir, s.Env = e.Server.Source, d.Transport, d.Command, d.Dir, d.Env
	s.URL, s.Headers, s.Helper, s.ProtocolVersion, s.Trust = d.URL, d.Headers, d.Helper, d.Protocol, inv.trustOf(e)
	return s
}

// allRules are the rules of all commands, sorted by id.
func allRules() []finding.Rule {
	rules := slices.Concat(diff.Rules(), check.Rules(), finding.PolicyRules())
	slices.SortFunc(rules, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return rules
}

// ruleIDs are the ids of all rules.
func ruleIDs() []string { return idsOf(allRules()) }

func idsOf(rules []finding.Rule) []string {
	var ids []string
	for _, rule := range rules {
		ids = append(ids, rule.ID)
	}
	return ids
}

func (inv *invocation) wired(c *cli.Command) *cli.Command {
	if c.BashComplete == nil {
		p := program{Process: inv.Process}
		c.BashComplete = p.completeServers
	}
	return c
}
