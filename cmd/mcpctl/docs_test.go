package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/fixture"
)

// TestDocs runs the console examples of README.md and docs/: each page is one session, with the examples folder and the
// example server at hand. A line "$ COMMAND" is run, "# exit status N" at its end says how it ends, and the lines below
// it are its output, in which a line "…" stands for any lines.
func TestDocs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the examples are written for a POSIX shell")
	}
	pages, _ := filepath.Glob("../../docs/*.md")
	sessions, ran := t.TempDir(), 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if script, n := sessionOf(string(text)); n > 0 {
			ran += n
			name := strings.TrimSuffix(filepath.Base(page), ".md") + ".txtar"
			writeText(t, filepath.Join(sessions, name), script)
		}
	}
	if ran < 5 {
		t.Fatalf("only %d examples found: is the search broken?", ran)
	}
	params := scripts(sessions)
	params.Cmds["prints"] = takes("prints FILE", prints)
	params.Setup = func(env *testscript.Env) error {
		return errors.Join(setup(env), protect(env), os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS("../../examples")))
	}
	testscript.Run(t, params)
}

// protect gives a session a server that wants a login, one that wants a token, and a browser that follows every link.
func protect(env *testscript.Env) error {
	script, err := fixture.Load("testdata/tickets.yaml")
	if err != nil {
		return err
	}
	s := authtest.New(fixture.HTTP(script), authtest.Quirks{Silent: true})
	env.Defer(s.Close)
	env.Setenv("TICKETS_URL", s.URL)
	if script, err = fixture.Load("testdata/notes.yaml"); err != nil {
		return err
	}
	notes := fixture.Listen(script)
	env.Defer(notes.Close)
	env.Setenv("NOTES_URL", notes.Address())
	env.Setenv("BROWSER", "follow")
	return nil
}

// sessionOf turns the console blocks of a page into a script, and counts their commands.
func sessionOf(page string) (script string, commands int) {
	var steps, files strings.Builder
	inside, expected := false, false
	for _, line := range strings.Split(page, "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside, expected = line == "```console", false
		case inside && isCommand:
			commands++
			command, status := cutStatus(command)
			how := "exits " + status
			if timed := strings.Replace(command, "--for 1s", "--for TIME", 1); timed != command { // a second, on a machine that is not busy
				how, command = "intime "+status+" live", timed
			}
			fmt.Fprintf(&steps, "%s sh -c '%s'\n", how, strings.ReplaceAll(command, "'", "''"))
			expected = false
		case inside && commands > 0:
			if !expected {
				fmt.Fprintf(&steps, "prints %d.txt\n", commands)
				fmt.Fprintf(&files, "-- %d.txt --\n", commands)
				expected = true
			}
			fmt.Fprintln(&files, line)
		}
	}
	return steps.String() + files.String(), commands
}

// cutStatus takes "# exit status N" off a command.
func cutStatus(command string) (bare, status string) {
	bare, status, found := strings.Cut(command, "# exit status ")
	if !found {
		status = "0"
	}
	return strings.TrimSpace(bare), strings.TrimSpace(status)
}

// prints compares the last command's output with a file in which a line "…" stands for any lines: prints FILE.
func prints(ts *testscript.TestScript, args []string) {
	want := strings.Split(strings.TrimRight(ts.ReadFile(args[0]), "\n"), "\n")
	output := ts.ReadFile("stdout")
	if got := strings.Split(strings.TrimRight(output, "\n"), "\n"); !matches(want, got) {
		ts.Fatalf("the page shows\n%s\nbut it prints\n%s", strings.Join(want, "\n"), output)
	}
}

func matches(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "…":
		return matches(want[1:], got) || len(got) > 0 && matches(want, got[1:])
	}
	return len(got) > 0 && narrow(want[0]) == narrow(got[0]) && matches(want[1:], got[1:])
}

// narrow is a line with narrow columns: how wide they are follows from milliseconds that were measured.
func narrow(line string) string {
	words := strings.TrimLeft(line, " ")
	return line[:len(line)-len(words)] + regexp.MustCompile(" {2,}").ReplaceAllString(strings.TrimRight(words, " "), "  ")
}
