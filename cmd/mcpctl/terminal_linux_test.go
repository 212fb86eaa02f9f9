package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/host/terminaltest"
)

// pseudo is a terminal on which a test types when it has read a prompt; testscript types before there is one.
type pseudo struct {
	*os.File
	slave *os.File

	mu   sync.Mutex
	seen bytes.Buffer
}

func newPseudo(t *testing.T) *pseudo {
	t.Helper()
	master, slave := terminaltest.Open(t)
	p := &pseudo{File: master, slave: slave}
	go p.watch()
	return p
}

func (p *pseudo) watch() {
	buf := make([]byte, 1024)
	for {
		n, err := p.Read(buf)
		p.mu.Lock()
		p.seen.Write(buf[:n])
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (p *pseudo) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

// await waits until the terminal shows text: a shell that gets ready on a busy machine may take a while.
func (p *pseudo) await(t *testing.T, text string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 2*time.Minute; {
		if strings.Contains(p.text(), text) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the terminal never showed %q, but %q", text, p.text())
}

// echoes reports whether the terminal shows what is typed.
func (p *pseudo) echoes(t *testing.T) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// awaitHidden waits until the terminal does not show what is typed.
func (p *pseudo) awaitHidden(t *testing.T) {
	t.Helper()
	for range 2000 {
		if !p.echoes(t) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("the terminal goes on showing what is typed")
}

// onTerminal starts mcpctl in a session with p as its terminal, standard streams elsewhere.
func (p *pseudo) onTerminal(t *testing.T, dir string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "mcpctl")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	cmd := exec.Command(link, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = dir, out, out, []*os.File{p.slave}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, out
}

const askingConfig = `{
  "inputs": [{"type": "promptString", "id": "key", "password": true}],
  "servers": {"one": {"command": "sh", "args": ["-c", "echo $KEY > key.log; exit 1"], "env": {"KEY": "${input:key}"}}}
}`

// askedHidden starts a run that asks for a password, types text at the question and waits for the run to end. Nothing
// of it may be shown, and the terminal must be as it was.
func askedHidden(t *testing.T, text string) (dir string, err error) {
	t.Helper()
	p, dir := newPseudo(t), t.TempDir()
	config := filepath.Join(dir, "mcp.json")
	writeText(t, config, askingConfig)
	cmd, out := p.onTerminal(t, dir, "list", "--config", config)
	p.await(t, "not shown")
	p.awaitHidden(t)
	if _, err := p.WriteString(text); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if all := p.text() + out.String(); strings.Contains(all, "s3cret") {
		t.Errorf("the answer was shown: %q", all)
	}
	if !p.echoes(t) {
		t.Error("the terminal is left without echo")
	}
	return dir, err
}

// TestHiddenAnswer types a password, which arrives.
func TestHiddenAnswer(t *testing.T) {
	dir, _ := askedHidden(t, "s3cret-typed\n")
	if got, _ := os.ReadFile(filepath.Join(dir, "key.log")); strings.TrimSpace(string(got)) != "s3cret-typed" {
		t.Errorf("the server got %q", got)
	}
}

// TestInterruptedAnswer types Ctrl-C at a password: the run ends with status 130.
func TestInterruptedAnswer(t *testing.T) {
	var exit *exec.ExitError
	if _, err := askedHidden(t, "s3cret\x03"); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("ended with %v, want status 130", err)
	}
}

// asking is a server that asks a question before it answers.
const asking = `log: %s
tools: [{name: greet, inputSchema: {type: object}}]
on: {tools/call: [{ask: '{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}'}, {result: {content: [{type: text, text: welcome}]}}]}
`

// TestSlowPerson answers a server's question after longer than --timeout allows the server, which counts no second of it.
func TestSlowPerson(t *testing.T) {
	p, dir := newPseudo(t), t.TempDir()
	log := filepath.Join(dir, "log.jsonl")
	if err := os.WriteFile(filepath.Join(dir, "server.yaml"), fmt.Appendf(nil, asking, log), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := exec.LookPath("fixture") // which TestMain makes of this binary
	if err != nil {
		t.Fatal(err)
	}
	cmd, out := p.onTerminal(t, dir, "call", "--timeout", "2s", "--format", "text", "greet", "--", server, "stdio", "server.yaml")
	p.await(t, "Call it?")
	typed(t, p, "y\n")
	p.await(t, "answer (or nothing): ")
	time.Sleep(2500 * time.Millisecond) // that is what is tested
	typed(t, p, "Ada\n")
	p.await(t, "Send it?")
	typed(t, p, "y\n")
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "welcome") {
		t.Errorf("ended with %v: %s", err, out)
	}
	if sent, _ := os.ReadFile(log); !strings.Contains(string(sent), `"content":{"name":"Ada"}`) {
		t.Errorf("the server got %s", sent)
	}
}

func typed(t *testing.T, p *pseudo, text string) {
	t.Helper()
	if _, err := p.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// TestFleetInATerminal compares two directories of sixty saved snapshots in a terminal: a change that all servers share
// is shown once.
func TestFleetInATerminal(t *testing.T) {
	dir := t.TempDir()
	for i := range 60 {
		for _, side := range []string{"old", "new"} {
			required, own := `"query"`, fmt.Sprintf(`,"own_%d":{"type":"string"}`, i)
			if side == "new" {
				required, own = `"query","limit"`, ""
			}
			tools := fmt.Sprintf(`{"tools":[{"name":"search","inputSchema":{"type":"object","properties":{`+
				`"query":{"type":"string"},"limit":{"type":"integer"}%s},`+
				`"additionalProperties":false,"required":[%s]}}]}`, own, required)
			file := filepath.Join(dir, side, fmt.Sprintf("server-%02d.json", i))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			writeText(t, file, tools)
		}
	}
	shown := shownOf(t, dir, "diff", "old", "new")
	for _, want := range []string{"120 breaking", "`limit` is now required in `search` of 60 servers"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the terminal does not show %q", want)
		}
	}
	if n := strings.Count(shown, "`limit` is now required"); n > 2 { // in the summary and below it
		t.Errorf("the shared change is shown %d times", n)
	}
	if t.Failed() {
		t.Log(shown)
	}
}

// shownOf returns what a terminal of 24 lines shows of a command that finds breaking changes.
func shownOf(t *testing.T, dir string, args ...string) string {
	p := newPseudo(t)
	if err := unix.IoctlSetWinsize(int(p.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("mcpctl", args...)
	cmd.Dir, cmd.Env, cmd.Stdout = dir, append(os.Environ(), "HOME="+dir, "NO_COLOR=1"), p.slave
	if err := cmd.Run(); err == nil {
		t.Error("breaking changes passed")
	}
	_, _ = p.slave.WriteString("the end")
	p.await(t, "the end")
	return p.text()
}
