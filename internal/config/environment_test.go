package config

import (
	"strings"
	"testing"
	"time"
)

func lookupOne(name, value string) func(string) (string, bool) {
	return func(n string) (string, bool) { return value, n == name }
}

func TestReadEnvironment(t *testing.T) {
	if env, err := ReadEnvironment(nil, nil); err != nil || env != (Environment{}) {
		t.Errorf("without variables: %+v, %v", env, err)
	}
	for value, want := range map[string]time.Duration{"30": 30 * time.Second, "2.5": 2500 * time.Millisecond, "0": 0, "2m": 2 * time.Minute,
		"3600": time.Hour} {
		env, err := ReadEnvironment(lookupOne("MCP_TIMEOUT", value), nil)
		if err != nil || env.Timeout == nil || *env.Timeout != want {
			t.Errorf("MCP_TIMEOUT=%s: %v, %v, want %v", value, env.Timeout, err, want)
		}
	}
	for value, want := range map[string]int{"0": 0, "3": 3, "100": 100} {
		env, err := ReadEnvironment(lookupOne("MCP_MAX_RETRIES", value), nil)
		if err != nil || env.Retries == nil || *env.Retries != want {
			t.Errorf("MCP_MAX_RETRIES=%s: %v, %v, want %d", value, env.Retries, err, want)
		}
	}
	if env, err := ReadEnvironment(lookupOne("MCPCTL_FORMAT", "json"), []string{"table", "json"}); err != nil || env.Format != "json" {
		t.Errorf("MCPCTL_FORMAT=json: %q, %v", env.Format, err)
	}
}

func TestReadEnvironmentMistakes(t *testing.T) {
	for setting, want := range map[string]string{
		"MCP_TIMEOUT=soon":     "MCP_TIMEOUT: not a number of seconds up to 3600, nor a duration",
		"MCP_TIMEOUT=-1":       "MCP_TIMEOUT: not a number of seconds up to 3600, nor a duration",
		"MCP_TIMEOUT=30000":    "MCP_TIMEOUT: not a number of seconds up to 3600, nor a duration",
		"MCP_TIMEOUT=NaN":      "MCP_TIMEOUT: not a number of seconds up to 3600, nor a duration",
		"MCP_MAX_RETRIES=many": "MCP_MAX_RETRIES: not a whole number from 0 to 100",
		"MCP_MAX_RETRIES=-1":   "MCP_MAX_RETRIES: not a whole number from 0 to 100",
		"MCPCTL_FORMAT=jsn":    `MCPCTL_FORMAT: unknown format "jsn"`,
	} {
		name, value, _ := strings.Cut(setting, "=")
		_, err := ReadEnvironment(lookupOne(name, value), []string{"table", "json", "yaml"})
		if problems, ok := err.(Problems); !ok || problems[0].Error() != want || problems[0].Hint == "" {
			t.Errorf("%s: %v, want %s with a hint", setting, err, want)
		}
	}
}
