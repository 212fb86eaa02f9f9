// Package host holds the facts of one run of the program: its streams, its environment, where and when it
// runs, and the terminal with the person at it.
package host

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/clipperhouse/displaywidth"
)

// Process is one run of the program. It is passed by value and never changed once the command line is read.
type Process struct {
	In             io.Reader
	Out, Err       io.Writer
	Environ        []string  // NAME=value, as os.Environ has it
	Dir            string    // current folder, absolute
	Home           string    // the user's home folder; empty = there is none
	GOOS           string    // system, as runtime.GOOS names it
	Version        string    // of this program
	Now            time.Time // when the run began; it decides what has expired
	Quiet, Verbose bool      // how much the user wants on Err

	Again <-chan struct{} // closed by a second signal, after the one that ended the run; nil = there is none

	// Background runs work beside the run, such as the end of a server; the program waits for it before it
	// exits. nil = work is done at once.
	Background func(work func())
}

// Later does work in the background.
func (p Process) Later(work func()) {
	if p.Background == nil {
		work()
		return
	}
	p.Background(work)
}

// Lookup reads one variable of the environment; the last of a name counts.
func (p Process) Lookup(name string) (string, bool) {
	for i := len(p.Environ) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(p.Environ[i], "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// Reason writes to Err why the status is not 0, also with --quiet.
func (p Process) Reason(format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf("mcpctl: "+format, args...), "\n") {
		fmt.Fprintln(p.Err, Fold(line, Width(p.Err), "  "))
	}
}

// Fold returns a line broken at spaces for so many columns; 0 = no limit. Further lines begin with an indent,
// which counts.
func Fold(line string, columns int, indent string) string {
	var folded strings.Builder
	used := 0
	for i, word := range strings.Split(line, " ") {
		size := displaywidth.String(word)
		switch {
		case i == 0:
		case columns > 0 && used+1+size > columns:
			folded.WriteString("\n" + indent)
			used = len(indent)
		default:
			folded.WriteByte(' ')
			used++
		}
		folded.WriteString(word)
		used += size
	}
	return folded.String()
}

// Columns returns how many columns of a terminal a text takes.
func Columns(text string) int { return displaywidth.String(text) }

// Wrap returns the rows of a line as Fold has them, with longer words broken: no row is wider than columns.
func Wrap(line string, columns int) (rows []string) {
	for row := range strings.SplitSeq(Fold(line, columns, ""), "\n") {
		used, start := 0, 0
		for i, r := range row {
			size := displaywidth.Rune(r)
			if columns > 0 && used > 0 && used+size > columns {
				rows = append(rows, row[start:i])
				used, start = 0, i
			}
			used += size
		}
		rows = append(rows, row[start:])
	}
	return rows
}

// Note writes to Err, unless --quiet is set.
func (p Process) Note(format string, args ...any) {
	if !p.Quiet {
		p.Reason(format, args...)
	}
}

// Detail writes to Err with --verbose.
func (p Process) Detail(format string, args ...any) {
	if p.Verbose {
		p.Note(format, args...)
	}
}

// Rel returns a path below the current directory relative to it; others stay absolute.
func (p Process) Rel(path string) string {
	relative, err := filepath.Rel(p.Dir, path)
	if err != nil || strings.HasPrefix(relative, "..") {
		return path
	}
	return filepath.ToSlash(relative)
}

// StateDir returns the directory for what the program remembers: below XDG_STATE_HOME or ~/.local/state, on
// macOS and Windows where the system has such directories.
func (p Process) StateDir() (string, error) {
	return p.userDir("XDG_STATE_HOME", ".local/state", "Library/Application Support")
}

// CacheDir returns the directory for what can be fetched again: below XDG_CACHE_HOME or ~/.cache, on macOS
// and Windows where the system has such directories.
func (p Process) CacheDir() (string, error) {
	return p.userDir("XDG_CACHE_HOME", ".cache", "Library/Caches")
}

// userDir returns the directory of the program in the one that a variable names, else in one of the home
// directory, or on Windows in LocalAppData. A relative path in a variable counts as not set, as the XDG
// specification says.
func (p Process) userDir(variable, unix, darwin string) (string, error) {
	base := filepath.Join(p.Home, unix)
	xdg, _ := p.Lookup(variable)
	local, _ := p.Lookup("LocalAppData")
	switch {
	case filepath.IsAbs(xdg):
		base = xdg
	case p.GOOS == "windows" && filepath.IsAbs(local):
		base = local
	case p.GOOS == "windows":
		base = filepath.Join(p.Home, "AppData", "Local")
	case p.GOOS == "darwin":
		base = filepath.Join(p.Home, darwin)
	}
	if !filepath.IsAbs(base) {
		return "", fmt.Errorf("no home directory: set HOME, or %s to an absolute path", variable)
	}
	return filepath.Join(base, "mcpctl"), nil
}

// lastWords is how long a write may take once the run was interrupted.
const lastWords = time.Second

// Interruptible returns w for a run that ctx ends: a reader that stands still delays the end no longer than
// a moment.
func Interruptible(ctx context.Context, w io.Writer) io.Writer {
	return &interruptible{ended: ctx, w: w}
}

type interruptible struct {
	ended context.Context
	w     io.Writer
	mu    sync.Mutex
	gone  bool // a write failed after the end, or was given up and may still be under way
}

// Unwrap returns the stream itself, which may be a terminal.
func (i *interruptible) Unwrap() io.Writer { return i.w }

// Write writes, unless the run has ended.
func (i *interruptible) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.gone {
		return 0, context.Cause(i.ended)
	}
	p = bytes.Clone(p)
	n, err := AwaitFor(i.ended, lastWords, func() (int, error) { return i.w.Write(p) })
	i.gone = err != nil && i.ended.Err() != nil
	return n, err
}

// InterruptibleInput returns r for a run that ctx ends: reading then fails with the cause.
func InterruptibleInput(ctx context.Context, r io.Reader) io.Reader {
	return &interruptibleInput{ctx, r}
}

type interruptibleInput struct {
	ended context.Context
	r     io.Reader
}

// Unwrap returns the stream itself, which may be a terminal.
func (i *interruptibleInput) Unwrap() io.Reader { return i.r }

// Read waits for input until the run ends.
func (i *interruptibleInput) Read(p []byte) (int, error) {
	text, err := AwaitFor(i.ended, 0, func() ([]byte, error) {
		text := make([]byte, len(p))
		n, err := i.r.Read(text)
		return text[:n], err
	})
	return copy(p, text), err
}

// What work may still take once a signal has ended the run: work that had begun, work that begins then, and
// the final output.
const (
	grace      = 150 * time.Millisecond
	lateGrace  = 20 * time.Millisecond
	finalGrace = 250 * time.Millisecond
)

// Await returns the result of work, which has a moment to end after ctx has.
func Await[T any](ctx context.Context, work func() (T, error)) (T, error) {
	if ctx.Err() != nil {
		return AwaitFor(ctx, lateGrace, work)
	}
	return AwaitFor(ctx, grace, work)
}

// Within awaits work that has a limit; 0 = none.
func Within[T any](ctx context.Context, limit time.Duration, work func(context.Context) (T, error)) (T,
	error) {
	limited := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	result, err := Await(limited, func() (T, error) { return work(limited) })
	if err == nil && ctx.Err() == nil {
		err = limited.Err()
	}
	return result, err
}

// ForLastPages returns a context for the final output of a run, which ends a moment after ctx.
func ForLastPages(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		time.AfterFunc(finalGrace, func() { cancel(context.Cause(ctx)) })
	})
	return late, func() { cancel(nil) }
}

// AwaitFor returns the result of work. After the end of ctx work has the grace to return; then it is left
// running.
func AwaitFor[T any](ctx context.Context, grace time.Duration, work func() (T, error)) (T, error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := work()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(grace):
		return outcome{}.result, context.Cause(ctx)
	}
}
