package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Select is the entries with these names, in configuration order; no names = all entries. The name of a server with
// variants is that of all its variants. A name that does not exist is a
// Problem with the nearest names as its hint; several are Problems.
func (c *Config) Select(names []string) ([]Entry, error) {
	if len(names) == 0 {
		return c.Entries, nil
	}
	var known []string
	var chosen []Entry
	for _, e := range c.Entries {
		known = append(known, e.Names()...)
		if slices.ContainsFunc(e.Names(), func(name string) bool { return slices.Contains(names, name) }) {
			chosen = append(chosen, e)
		}
	}
	var problems Problems
	for _, name := range names {
		if !slices.Contains(known, name) {
			message := fmt.Sprintf("no server %q is configured", name)
			if strings.Contains(name, "/") {
				message += ", and there is no such file"
			}
			problems = append(problems, Problem{Message: message, Hint: c.unknown(name, known)})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return chosen, nil
}

func (c *Config) unknown(name string, known []string) string {
	switch {
	case len(c.Files) == 0 && len(known) == 0:
		return "there is no configuration here; name one with --config, or write -- COMMAND or a URL"
	case len(known) == 0:
		return "the configuration has no servers"
	}
	if hint := match.Suggest(name, known); hint != "" {
		return hint
	}
	return "mcpctl config shows all servers"
}
