package transport

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/process"
)

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	script := filepath.Join(dir, "script")
	err := os.WriteFile(script, []byte("#! /no/such/node -x\n"), 0o700) //nolint:gosec // a script must be executable
	if err := errors.Join(os.WriteFile(plain, nil, 0o600), err); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + strings.Join([]string{filepath.Join(dir, "none"), dir}, string(filepath.ListSeparator))
	tests := []struct {
		name     string
		command  Command
		notFound bool
		want     string
	}{
		{"empty", Command{}, false, `starting "": the command is empty`},
		{"name", Command{Path: "no-such-server", Env: []string{"PATH=/x", path}}, true,
			`starting "no-such-server": no such command in PATH`},
		{"no PATH", Command{Path: "sh"}, true, `starting "sh": no such command in PATH`},
		{"not executable", Command{Path: "plain", Env: []string{path}}, true, `starting "plain": no such command in PATH`},
		{"file", Command{Path: "./no-such-server", Dir: dir}, true, `starting "./no-such-server": no such file`},
		{"file, not executable", Command{Path: "./plain", Dir: dir}, false, `starting "./plain": permission denied`},
		{"folder", Command{Path: "script", Env: []string{path}, Dir: plain}, false,
			`starting "script": working folder "` + plain + `" is not a directory`},
		{"interpreter", Command{Path: "script", Env: []string{path}}, false,
			`starting "script": its interpreter /no/such/node is missing: fork/exec ` + script + `: no such file or directory`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := StartStdio(test.command, Handlers{})
			var start *process.StartError
			if !errors.As(err, &start) || start.NotFound != test.notFound {
				t.Fatalf("error %#v, want a *StartError, not found: %v", err, test.notFound)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCommandIsRunAsConfigured: a path counts from the working folder, and the environment is the given one and the mark of the start.
func TestCommandIsRunAsConfigured(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "server")); err != nil {
		t.Skip(err)
	}
	l, err := StartStdio(Command{Path: "./server", Dir: dir, Env: []string{"BEHAVE=env", "A=1"}}, Handlers{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, err := ask(t, l, 1)
	if err != nil {
		t.Fatal(err)
	}
	mark := regexp.MustCompile(`,"MCPCTL_RUN=[A-Z2-7]+"`)
	if diff := cmp.Diff(`["BEHAVE=env","A=1"]`, mark.ReplaceAllString(string(r.Result), "")); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
