package trust

import (
	"context"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/config"
)

// named are entries with a file or directory in each place that can name one.
const named = `{"mcpServers": {
	"bearer": {"url": "https://h.example/mcp", "bearerToken": {"file": "secrets/pipe"}},
	"header": {"url": "https://h.example/mcp", "headers": {"X-Key": {"file": "secrets/pipe"}}},
	"client": {"url": "https://h.example/mcp", "oauth": {"clientId": "x", "clientSecret": {"file": "secrets/pipe"}}},
	"key": {"url": "https://h.example/mcp", "oauth": {"clientId": "x", "privateKey": {"file": "secrets/file"}}},
	"identity": {"url": "https://h.example/mcp", "oauth": {"identityToken": {"file": "secrets/file"}}},
	"variables": {"command": "x", "envFile": "secrets/pipe"},
	"directory": {"command": "npx", "args": ["./secrets/file"], "cwd": "secrets"},
	"program": {"command": "./secrets/file"}}}`

// TestNothingIsOpened reads the configuration, asks, refuses and describes: no file or directory that an untrusted entry
// names is opened or read, which the kernel would report, and the writer of a pipe does not wake.
func TestNothingIsOpened(t *testing.T) {
	u := newUser(t)
	u.writes("project/secrets/file", "s3cret")
	if err := unix.Mkfifo(u.path("project/secrets/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	u.writes("project/.mcp.json", named)
	events, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(events)
	if _, err := unix.InotifyAddWatch(events, u.path("project/secrets"), unix.IN_ALL_EVENTS); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	cfg := u.load(false)
	if len(cfg.Entries) != 8 {
		t.Fatalf("%d entries", len(cfg.Entries))
	}
	s := newScreen(80, 24)
	for _, part := range s.parts(subjectsOf(cfg.Entries, config.Entry.OwnFile)) {
		_ = part.question
	}
	_, _ = u.Admit(cfg, cfg.Entries)
	_ = u.Describe(cfg.Entries)
	_ = u.Ask(ctx, cfg.Entries)
	if _, err := u.Propose(t.Context(), cfg.Entries, true, false, true); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 4096)
	if n, err := unix.Read(events, buffer); n > 0 || err != unix.EAGAIN {
		t.Errorf("something was looked at before a yes: %d bytes of events, %v", n, err)
	}
	if file, err := os.OpenFile(u.path("project/secrets/pipe"), os.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
		_ = file.Close()
		t.Error("the pipe has a reader")
	}
	u.trust(&config.Config{Entries: cfg.Entries})
	if approved, _ := u.Admit(cfg, cfg.Entries); len(approved) == len(cfg.Entries) {
		t.Error("after a yes the pipes are read")
	}
	if n, _ := unix.Read(events, buffer); n <= 0 {
		t.Error("after a yes nothing was looked at: the test sees nothing")
	}
}
