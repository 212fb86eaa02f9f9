package config

import (
	"slices"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// Environment is what the environment sets for a run; flags override it.
type Environment struct {
	Timeout *time.Duration // MCP_TIMEOUT; nil = not set, 0 = none
	Retries *int           // MCP_MAX_RETRIES; nil = not set
	Format  string         // MCPCTL_FORMAT; empty = not set
}

// ReadEnvironment reads MCP_TIMEOUT, in seconds or as a duration, MCP_MAX_RETRIES and MCPCTL_FORMAT, one of
// some formats. The error is Problems. An empty variable is not set.
func ReadEnvironment(lookup clients.Lookup, formats []string) (Environment, error) {
	var env Environment
	var problems Problems
	add := func(name, message, hint string) {
		problems = append(problems, Problem{File: name, Message: message, Hint: hint})
	}
	if value, ok := lookup.Value("MCP_TIMEOUT"); ok && value != "" {
		t, err := time.ParseDuration(value)
		valid := err == nil && t >= 0 && t <= maxTimeout
		// an hour at most: other programs read MCP_TIMEOUT as milliseconds
		if seconds, isNumber := inUnit(value, time.Second); isNumber {
			t, valid = seconds, seconds <= time.Hour
		}
		if env.Timeout = &t; !valid {
			add("MCP_TIMEOUT", "not a number of seconds up to 3600, nor a duration",
				`write seconds, or a duration such as "30s" or "2m"; 0 means none`)
		}
	}
	if value, ok := lookup.Value("MCP_MAX_RETRIES"); ok && value != "" {
		n, err := strconv.Atoi(value)
		if env.Retries = &n; err != nil || n < 0 || n > 100 {
			add("MCP_MAX_RETRIES", "not a whole number from 0 to 100", "write a whole number; 0 means none")
		}
	}
	if value, ok := lookup.Value("MCPCTL_FORMAT"); ok && value != "" {
		if env.Format = value; !slices.Contains(formats, value) {
			add("MCPCTL_FORMAT", "unknown format "+strconv.Quote(value), kit.Suggest(value, formats))
		}
	}
	if len(problems) > 0 {
		return env, problems
	}
	return env, nil
}
