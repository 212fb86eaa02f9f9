package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal is the terminal that the run belongs to, whatever its standard streams are: answers are read from it even when
// standard input is a pipe.
type terminal struct{ in, out *os.File }

// errNoTerminal is why nobody can be asked.
var errNoTerminal = errors.New("there is no terminal to ask on")

// errNoAnswer is a terminal that ended, or Ctrl-D.
var errNoAnswer = errors.New("nothing was answered")

// openTerminal is the terminal of the run. There is none where CI is set: nobody would answer.
func (inv *invocation) openTerminal() (*terminal, error) {
	if ci, _ := inv.Lookup("CI"); ci != "" && ci != "false" {
		return nil, errNoTerminal
	}
	in, err := os.OpenFile(terminalIn, os.O_RDWR, 0)
	if err != nil || !isTerminal(in) {
		return nil, errNoTerminal
	}
	if terminalOut == terminalIn {
		return &terminal{in, in}, nil
	}
	out, err := os.OpenFile(terminalOut, os.O_RDWR, 0)
	if err != nil {
		_ = in.Close()
		return nil, errNoTerminal
	}
	return &terminal{in, out}, nil
}

// close gives the terminal back. It does not wait for an answer that nobody waits for any more.
func (t *terminal) close() {
	_ = t.in.Close()
	_ = t.out.Close()
}

// say writes text; what is not the program's own must be made visible first.
func (t *terminal) say(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// ask shows a prompt and reads a line; a hidden one is not echoed. The end of ctx ends it, with the terminal as it was.
func (t *terminal) ask(ctx context.Context, prompt string, hidden bool) (string, error) {
	before, err := term.GetState(int(t.in.Fd()))
	if err != nil {
		return "", errNoTerminal
	}
	type answer struct {
		text string
		err  error
	}
	t.say("%s", prompt)
	answered := make(chan answer, 1)
	go func() {
		text, err := t.line(hidden)
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		return a.text, a.err
	case <-ctx.Done():
		_ = term.Restore(int(t.in.Fd()), before)
		t.say("\n")
		return "", context.Cause(ctx)
	}
}

// line reads one line, and no byte of the next one.
func (t *terminal) line(hidden bool) (string, error) {
	var text []byte
	var err error
	if hidden {
		text, err = term.ReadPassword(int(t.in.Fd()))
		t.say("\n") // the user's was not echoed
	} else {
		text, err = readLine(t.in)
	}
	if errors.Is(err, io.EOF) {
		return "", errNoAnswer
	}
	return strings.TrimSuffix(string(text), "\r"), err
}

// longestAnswer bounds an answer, in bytes; a terminal's own limit is lower.
const longestAnswer = 64 << 10

func readLine(r io.Reader) ([]byte, error) {
	var line []byte
	for one := make([]byte, 1); len(line) < longestAnswer; {
		n, err := r.Read(one)
		switch {
		case n > 0 && one[0] == '\n':
			return line, nil
		case n > 0:
			line = append(line, one[0])
		case err != nil && len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		case err != nil:
			return nil, err
		}
	}
	return nil, fmt.Errorf("an answer of more than %d KiB", longestAnswer>>10)
}
