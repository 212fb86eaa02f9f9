package host

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/mcpctl/mcpctl/internal/host/terminaltest"
)

// keyboard is the other end of a terminal: what is written to it was typed, what is read from it is shown.
type keyboard struct {
	*os.File
	t     *testing.T
	shown sync.WaitGroup // done once the terminal is closed
	text  bytes.Buffer
}

// newTerminal is a terminal without a person, and its other end.
func newTerminal(t *testing.T) (*Terminal, *keyboard) {
	t.Helper()
	master, slave := terminaltest.Open(t)
	k := &keyboard{File: master, t: t}
	k.shown.Go(func() { _, _ = k.text.ReadFrom(master) }) // ends with an error, when the terminal is closed
	return &Terminal{slave, slave}, k
}

// types types, which the terminal keeps until someone reads.
func (k *keyboard) types(text string) {
	k.t.Helper()
	if _, err := k.WriteString(text); err != nil {
		k.t.Fatal(err)
	}
}

// saw closes the terminal, and is all that it showed.
func (k *keyboard) saw(t *Terminal) string {
	t.Close()
	k.shown.Wait()
	return k.text.String()
}

func TestAsk(t *testing.T) {
	terminal, typing := newTerminal(t)
	for _, hidden := range []bool{false, true} {
		typing.types("an answer\n")
		if got, err := terminal.Ask(t.Context(), "What? ", hidden); got != "an answer" || err != nil {
			t.Errorf("hidden %v: %q, %v", hidden, got, err)
		}
	}
	typing.types("\x04") // Ctrl-D
	if got, err := terminal.Ask(t.Context(), "And? ", false); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("at the end: %q, %v", got, err)
	}
	if shown := typing.saw(terminal); strings.Count(shown, "What? ") != 2 || !strings.Contains(shown, "And? ") {
		t.Errorf("shown: %q", shown)
	}
}

// TestAskEndsWithItsContext: the end of a run leaves the terminal as it was, although a hidden answer was waited for.
func TestAskEndsWithItsContext(t *testing.T) {
	terminal, typing := newTerminal(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the run is over")
	ended := make(chan error, 1)
	go func() {
		_, err := terminal.Ask(ctx, "Password: ", true)
		ended <- err
	}()
	for terminal.echoes(t) {
		time.Sleep(time.Millisecond)
	}
	cancel(over)
	if err := <-ended; !errors.Is(err, over) {
		t.Errorf("%v, want %v", err, over)
	}
	if !terminal.echoes(t) {
		t.Error("the terminal does not show what is typed any more")
	}
	typing.types("\n") // ends the read that nobody waits for
}

// echoes reports whether the terminal shows what is typed.
func (t *Terminal) echoes(test *testing.T) bool {
	test.Helper()
	state, err := unix.IoctlGetTermios(int(t.In.Fd()), unix.TCGETS)
	if err != nil {
		test.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// TestChoose types when it has read the question: what was typed before it answers nothing.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		ahead, typed, want string
		err                error
	}{
		{"", "y\n", "yes", nil},
		{"", "YES\n", "yes", nil},
		{"", " e \n", "edit", nil},
		{"", "n\n", "no", nil},
		{"", "\n", "no", nil},
		{"", "what\nyes\n", "yes", nil},
		{"", strings.Repeat("nonsense\n", MaxAttempts), "no", nil},
		{"", "\x04", "", ErrNoAnswer},
		{"y\n", "n\n", "no", nil},
		{"y\ny\n", "\x04", "", ErrNoAnswer},
	} {
		master, slave := terminaltest.Open(t)
		if _, err := master.WriteString(c.ahead); err != nil {
			t.Fatal(err)
		}
		var typing sync.WaitGroup
		typing.Go(func() {
			var shown bytes.Buffer
			for chunk := make([]byte, 64); !strings.Contains(shown.String(), "Do it? "); {
				n, err := master.Read(chunk)
				if shown.Write(chunk[:n]); err != nil {
					return
				}
			}
			_, _ = master.WriteString(c.typed)
		})
		got, err := (&Terminal{slave, slave}).Choose(t.Context(), "Do it? ", "yes", "edit", "no")
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q, then %q: %q, %v, want %q", c.ahead, c.typed, got, err, c.want)
		}
		typing.Wait()
	}
}

func TestWidth(t *testing.T) {
	terminal, typing := newTerminal(t)
	if err := unix.IoctlSetWinsize(int(typing.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 93}); err != nil {
		t.Fatal(err)
	}
	if Width(wrapped{terminal.Out}) != 93 || !IsTerminal(wrapped{terminal.Out}) {
		t.Errorf("%d columns, want 93", Width(terminal.Out))
	}
}

// TestProgress redraws one line for each answer and clears it at the end.
func TestProgress(t *testing.T) {
	terminal, typing := newTerminal(t)
	for _, quiet := range []Process{
		{Err: terminal.Out, Quiet: true}, {Err: terminal.Out, Environ: []string{"TERM=dumb"}},
	} {
		answered, finish := Progress(quiet, 2)
		answered()
		finish()
	}
	answered, finish := Progress(Process{Err: terminal.Out}, 2)
	answered()
	finish()
	want := "\r\x1b[J0 of 2 servers answered\r\x1b[J1 of 2 servers answered\r\x1b[J"
	if diff := cmp.Diff(want, typing.saw(terminal)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestWaiting shows after a second what is waited for, on one row, and clears it once.
func TestWaiting(t *testing.T) {
	terminal, typing := newTerminal(t)
	if err := unix.IoctlSetWinsize(int(typing.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 20}); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(*testing.T) {
		for _, c := range []struct {
			p    Process
			time time.Duration
		}{
			{Process{Err: terminal.Out, Quiet: true}, time.Minute},
			{Process{Err: terminal.Out, Environ: []string{"TERM=dumb"}}, time.Minute},
			{Process{Err: &strings.Builder{}}, time.Minute},
			{Process{Err: terminal.Out}, 999 * time.Millisecond},
			{Process{Err: terminal.Out}, 1001 * time.Millisecond},
		} {
			finish := Waiting(c.p, "waiting for a server (30s at most)")
			time.Sleep(c.time)
			finish()
			time.Sleep(time.Minute)
			finish()
		}
	})
	if diff := cmp.Diff("\r\x1b[Jwaiting for a serv…\r\x1b[J", typing.saw(terminal)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
