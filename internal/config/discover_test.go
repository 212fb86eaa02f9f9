package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/syntax"
)

// TestDiscoveryIsBounded: a repository cannot make discovery cost more than a moment, whatever it puts where.
func TestDiscoveryIsBounded(t *testing.T) {
	dir := t.TempDir()
	var servers strings.Builder
	for i := range maxDiscovered - 100 {
		fmt.Fprintf(&servers, `"s%d": {"command": "npx", "args": ["-y", "same"]},`, i)
	}
	many := []byte(`{"mcpServers": {` + servers.String() + `}}`)
	for _, file := range []string{".cursor/mcp.json", ".kiro/settings/mcp.json", ".roo/mcp.json"} {
		place(t, filepath.Join(dir, file), many)
	}
	for i := range 300 {
		place(t, filepath.Join(dir, ".continue", "mcpServers", fmt.Sprintf("%03d.json", i)), []byte(`{"mcpServers": {}}`))
	}
	large := filepath.Join(dir, ".junie", "mcp", "mcp.json")
	place(t, large, []byte("{}"))
	if err := os.Truncate(large, syntax.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	config, err := Load(Input{Dir: dir, Home: filepath.Join(dir, "home"), Discover: true, OS: "linux"})
	if took := time.Since(began); err != nil || took > 5*time.Minute { // a second on an idle machine, hours without bounds
		t.Fatalf("%v after %v", err, took)
	}
	if n := len(config.Entries); n == 0 || n > maxDiscovered {
		t.Errorf("%d servers", n)
	}
	states, looked := map[string]int{}, map[string]int{}
	for _, l := range config.Looked {
		looked[l.Application]++
	}
	for _, remark := range config.Remarks {
		states[remark.Message]++
	}
	for _, message := range []string{"more than 1000 servers in the files of applications", "reading the file: larger than 16 MiB"} {
		if states[message] == 0 {
			t.Errorf("nothing is said of %q in %v", message, states)
		}
	}
	if looked["Continue"] > 202 {
		t.Errorf("%d files of a pattern were read", looked["Continue"])
	}
}

// TestPluginsAreBounded: the servers of plugins count as those of other files do.
func TestPluginsAreBounded(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	var installed []string
	for p := range 2 {
		var servers []string
		for i := range maxDiscovered - 100 {
			servers = append(servers, fmt.Sprintf(`"p%d-s%d": {"command": "npx", "args": ["-y", "%[2]d"]}`, p, i))
		}
		folder := filepath.Join(dir, fmt.Sprint("plugin", p))
		place(t, filepath.Join(folder, ".mcp.json"), []byte(`{"mcpServers": {`+strings.Join(servers, ",")+`}}`))
		installed = append(installed, fmt.Sprintf(`"p%d@m": [{"installPath": %q}]`, p, folder))
	}
	place(t, filepath.Join(home, ".claude", "plugins", "installed_plugins.json"), []byte(`{"plugins": {`+strings.Join(installed, ",")+`}}`))
	config, err := Load(Input{Dir: dir, Home: home, Discover: true, OS: "linux"})
	if n := len(config.Entries); err != nil || n == 0 || n > maxDiscovered {
		t.Errorf("%d servers, %v", n, err)
	}
}
