package host

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
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

// TestStreamsThatAreNoTerminals have no width, whatever is around them.
func TestStreamsThatAreNoTerminals(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, stream := range map[string]io.Writer{"a file": file, "something around a file": wrapped{wrapped{file}}, "no file": &bytes.Buffer{}} {
		if IsTerminal(stream) || Width(stream) != 0 {
			t.Errorf("%s is a terminal of %d columns", name, Width(stream))
		}
	}
}

func TestSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	one, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	again, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	other, err := os.Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, c := range []struct {
		a, b any
		want bool
	}{{one, again, true}, {wrapped{one}, again, true}, {one, other, false}, {one, &bytes.Buffer{}, false}, {&bytes.Buffer{}, &bytes.Buffer{}, false}} {
		if got := SameFile(c.a, c.b); got != c.want {
			t.Errorf("SameFile(%T, %T) = %v", c.a, c.b, got)
		}
	}
}

// TestNoTerminalInCI asks nothing where CI is set, even if there is a terminal.
func TestNoTerminalInCI(t *testing.T) {
	if _, err := OpenTerminal(Process{Environ: []string{"CI=true"}}); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("with CI: %v", err)
	}
}
