package config

import (
	"slices"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Environment is what the environment says about a run; flags go before it.
type Environment struct {
	Timeout *time.Duration // MCP_TIMEOUT, seconds or a duration; nil = not set, 0 = none
	Retries *int           // MCP_MAX_RETRIES; nil = not set
	Format  string         // MCPCTL_FORMAT, one of the formats given; empty = not set
}

// maxRetries bounds MCP_MAX_RETRIES.
const maxRetries = 100

// ReadEnvironment reads MCP_TIMEOUT, MCP_MAX_RETRIES and MCPCTL_FORMAT; the error is Problems. An empty variable is not set.
func ReadEnvironment(lookup func(string) (string, bool), formats []string) (Environment, error) {
	var env Environment
	var problems Problems
	read := func(name, hint, message string, accept func(string) bool) {
		value, ok := Input{Lookup: lookup}.look(name)
		if ok && value != "" && !accept(value) {
			problems = append(problems, Problem{File: name, Message: message, Hint: hint})
		}
	}
	read("MCP_TIMEOUT", `write seconds, or a duration such as "30s" or "2m"; 0 means none`,
		"not a number of seconds up to 3600, nor a duration", env.setTimeout)
	read("MCP_MAX_RETRIES", "write a whole number; 0 means none", "not a whole number from 0 to 100", env.setRetries)
	if value, ok := (Input{Lookup: lookup}).look("MCPCTL_FORMAT"); ok {
		read("MCPCTL_FORMAT", match.Suggest(value, formats), "unknown format "+strconv.Quote(value), func(format string) bool {
			env.Format = format
			known := slices.Contains(formats, format)
			return known
		})
	}
	if len(problems) > 0 {
		return env, problems
	}
	return env, nil
}

// setTimeout takes a bare number above an hour for a mistake: other programs read MCP_TIMEOUT as milliseconds.
func (e *Environment) setTimeout(value string) bool {
	t, err := time.ParseDuration(value)
	ok := err == nil && t >= 0 && t <= maxTimeout
	if seconds, isNumber := inUnit(value, time.Second); isNumber {
		t, ok = seconds, seconds <= time.Hour
	}
	e.Timeout = &t
	return ok
}

func (e *Environment) setRetries(value string) bool {
	n, err := strconv.Atoi(value)
	e.Retries = &n
	return err == nil && n >= 0 && n <= maxRetries
}
