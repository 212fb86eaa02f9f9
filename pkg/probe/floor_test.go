package probe

import (
	"os"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestFloor is the shortest time for which a server takes one of its lists to stay current.
func TestFloor(t *testing.T) {
	for ttl, want := range map[string]time.Duration{
		"60000": time.Second, "500": 500 * time.Millisecond, "0": 0, "-1": 0, `"1000"`: 0, "1e300": time.Second, "null": 0,
	} {
		script := "era: modern\ntools: 1\nprompts: 1\non: {tools/list: [{result: '{\"tools\":[],\"ttlMs\":" + ttl + "}'}]}"
		session, err := Open(t.Context(), asked{}.server(t, t.TempDir(), []byte(script)), Options{Environ: os.Environ(), Timeout: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		if _, err := session.List(t.Context(), snapshot.Tools, snapshot.Prompts); err != nil {
			t.Errorf("ttlMs %s: %v", ttl, err)
		}
		if got := session.Floor(); got != want { // that of prompts is a second
			t.Errorf("with ttlMs %s the floor is %v, want %v", ttl, got, want)
		}
	}
}
