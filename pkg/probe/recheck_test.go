package probe

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestRecheck sees that the server at a URL was replaced by another version of itself, and nothing where nothing changed.
func TestRecheck(t *testing.T) {
	other := `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"fixture","version":"2.0.0"}}`
	discovered := `{"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":"new","resultType":"complete","ttlMs":0,` +
		`"cacheScope":"private"}`
	const lost = "srv: watching: the server introduces itself differently now"
	for name, c := range map[string]struct{ over, script, lost string }{
		"the same":        {over: "http", script: "tools: 1"},
		"modern the same": {over: "http", script: "tools: 1\nera: modern"},
		"replaced":        {over: "http", script: "tools: 1\non: {initialize#2: [{result: '" + other + "'}]}", lost: lost},
		"modern replaced": {over: "http", script: "tools: 1\nera: modern\non: {server/discover#2: [{result: '" + discovered + "'}]}",
			lost: lost},
		"in a session": {over: "http", script: "tools: 1\nhttp: {session: true}\non: {initialize#2: [{result: '" + other + "'}]}"},
		"stdio":        {over: "stdio", script: "tools: 1\non: {initialize#2: [{result: '" + other + "'}]}"},
		"fails":        {over: "http", script: "tools: 1\non: {initialize#2: [{status: 500}]}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			how := asked{Over: c.over}
			session, err := Open(t.Context(), how.server(t, t.TempDir(), []byte(c.script)),
				Options{Environ: os.Environ(), Timeout: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			session.Recheck(t.Context())
			got := ""
			if err := session.Lost(); err != nil {
				got = fmt.Sprint(err)
			}
			if got != c.lost {
				t.Errorf("lost: %q, want %q", got, c.lost)
			}
		})
	}
}
