package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Every command that an output advises is run once for each script, where the script is at that moment: in its folder and
// environment, without a terminal; make test does so for a tenth of the scripts. It must not end with a mistake of usage or
// configuration, nor with the error that advised it.

// notRun are the kinds of advised commands that are not run, each with the reason.
var notRun = []struct{ reason, pattern string }{
	{"has a placeholder that says what to fill in", `…|(?:^|[ ='@:])\[?[A-Z]{2,}(?:[A-Z-]*)(?:$|[ '…|=,@])|\*\*\*`},
	{"is a program of the network, which a script without a registry of its own does not contact",
		`(?:npm|pypi|oci):|\b(?:npx|uvx|docker) |https?://[\w-]+(?:\.[a-z]|/)`},
	{"holds bytes of a hostile server", "[\x1b\\\\]"},
	{"asks for a login in a browser or for a keyring, which a build machine lacks", `^mcpctl login `},
	{"goes on until it is ended", `^mcpctl watch`},
}

// notCounted are the answers of an advised command that are no fault of the advice, each with the reason.
var notCounted = []struct{ reason, pattern string }{
	{"the next gate asks, and says itself how to pass", `not trusted yet|changed since it was trusted|may change things`},
	{"a word of another tool means a command, which has nothing to work on in an empty folder",
		`^error: no servers configured `},
	{"the file that was typed is not there", `cannot read recorded calls: open .*: no such file`},
	{"the entry lacks a value that a terminal is asked for", `has no value, needed in`},
}

// byHand matches a hint that has something done before its command: the error may remain until then.
var byHand = regexp.MustCompile(`\b(?:restore|remove|delete|fix|install|set|start|build|correct|add) `)

// adviceOf is what a script is advised.
type adviceOf struct {
	t    testscript.T
	seen map[string]bool
}

// adviceKey is the key of the adviceOf a script.
type adviceKey struct{}

// advisedCommand is one to run.
type advisedCommand struct {
	line  string
	error string // the error above the hint; empty = it is no hint
	hint  string
}

// runAdvised runs the commands of an output at the end of the script, since they would disturb what follows, in a copy of its
// folder as it is now, which is put in the same place.
func runAdvised(ts *testscript.TestScript, command, lines []string, output string) {
	helps := slices.ContainsFunc(command, func(w string) bool { return slices.Contains([]string{"--help", "-h", "help", "options"}, w) })
	if helps || len(command) == 1 || !full && !oneInTen(ts.Name()) {
		return // a help has examples
	}
	of := ts.Value(adviceKey{}).(*adviceOf)
	var all []advisedCommand
	for _, line := range lines {
		registry := ts.Getenv("npm_config_registry") != "" || strings.HasPrefix(ts.Getenv("PATH"), ts.Getenv("WORK"))
		if of.seen[line] || slices.ContainsFunc(notRun, func(not struct{ reason, pattern string }) bool {
			return !(registry && strings.HasPrefix(not.reason, "is a program of the network")) &&
				regexp.MustCompile(not.pattern).MatchString(line)
		}) {
			continue
		}
		of.seen[line] = true
		all = append(all, adviceIn(output, line))
	}
	if len(all) == 0 {
		return
	}
	work, dir, environ := ts.Getenv("WORK"), ts.MkAbs("."), environOf(ts)
	copied, err := os.MkdirTemp("", "advised")
	ts.Check(err)
	if out, err := exec.Command("cp", "-a", work+"/.", copied).CombinedOutput(); err != nil {
		ts.Fatalf("copying %s: %v: %s", work, err, out)
	}
	ts.Defer(func() {
		defer os.RemoveAll(copied)
		for _, c := range all {
			putBack(of.t, copied, work)
			if wrong := c.run(dir, environ); wrong != "" {
				of.t.Fatal(fmt.Sprintf("%s advises a command that %s", strings.Join(command, " "), wrong))
			}
		}
	})
}

// oneInTen chooses the scripts whose advice is run each time.
func oneInTen(script string) bool {
	sum := fnv.New32()
	_, _ = sum.Write([]byte(script))
	return sum.Sum32()%10 == 0
}

// environOf is the environment of a script, which testscript does not export as a whole.
func environOf(ts *testscript.TestScript) (all []string) {
	env := reflect.ValueOf(ts).Elem().FieldByName("env")
	for i := range env.Len() {
		all = append(all, env.Index(i).String())
	}
	return all
}

// putBack makes a folder be as it was when it was copied.
func putBack(t testscript.T, copied, folder string) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
	}
	if err == nil {
		err = exec.Command("cp", "-a", copied+"/.", folder).Run()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// adviceIn finds the error that an output advises a command for.
func adviceIn(output, command string) advisedCommand {
	found := advisedCommand{line: command}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "":
			found.error = ""
		case strings.HasPrefix(line, "error: "):
			found.error = line
		}
		if strings.Contains(line, command) {
			found.hint = line
			return found
		}
	}
	return advisedCommand{line: command}
}

// run runs an advised command and returns what is wrong with it.
func (c advisedCommand) run(dir string, environ []string) (wrong string) {
	words, err := shellWords(c.line)
	if err != nil {
		return fmt.Sprintf("cannot be typed: %s: %v", c.line, err)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "env", words...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, environ, 10*time.Second
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	output, err := cmd.CombinedOutput()
	status := cmd.ProcessState.ExitCode()
	says := string(output)
	if slices.ContainsFunc(notCounted, func(not struct{ reason, pattern string }) bool {
		return regexp.MustCompile(not.pattern).MatchString(says)
	}) {
		return ""
	}
	shown := fmt.Sprintf("\n$ %s\n%.800s", c.line, says)
	switch {
	case ctx.Err() != nil:
		return "does not end:" + shown
	case status == 2 || status < 0:
		return fmt.Sprintf("is a mistake (status %d, %v):%s", status, err, shown)
	case c.error != "" && strings.Contains(says, c.error) && !byHand.MatchString(c.hint):
		return "ends with the error that advised it:" + shown
	}
	return ""
}
