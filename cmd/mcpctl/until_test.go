package main

import (
	"bytes"
	"io"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// until runs a program that goes on until it is reported to end, types q and Enter as soon as as many lines of its standard output
// match, and wants this exit status: until STATUS COUNT REGEXP PROGRAM [ARG…].
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: until STATUS COUNT REGEXP PROGRAM [ARG…]")
	}
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	cmd := exec.Command(args[3], args[4:]...)
	cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "TMPDIR=" + ts.Getenv("TMPDIR"), "CI=true",
		"MCPCTL_CONFIG=" + ts.Getenv("MCPCTL_CONFIG"), "GOCOVERDIR=" + ts.Getenv("GOCOVERDIR")}
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), ts.Stderr()
	out := &counted{pattern: regexp.MustCompile("(?m)" + args[2]), left: count, reached: make(chan struct{})}
	cmd.Stdout = io.MultiWriter(ts.Stdout(), out)
	typed, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() }).Stop() // what never comes fails, late
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-out.reached:
		_, _ = io.WriteString(typed, "q\n")
		err = <-ended
	case err = <-ended:
		ts.Fatalf("it ended by itself, with status %s, before %q was there %d times", exitStatus(ts, err), args[2], count)
	}
	if got := exitStatus(ts, err); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// counted reports when as many whole lines as wanted have matched.
type counted struct {
	pattern *regexp.Regexp
	left    int
	reached chan struct{}
	once    sync.Once
	rest    []byte // the line that has not ended yet
}

// Write looks at the lines that p ends.
func (c *counted) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		line, rest, ended := bytes.Cut(c.rest, []byte("\n"))
		if !ended {
			return len(p), nil
		}
		if c.rest = rest; c.pattern.Match(line) {
			c.left--
		}
		if c.left <= 0 {
			c.once.Do(func() { close(c.reached) })
		}
	}
}

// inTime runs a program that is to do something until its time is over, with TIME in its words as 1s, then 4s, 16s and 64s,
// until what it writes matches: how much time that takes depends on the machine. It wants this exit status in the end:
// intime STATUS REGEXP PROGRAM [ARG…].
func inTime(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || !strings.Contains(strings.Join(args[2:], " "), "TIME") {
		ts.Fatalf("usage: intime STATUS REGEXP PROGRAM [ARG…] TIME [ARG…]")
	}
	pattern := regexp.MustCompile("(?m)" + args[1])
	for _, limit := range []string{"1s", "4s", "16s", "64s"} {
		words := kit.Map(args[3:], func(word string) string { return strings.ReplaceAll(word, "TIME", limit) })
		status := exitStatus(ts, ts.Exec(args[2], words...))
		if !pattern.MatchString(ts.ReadFile("stdout") + ts.ReadFile("stderr")) {
			continue
		}
		if status != args[0] {
			ts.Fatalf("exit status %s, want %s", status, args[0])
		}
		return
	}
	ts.Fatalf("%s is nowhere in what it wrote, whatever time it had", args[1])
}
