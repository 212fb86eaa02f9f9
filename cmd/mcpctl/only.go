package main

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
)

// only are the names and patterns of --only; none = every server.
type only []string

// Set adds names, with commas between several.
func (o *only) Set(text string) error {
	for _, name := range strings.Split(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*o = append(*o, name)
		}
	}
	return nil
}

// String is the value as it would be typed.
func (o *only) String() string {
	if o == nil {
		return ""
	}
	return strings.Join(*o, ",")
}

// has tells whether a server with these names may take part in the run.
func (o only) has(names ...string) bool {
	named := func(pattern string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return match.Glob(pattern, name) })
	}
	return len(o) == 0 || slices.ContainsFunc(o, named)
}

// entries are those that may take part. A pattern that no configured server has is a mistake, and so is one that leaves
// nothing.
func (o only) entries(cfg *config.Config, entries []config.Entry) ([]config.Entry, error) {
	var known []string
	for _, e := range cfg.Entries {
		known = append(known, e.Names()...)
	}
	if err := o.check(known); err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(slices.Clone(entries), func(e config.Entry) bool { return !o.has(e.Names()...) })
	if len(chosen) == 0 && len(entries) > 0 {
		return nil, exit.Usagef("--only %s leaves no server of those that were named", o.String())
	}
	return chosen, nil
}

// check finds a pattern that none of the names has.
func (o only) check(known []string) error {
	for _, pattern := range o {
		if !slices.ContainsFunc(known, func(name string) bool { return match.Glob(pattern, name) }) {
			return exit.Usagef("--only %s: there is no such server%s", pattern, match.DidYouMean(pattern, known))
		}
	}
	return nil
}

// steps are those that may take part, whatever they come from.
func (o only) steps(cfg *config.Config, steps []step) ([]step, error) {
	left := slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return !o.has(cfg.Project.Names(s.name())...) })
	if len(left) == 0 && len(steps) > 0 {
		return nil, exit.Usagef("--only %s leaves nothing of what was named", o.String())
	}
	return left, nil
}
