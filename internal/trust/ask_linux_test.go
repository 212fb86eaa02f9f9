package trust

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/internal/terminal/terminaltest"
)

// asked is what a terminal showed while somebody typed, who was asked about entries.
func (u user) asked(ctx context.Context, typed string, entries []config.Entry) (shown string, err error) {
	u.t.Helper()
	master, slave := terminaltest.Open(u.t)
	if mode, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS); err != nil {
		u.t.Fatal(err)
	} else if mode.Lflag &^= unix.ECHO; unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, mode) != nil { // what is typed would be shown before the question
		u.t.Fatal("the terminal goes on showing what is typed")
	}
	var text bytes.Buffer
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = text.ReadFrom(master) })                              // ends with an error, when the terminal is closed
	if _, err := master.WriteString(typed + strings.Repeat("\x04", 3)); err != nil { // a question too many ends, and does not wait
		u.t.Fatal(err)
	}
	screen := &terminal.Terminal{In: slave, Out: slave}
	err = u.ask(ctx, screen, entries)
	screen.Close()
	reading.Wait()
	return strings.ReplaceAll(text.String(), "\r\n", "\n"), err
}

// TestAnswers: a yes is remembered, of one server or of all; nothing, the end, nonsense and what was not offered mean no.
func TestAnswers(t *testing.T) {
	const (
		one = `{"mcpServers": {"one": {"command": "npx"}}}`
		two = `{"mcpServers": {"one": {"command": "npx"}, "two": {"command": "npx", "args": ["2"]}}}`
	)
	for _, c := range []struct {
		found, typed string
		kept         []string
	}{
		{two, "y\n", []string{"one", "two"}},
		{two, "n\n", nil},
		{two, "\n", nil},
		{two, "\x04", nil},
		{two, strings.Repeat("what\n", terminal.Attempts), nil},
		{two, "?\ny\n", []string{"one", "two"}},
		{two, "?\n\x04", nil},
		{two, "c\nn\ny\n", []string{"two"}},
		{two, "c\ny\n\n", []string{"one"}},
		{two, "c\ny\n\x04", []string{"one"}}, // what was answered was answered
		{one, "y\n", []string{"one"}},
		{one, "c\ny\n", nil}, // which is not offered of one
	} {
		u := newUser(t)
		shown, err := u.asked(t.Context(), c.typed, u.reads(c.found, false).Entries)
		if diff := cmp.Diff(c.kept, u.kept()); err != nil || diff != "" {
			t.Errorf("%q: %v, kept (-want +got):\n%s", c.typed, err, diff)
		}
		if !strings.Contains(shown, " of yours handed on\n\nTrust ") {
			t.Errorf("%q: there is nothing to look at:\n%s", c.typed, shown)
		}
		question := "Trust all 2, and remember that until they change? [y]es, [N]o, [c]hoose one by one, [?] details: "
		if c.found == one {
			question = "Trust it, and remember that until it changes? [y]es, [N]o, [?] details: "
		}
		if want := 1 + strings.Count(c.typed, "?") + max(0, strings.Count(c.typed, "what")-1); strings.Count(shown, question) != want {
			t.Errorf("%q was asked %d times, not %d:\n%s", question, strings.Count(shown, question), want, shown)
		}
		if details := strings.Contains(shown, "  starts    npx"); details != strings.ContainsAny(c.typed, "?") && !strings.HasPrefix(c.typed, "c") {
			t.Errorf("%q: details were shown: %v", c.typed, details)
		}
		if each := strings.Count(shown, "Trust one? [y]es, [N]o: ") + strings.Count(shown, "Trust two? [y]es, [N]o: "); each != 2 && strings.HasPrefix(c.typed, "c") && c.found == two {
			t.Errorf("%q: asked about %d:\n%s", c.typed, each, shown)
		} else if details := strings.Count(shown, "  starts    npx"); each > 0 && details != each {
			t.Errorf("%q: asked about %d with the details of %d:\n%s", c.typed, each, details, shown)
		}
	}
}

// TestOneOfTheUsersOwnIsNotAll: a yes to everything is for all of the user's applications, one that was given server by server is not.
func TestOneOfTheUsersOwnIsNotAll(t *testing.T) {
	for typed, want := range map[string][]string{"y\n": {"*", "found"}, "c\nn\ny\n": {"mine"}} {
		u := newUser(t)
		u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx"}}}`)
		_, err := u.asked(t.Context(), typed, u.reads(`{"mcpServers": {"found": {"command": "npx"}}}`, true).Entries)
		if diff := cmp.Diff(want, u.kept()); err != nil || diff != "" {
			t.Errorf("%q: %v, kept (-want +got):\n%s", typed, err, diff)
		}
	}
}

// TestQuestion: who decides sees what each server does, which values go where, what is unusual and what changed; no secret, and nothing
// that the terminal would obey.
func TestQuestion(t *testing.T) {
	u := newUser(t)
	u.writes(".cursor/mcp.json", `{"mcpServers": {"mine": {"command": "uvx", "env": {"NPM_TOKEN": "${NPM_TOKEN}"}}}}`)
	before := u.reads(`{"mcpServers": {"changed": {"command": "npx", "args": ["old"], "env": {"GONE": "1"}}}}`, false)
	u.agrees(before.Entries...)
	now := u.reads(`{"mcpServers": {
		"changed": {"command": "npx", "args": ["new"], "env": {"NODE_OPTIONS": "-r x", "NPM_TOKEN": "${NPM_TOKEN}"}},
		"esc\u001b[2K": {"command": "docker", "args": ["run", "--volume=/\u202e\u001b]0;x\u0007", "img", "--token", "s3cret-value"]},
		"sends": {"url": "https://h.example/mcp", "headers": {"X-Trace": "${AWS_KEY:-}", "Authorization": "Bearer s3cret-value"}}
	}}`, true)
	shown, err := u.asked(t.Context(), "n\n", now.Entries)
	const want = `mcpctl: nobody agreed yet to what was found here:

  changed  npx new  gets NPM_TOKEN
      + starts npx new
      + sets NODE_OPTIONS=-r x
      + sets NPM_TOKEN=${NPM_TOKEN}
      + gives env NPM_TOKEN → env NPM_TOKEN
      - starts npx old
      - sets GONE=1
      ! changes which code runs or whom it trusts
  esc\x1b[2K  docker run '--volume=/<U+202E>\x1b]0;x\x07' img --token '***'
      ! opens the container with --volume
  sends    https://h.example/mcp  gets AWS_KEY
      ! gives env AWS_KEY → header X-Trace → h.example (a secret in a place that is not made for secrets)
  mine     uvx  gets NPM_TOKEN

4 servers: 3 programs, 1 address; 2 values of yours handed on; 3 lines to look at (!)
1 server of your own applications, in files that only you can write: yes is for all that these files have, now and later

Trust all 4, and remember that until they change? [y]es, [N]o, [c]hoose one by one, [?] details: `
	if diff := cmp.Diff(want, shown); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	details, err := u.asked(t.Context(), "?\n\n", now.Entries)
	for _, shown := range []string{shown, details} {
		if err != nil || strings.Contains(shown, "s3cret") || strings.ContainsAny(shown, "\x1b\x07\u202e") {
			t.Errorf("%v: %+q", err, shown)
		}
	}
}

// TestWhatCannotBeRemembered: a yes that cannot be kept is an error, not an agreement.
func TestWhatCannotBeRemembered(t *testing.T) {
	for _, typed := range []string{"y\n", "c\ny\n"} {
		u := newUser(t)
		u.writes("state/mcpctl/trust/other", "")
		if err := os.Chmod(u.path("state/mcpctl/trust"), 0o770); err != nil {
			t.Fatal(err)
		}
		cfg := u.reads(`{"mcpServers": {"one": {"command": "npx"}, "two": {"command": "npx", "args": ["2"]}}}`, false)
		if _, err := u.asked(t.Context(), typed, cfg.Entries); err == nil || !strings.Contains(err.Error(), "can be written by others") || !strings.Contains(err.Error(), "run once with --yes") {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

// TestAskingEndsWithItsRun: a run that ends while it asks has agreed to nothing, and says why it ended.
func TestAskingEndsWithItsRun(t *testing.T) {
	over := errors.New("the run is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	u := newUser(t)
	cfg := u.reads(`{"mcpServers": {"one": {"command": "npx"}}}`, false)
	if _, err := u.asked(ctx, "", cfg.Entries); !errors.Is(err, over) || u.kept() != nil {
		t.Errorf("%v, kept %q", err, u.kept())
	}
}

// TestOnlyTheDoubtfulAreAskedAbout on the terminal of the run, wherever its streams go. The run is this test again, in a session of its
// own.
func TestOnlyTheDoubtfulAreAskedAbout(t *testing.T) {
	const text = `{"mcpServers": {"agreed": {"command": "npx"}, "found": {"command": "npx", "args": ["2"]}}}`
	if home := os.Getenv("MCPCTL_TRUST_HOME"); home != "" {
		u := user{t: t, home: home}
		u.Process = host.Process{Dir: u.path("project"), Home: home, Environ: []string{"XDG_STATE_HOME=" + u.path("state")}, Now: noon}
		cfg := u.reads(text, false)
		for range 2 { // the second time there is nothing left to ask
			if err := u.Ask(t.Context(), cfg, cfg.Entries); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	u := newUser(t)
	u.agrees(u.reads(text, false).Entries[:1]...)
	master, slave := terminaltest.Open(t)
	if _, err := master.WriteString("y\n\x04\x04"); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), self, "-test.run=^TestOnlyTheDoubtfulAreAskedAbout$")
	run.Env, run.ExtraFiles = []string{"MCPCTL_TRUST_HOME=" + u.home}, []*os.File{slave}
	run.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_ = slave.Close()
	var screen bytes.Buffer
	_, _ = screen.ReadFrom(master) // ends with an error, as nobody has the terminal any more
	if shown := screen.String(); strings.Count(shown, "Trust it, and remember") != 1 || !strings.Contains(shown, "  found  npx 2") || strings.Contains(shown, "agreed  npx") {
		t.Errorf("shown: %s", shown)
	}
	if diff := cmp.Diff([]string{"agreed", "found"}, u.kept()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNobodyIsAskedInCI, where nobody would answer.
func TestNobodyIsAskedInCI(t *testing.T) {
	u := newUser(t)
	cfg := u.reads(`{"mcpServers": {"one": {"command": "npx"}}}`, false)
	if err := u.Ask(t.Context(), cfg, cfg.Entries); err != nil || u.kept() != nil || u.Deny(cfg, cfg.Entries[0]) == nil {
		t.Errorf("%v, kept %q", err, u.kept())
	}
}
