package config

import "time"

// Environment is what the environment says about a run; flags go before it.
type Environment struct {
	Timeout *time.Duration // MCP_TIMEOUT, seconds or a duration; nil = not set, 0 = none
	Retries *int           // MCP_MAX_RETRIES
	Format  string         // MCPCTL_FORMAT, one of the formats given
}

// ReadEnvironment reads MCP_TIMEOUT, MCP_MAX_RETRIES and MCPCTL_FORMAT; the error is Problems.
func ReadEnvironment(lookup func(string) (string, bool), formats []string) (Environment, error) {
	return Environment{}, nil
}
