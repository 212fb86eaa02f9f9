package main

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// typedLines are long command lines, harmless ones and such as would do harm if they ran. URL is a server that counts.
var typedLines = []string{
	`mcpctl call create_directory path=/tmp/x --yes -- tickets --root . `,
	`mcpctl snapshot --config mcp.json -- npx -y @scope/server `,
	`mcpctl call --yes tickets create_ticket title=x status=open labels:='["a"]' `,
	`mcpctl diff --yes --fail-on=breaking --base git:main npm:@acme/tickets@1.0.0 web `,
	`mcpctl read tickets 'tickets://{id}' id=7 --output out.txt `,
	`mcpctl watch --exec "touch ran" --webhook URL --headers-helper "touch ran" URL `,
}

// TestTabDoesNothing types the beginnings of long command lines, and TAB behind each, in real shells: nothing is started,
// contacted or written. Every program that could be found leaves a mark.
func TestTabDoesNothing(t *testing.T) {
	t.Parallel()
	for _, shell := range []struct {
		name, prepare string
		args          []string
	}{
		{"bash", "bind 'set completion-query-items 0'; bind 'set page-completions off'; source <(mcpctl completion bash)", []string{"--norc", "--noprofile", "-i"}},
		{"zsh", "LISTMAX=9999; autoload -Uz compinit; compinit -D -u; source <(mcpctl completion zsh)", []string{"-f", "-i"}},
	} {
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath(shell.name)
			if err != nil {
				t.Skipf("NOT TESTED: %s is not installed", shell.name)
			}
			s := newTabShop(t)
			p := newPseudo(t)
			cmd := exec.Command(program, shell.args...)
			cmd.Dir, cmd.Env = s.work, s.env
			cmd.Stdin, cmd.Stdout, cmd.Stderr = p.slave, p.slave, p.slave
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			say := func(text string) {
				if _, err := p.WriteString(text); err != nil {
					t.Fatal(err)
				}
			}
			say("PS1='> '; " + shell.prepare + "; echo rea''dy\n")
			p.await(t, "ready")
			before := s.state(t)
			for i, line := range typedLines {
				line = strings.ReplaceAll(line, "URL", s.url)
				for n := len("mcpctl "); n <= len(line); n++ {
					if i < 1 || line[n-1] == ' ' || line[n-1] == '=' { // of most lines the ends of words are enough
						say(line[:n] + "\t\x15") // Ctrl-U takes the line away again
					}
				}
				say(fmt.Sprintf("echo li''ne%d\n", i))
				p.awaitFor(t, fmt.Sprintf("line%d", i), 5*time.Minute)
			}
			for typed, becomes := range map[string]string{
				"call tickets clo": "call tickets close_ticket ", "call tickets list_tickets status=o": "status=open ", "list --form": "--format ",
				"read tickets tickets://o": "tickets://open ", "call tickets close_ticket i": "close_ticket id=",
			} {
				say("mcpctl " + typed + "\t")
				p.await(t, strings.TrimSpace(becomes))
				say("\x15")
			}
			say("mcpctl call tickets \t\t\x15")
			p.await(t, "Close a ticket.")
			say("exit\n")
			_ = cmd.Wait()
			if after := s.state(t); after != before {
				t.Errorf("something was written:\n%s\nbefore:\n%s", after, before)
			}
			if s.contacts.Load() != 0 {
				t.Error("a server was contacted")
			}
		})
	}
}

// TestFishOffers asks fish what it would offer.
func TestFishOffers(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("NOT TESTED: fish is not installed")
	}
	s := newTabShop(t)
	for line, want := range map[string]string{
		"mcpctl call tickets ":                            "close_ticket\tClose a ticket.",
		"mcpctl call tickets list_tickets status=":        "status=open",
		"mcpctl list --f":                                 "--format\t",
		"mcpctl call --yes tickets clo":                   "close_ticket\t",
		"mcpctl read tickets tick":                        "tickets://open\tAll",
		"mcpctl call --format=json tickets create_ticket": "create_ticket\t",
	} {
		cmd := exec.Command(program, "--no-config", "-c", "mcpctl completion fish | source; complete -C "+"'"+line+"'")
		cmd.Dir, cmd.Env = s.work, s.env
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q in\n%s", line, err, want, out)
		}
	}
}

// TestPowerShellOffers asks PowerShell what TAB would offer.
func TestPowerShellOffers(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pwsh")
	if err != nil {
		t.Skip("SKIPPED LOUDLY: PowerShell is in no Debian archive and no package of npm or Go; TestPowerShellHandsOn holds what can be held without it")
	}
	s := newTabShop(t)
	before := s.state(t)
	for line, want := range powerShellLines {
		cmd := exec.Command(program, "-NoProfile", "-NonInteractive", "-Command", "mcpctl completion powershell | Out-String | Invoke-Expression; "+
			"(TabExpansion2 -inputScript '"+line+"' -cursorColumn "+fmt.Sprint(len(line))+").CompletionMatches | ForEach-Object { $_.CompletionText + \"`t\" + $_.ToolTip }")
		cmd.Dir, cmd.Env = s.work, s.env
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q in\n%s", line, err, want, out)
		}
	}
	if after := s.state(t); after != before || s.contacts.Load() != 0 {
		t.Errorf("something was written or contacted:\n%s\nbefore:\n%s", after, before)
	}
}

var powerShellLines = map[string]string{
	"mcpctl call tickets ":                     "close_ticket\tClose a ticket.",
	"mcpctl call tickets list_tickets status=": "status=open",
	"mcpctl list --form":                       "--format\t",
}

// TestPowerShellHandsOn asks mcpctl what the script of PowerShell would ask it, with the words as that hands them on: what is
// complete, then what is typed, or two quotes for nothing.
func TestPowerShellHandsOn(t *testing.T) {
	t.Parallel()
	s := newTabShop(t)
	before := s.state(t)
	for line, want := range powerShellLines {
		words := strings.Split(line, " ")[1:]
		if last := len(words) - 1; words[last] == "" {
			words[last] = `""`
		}
		cmd := exec.Command(filepath.Join(s.root, "bin", "mcpctl"), append([]string{"__complete"}, words...)...)
		cmd.Dir, cmd.Env = s.work, s.env
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, want %q in\n%s", line, err, want, out)
		}
	}
	if after := s.state(t); after != before || s.contacts.Load() != 0 {
		t.Errorf("something was written or contacted:\n%s\nbefore:\n%s", after, before)
	}
}

// tabShop is a folder to type in: a configuration, a saved snapshot, and programs that leave a mark when they are started.
type tabShop struct {
	root, work, url string
	env             []string
	contacts        atomic.Int32
}

func newTabShop(t *testing.T) *tabShop {
	s := &tabShop{root: t.TempDir()}
	s.work = filepath.Join(s.root, "work")
	bin, home := filepath.Join(s.root, "bin"), filepath.Join(s.root, "home")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.contacts.Add(1)
			_ = conn.Close()
		}
	}()
	s.url = "http://" + listener.Addr().String() + "/mcp"
	write := func(path, text string, mode fs.FileMode) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	mark := fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >>%s\n", filepath.Join(s.root, "started"))
	for _, program := range []string{"tickets", "npx", "npm", "node", "git", "sh", "uvx", "docker", "touch", "xdg-open", "secret-tool"} {
		write(filepath.Join(bin, program), mark, 0o700)
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "mcpctl"))
	}
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(home, ".none"), "", 0o600)
	write(filepath.Join(s.work, "mcp.json"), `{"mcpServers": {"tickets": {"command": "`+filepath.Join(bin, "tickets")+`"}, "web": {"url": "`+s.url+`"}}}`, 0o600)
	saved, err := os.ReadFile("testdata/completion.json")
	if err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(s.work, "mcp-snapshots", "tickets.json"), string(saved), 0o600)
	s.env = []string{"PATH=" + bin, "HOME=" + home, "TERM=dumb", "HISTFILE=/dev/null", "LC_ALL=C.UTF-8"}
	return s
}

// state is everything below the folder, with its size and when it was written.
func (s *tabShop) state(t *testing.T) string {
	var all strings.Builder
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
