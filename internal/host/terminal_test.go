package host

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestReadLine reads one answer at a time and leaves the next one where it is.
func TestReadLine(t *testing.T) {
	in := strings.NewReader("one\n\ntwo")
	for _, want := range []string{"one", "", "two"} {
		if got, err := ReadLine(in); string(got) != want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	if got, err := ReadLine(in); !errors.Is(err, io.EOF) {
		t.Errorf("after the last line: %q, %v", got, err)
	}
	broken := errors.New("broken")
	if got, err := ReadLine(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := ReadLine(strings.NewReader(strings.Repeat("x", longestAnswer+1))); err == nil {
		t.Errorf("an answer of %d bytes is taken", len(got))
	}
}

// wrapped is a writer around another one.
type wrapped struct{ io.Writer }

func (w wrapped) Unwrap() io.Writer { return w.Writer }

// TestNoTerminalInCI asks nothing where CI is set, even if there is a terminal.
func TestNoTerminalInCI(t *testing.T) {
	if _, err := OpenTerminal(Process{Environ: []string{"CI=true"}}); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("with CI: %v", err)
	}
}
