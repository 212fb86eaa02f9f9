package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// Terminal is the terminal of the run, apart from its standard streams.
type Terminal struct{ In, Out *os.File }

// ErrNoTerminal is returned where no question can be asked.
var ErrNoTerminal = errors.New("no terminal to ask on")

// ErrNoAnswer is a terminal that ended, or Ctrl-D.
var ErrNoAnswer = errors.New("nothing was answered")

// MaxAttempts bounds mistyped answers to one question.
const MaxAttempts = 5

// OpenTerminal opens the terminal of the run. There is none where CI is set.
func OpenTerminal(p Process) (*Terminal, error) {
	if ci, _ := p.Lookup("CI"); ci != "" && ci != "false" {
		return nil, ErrNoTerminal
	}
	deviceIn, deviceOut := "/dev/tty", "/dev/tty"
	if runtime.GOOS == "windows" {
		deviceIn, deviceOut = "CONIN$", "CONOUT$"
	}
	in, err := os.OpenFile(deviceIn, os.O_RDWR, 0)
	if err != nil || !IsTerminal(in) {
		return nil, ErrNoTerminal
	}
	if deviceOut == deviceIn {
		return &Terminal{in, in}, nil
	}
	out, err := os.OpenFile(deviceOut, os.O_RDWR, 0)
	if err != nil {
		_ = in.Close()
		return nil, ErrNoTerminal
	}
	return &Terminal{in, out}, nil
}

// Close releases the terminal. It does not wait for an abandoned answer.
func (t *Terminal) Close() {
	_ = t.In.Close()
	_ = t.Out.Close()
}

// Printf writes text; what is not the program's own must be made visible first.
func (t *Terminal) Printf(format string, args ...any) { fmt.Fprintf(t.Out, format, args...) }

// Ask shows a prompt and reads a line; a hidden one is not echoed. The end of ctx ends it, with the terminal
// as it was.
func (t *Terminal) Ask(ctx context.Context, prompt string, hidden bool) (string, error) {
	fd := int(t.In.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", ErrNoTerminal
	}
	t.Printf("%s", prompt)
	text, err := AwaitFor(ctx, 0, func() (string, error) { return t.line(fd, hidden) })
	if err != nil && ctx.Err() != nil {
		_ = term.Restore(fd, before)
		t.Printf("\n")
	}
	return text, err
}

func (t *Terminal) line(fd int, hidden bool) (string, error) {
	var text []byte
	var err error
	if hidden {
		text, err = term.ReadPassword(fd)
		t.Printf("\n") // the user's was not echoed
	} else {
		text, err = ReadLine(t.In)
	}
	if errors.Is(err, io.EOF) {
		return "", ErrNoAnswer
	}
	return strings.TrimSuffix(string(text), "\r"), err
}

// Choose returns the first of words that begins with the answer; "no" for an empty one, or after too many
// invalid ones.
func (t *Terminal) Choose(ctx context.Context, question string, words ...string) (string, error) {
	discardInput(t.In) // what was typed before the question answers nothing
	for range MaxAttempts {
		answer, err := t.Ask(ctx, question, false)
		if err != nil {
			return "", err
		}
		answer = strings.ToLower(strings.TrimSpace(answer))
		if answer == "" {
			return "no", nil
		}
		for _, word := range words {
			if strings.HasPrefix(word, answer) {
				return word, nil
			}
		}
	}
	return "no", nil
}

// Confirm shows what is about to happen and asks; it returns noTerminal without a terminal, and refused
// without a yes.
func Confirm(ctx context.Context, p Process, about, question string, noTerminal, refused error) error {
	t, err := OpenTerminal(p)
	if err != nil {
		return noTerminal
	}
	defer t.Close()
	for line := range strings.Lines(about) {
		t.Printf("%s\n", Fold(strings.TrimSuffix(line, "\n"), Width(t.Out), "  "))
	}
	answer, err := t.Choose(ctx, question+" [y]es, [N]o: ", "yes", "no")
	if errors.Is(err, ErrNoAnswer) {
		t.Printf("\n") // Ctrl-D leaves the cursor behind the question
	}
	switch {
	case err != nil && !errors.Is(err, ErrNoAnswer):
		return err
	case answer != "yes":
		return refused
	}
	return nil
}

// longestAnswer bounds an answer, in bytes; a terminal's own limit is lower.
const longestAnswer = 64 << 10

// ReadLine reads a line of an answer, and no byte of the next one.
func ReadLine(r io.Reader) ([]byte, error) {
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

// clearLine is the escape sequence that clears the line of the cursor.
const clearLine = "\r\x1b[J"

// Progress shows on one line of a terminal how many of several servers have answered. It returns a function
// that counts an answer, and one that clears the line; nothing else may be written in between.
func Progress(p Process, servers int) (answered, finish func()) {
	if servers < 2 || !p.redraws() {
		return func() {}, func() {}
	}
	var line sync.Mutex
	done := -1
	answered = func() {
		line.Lock()
		defer line.Unlock()
		done++
		fmt.Fprintf(p.Err, "%s%d of %d servers answered", clearLine, done, servers)
	}
	answered()
	return answered, func() { fmt.Fprint(p.Err, clearLine) }
}

// redraws reports whether a line on standard error can be cleared.
func (p Process) redraws() bool {
	kind, _ := p.Lookup("TERM")
	return kind != "dumb" && !p.Quiet && IsTerminal(p.Err)
}

// waitingFrom is how long a run is silent before it shows what it waits for.
const waitingFrom = time.Second

// Waiting shows on one line of a terminal what the run waits for, once that takes longer than a second. It
// returns a function that clears the line; nothing else may be written in between.
func Waiting(p Process, says string) (finish func()) {
	if !p.redraws() {
		return func() {}
	}
	var line sync.Mutex
	shown, ended := false, false
	timer := time.AfterFunc(waitingFrom, func() {
		line.Lock()
		defer line.Unlock()
		if shown = !ended; shown { // one that wraps could not be cleared; 0 columns = not known
			columns := max(1, cmp.Or(Width(p.Err), 80)-1)
			fmt.Fprint(p.Err, clearLine, displaywidth.TruncateString(says, columns, "…"))
		}
	})
	return func() {
		timer.Stop()
		line.Lock()
		defer line.Unlock()
		if shown && !ended {
			fmt.Fprint(p.Err, clearLine)
		}
		ended = true
	}
}

// fileOf returns the file that a stream wraps.
func fileOf(stream any) (file *os.File, ok bool) {
	for {
		switch around := stream.(type) {
		case interface{ Unwrap() io.Writer }:
			stream = around.Unwrap()
		case interface{ Unwrap() io.Reader }:
			stream = around.Unwrap()
		default:
			file, ok = stream.(*os.File)
			return file, ok
		}
	}
}

// SameFile reports whether two streams end in the same file or pipe, as with 2>&1.
func SameFile(a, b any) bool {
	one, isOne := fileOf(a)
	other, isOther := fileOf(b)
	if !isOne || !isOther {
		return false
	}
	first, err := one.Stat()
	second, failed := other.Stat()
	return err == nil && failed == nil && os.SameFile(first, second)
}

// IsTerminal reports whether a stream is a terminal or wraps one.
func IsTerminal(stream any) bool {
	file, ok := fileOf(stream)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Width returns the number of columns of the terminal w; 0 for other streams.
func Width(w io.Writer) int {
	width, _ := Size(w)
	return width
}

// Size returns the columns and lines of the terminal w; 0 for other streams.
func Size(w io.Writer) (width, height int) {
	file, ok := fileOf(w)
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}
