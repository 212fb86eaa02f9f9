package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestServersOfAFile reads as many servers as one file may hold, and refuses one more, in each syntax.
func TestServersOfAFile(t *testing.T) {
	json, yaml, toml := `{"mcpServers": {%s}}`, "servers:\n%s", "%s"
	for _, test := range []struct{ name, file, server, early string }{
		{"servers.json", json, `"s%d": {"command": "x"},`, ""},
		{"mcpctl.yaml", yaml, "  s%d: {command: x}\n", "more than 100000 values"},
		{"config.toml", toml, "[mcp_servers.s%d]\ncommand = \"x\"\n", "more than 30000 lists and tables"},
	} {
		for n, problem := range map[int]string{
			maxServers:     "",
			maxServers + 1: "10001 servers in one file; at most 10000 are read",
			60_000:         "60000 servers in one file; at most 10000 are read",
		} {
			var servers strings.Builder
			for i := range n {
				fmt.Fprintf(&servers, test.server, i)
			}
			if n == 60_000 && test.early != "" {
				problem = test.early
			}
			dir := t.TempDir()
			place(t, dir+"/"+test.name, fmt.Appendf(nil, test.file, servers.String()))
			c, err := Load(Input{Dir: dir, Files: []string{test.name}})
			switch {
			case problem == "" && (err != nil || len(c.Entries) != n):
				t.Errorf("%s, %d servers: %d entries, %v", test.name, n, len(c.Entries), err)
			case problem != "" && (err == nil || !strings.Contains(err.Error(), problem)):
				t.Errorf("%s, %d servers: %v, want %q", test.name, n, err, problem)
			}
		}
	}
}
