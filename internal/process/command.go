// Package process runs commands: found as a child's own environment finds them, in a process group that ends
// as a whole.
package process

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// StartError is a command that could not be started.
type StartError struct {
	Command  string // as configured
	NotFound bool   // the command does not exist
	Err      error  // the system's own error, if any
}

// Error returns what is wrong with the command.
func (e *StartError) Error() string {
	switch {
	case e.NotFound && isName(e.Command):
		return fmt.Sprintf("starting %q: no such command in PATH", e.Command)
	case e.NotFound:
		return fmt.Sprintf("starting %q: no such file", e.Command)
	}
	return fmt.Sprintf("starting %q: %v", e.Command, e.Err)
}

// Unwrap returns the system's own error.
func (e *StartError) Unwrap() error { return e.Err }

// isName reports whether a command is looked up in PATH: it has no directory.
func isName(command string) bool { return filepath.Base(command) == command }

// LookPath returns the file that a child in dir ("" = the current one) with the environment env runs as
// name: names are looked up in the child's PATH, relative paths from its directory. The error is a
// *StartError.
func LookPath(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", &StartError{Err: errors.New("the command is empty")}
	}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			err = fmt.Errorf("working folder %q is not a directory", dir)
			return "", &StartError{Command: name, Err: err}
		}
	}
	if !isName(name) {
		return executable(name, dir, name)
	}
	for _, folder := range filepath.SplitList(Variable(env, "PATH")) {
		if folder == "" {
			continue
		}
		file, err := executable(name, dir, filepath.Join(folder, name))
		if not, ok := errors.AsType[*StartError](err); !ok || !not.NotFound {
			return file, err
		}
	}
	return "", &StartError{Command: name, NotFound: true}
}

// Tool returns the file of a program that mcpctl itself uses, by the PATH in env. A relative entry of PATH
// is refused: the repository in the current directory would choose what runs. The error is a *StartError.
func Tool(name string, env []string) (string, error) {
	file, err := LookPath(name, "", env)
	holds := func(folder string) bool {
		return filepath.IsAbs(folder) && filepath.Clean(folder) == filepath.Dir(file)
	}
	if err == nil && !slices.ContainsFunc(filepath.SplitList(Variable(env, "PATH")), holds) {
		err = &StartError{Command: name, Err: fmt.Errorf("a relative entry of PATH leads to %s: remove that "+
			"entry: %w", file, exec.ErrDot)}
	}
	if err != nil {
		return "", err
	}
	return file, nil
}

// Missing returns an error of Tool, or the given message if the program does not exist.
func Missing(err error, said string, args ...any) error {
	if start, ok := errors.AsType[*StartError](err); ok && !start.NotFound {
		return err
	}
	return fmt.Errorf(said, args...)
}

// executable checks one file for name; on Windows it also adds the extension.
func executable(name, dir, file string) (string, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", &StartError{Command: name, Err: err}
	}
	found, err := exec.LookPath(file)
	switch {
	case err == nil:
		return found, nil
	case errors.Is(err, fs.ErrPermission) && isName(name), errors.Is(err, fs.ErrNotExist),
		errors.Is(err, exec.ErrNotFound):
		return "", &StartError{Command: name, NotFound: true, Err: err}
	}
	if wrapped, ok := errors.AsType[*exec.Error](err); ok {
		err = wrapped.Err // it names the file, which the command does already
	}
	return "", &StartError{Command: name, Err: err}
}

// Variable returns a variable of a child's environment; the last one of a name counts, as for the child.
func Variable(env []string, name string) string {
	value := ""
	for _, pair := range env {
		k, v, ok := strings.Cut(pair, "=")
		if ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			value = v
		}
	}
	return value
}

// StartFailure returns why name, found as file, did not start. It names the missing interpreter of a script,
// which systems do not.
func StartFailure(name, file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if words := Shebang(file); len(words) > 0 {
			err = fmt.Errorf("its interpreter %s is missing: %w", words[0], err)
		}
	}
	return &StartError{Command: name, Err: err}
}

// Shebang returns the interpreter in a script's first line with its arguments, or nil.
func Shebang(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	line, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return nil
	}
	return strings.Fields(string(line))
}

// MinimalEnv returns the part of an environment ("K=V", as os.Environ returns it) that stdio servers
// inherit: the variables that Claude Desktop and the TypeScript SDK pass on, per operating system, without
// shell functions.
func MinimalEnv(environ []string) []string { return minimalEnv(runtime.GOOS, environ) }

// minimalEnv returns MinimalEnv of an operating system. Windows ignores the case of names.
func minimalEnv(goos string, environ []string) []string {
	names, fold := []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}, false
	if goos == "windows" {
		names, fold = windowsNames, true
	}
	return withNames(environ, names, fold)
}

// withNames returns the variables that have one of the names, without shell functions; fold = whose names in
// capitals do.
func withNames(environ, names []string, fold bool) []string {
	var kept []string
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if fold {
			name = strings.ToUpper(name)
		}
		if ok && slices.Contains(names, name) && !strings.HasPrefix(value, "()") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// windowsNames are those of the TypeScript SDK, with PATHEXT and COMSPEC: without them npx.cmd is not found
// or run.
var windowsNames = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
	"PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
}

// ShellCommand is a command line for the system's shell, and how long it may take.
type ShellCommand struct {
	Line  string
	Dir   string   // working folder; empty = the current one
	Env   []string // "K=V"; nil = ours
	Stdin []byte
	Limit time.Duration
}

// Run runs the command. When it, its time or ctx ends, so does everything that it has started; of the latter
// two the error is the reason.
func (c ShellCommand) Run(ctx context.Context, stdout, stderr io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Limit, fmt.Errorf("not done after %s", c.Limit))
	defer cancel()
	shell := shellOf(c.Line)
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, bytes.NewReader(c.Stdin),
		stdout, stderr
	err := Run(cmd)
	if errors.Is(err, exec.ErrWaitDelay) { // something in the background kept its output open
		err = nil
	}
	if why := context.Cause(ctx); err != nil && why != nil {
		return why
	}
	return err
}

// RunVariable is in the environment of what we start, and finds its descendants wherever they went.
const RunVariable = "MCPCTL_RUN"

// Start starts a command in a process group of its own, with a mark beside cmd.Env as its environment. Linux
// ends the command with the thread that started it, which must be kept: runtime.LockOSThread.
func Start(cmd *exec.Cmd) (*Group, error) {
	run := rand.Text()
	cmd.Env = append(slices.Clip(cmd.Env), RunVariable+"="+run)
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	group, err := GroupOf(cmd, run)
	if err != nil {
		_ = cmd.Process.Kill()
		go func() { _ = cmd.Wait() }()
	}
	return group, err
}

// outputWait is how long the output of a command is waited for once the command has ended.
const outputWait = time.Second

// Run runs a command of exec.CommandContext in a process group that ends with it or with its context.
func Run(cmd *exec.Cmd) error {
	runtime.LockOSThread() // see Start
	defer runtime.UnlockOSThread()
	var group *Group
	started := make(chan struct{})
	cmd.WaitDelay = outputWait
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Cancel = func() error {
		if <-started; group == nil {
			return cmd.Process.Kill()
		}
		group.Kill()
		return nil
	}
	group, err := Start(cmd)
	close(started)
	if err != nil {
		return err
	}
	defer group.Release()
	err = cmd.Wait()
	group.Kill()
	group.Look()
	group.Kill() // what the first left without a parent
	return err
}

// Tail keeps the end of what is written to it.
type Tail struct {
	Limit int // bytes that are kept

	mu   sync.Mutex
	last []byte
}

// Write appends to the tail; it never fails and never blocks.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	p = p[max(0, n-t.Limit):]
	t.last = append(t.last[max(0, len(t.last)+len(p)-t.Limit):], p...)
	return n, nil
}

// String returns the tail.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}

// Quoted returns the output of a command to append to its error; "" if there is none.
func Quoted(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return fmt.Sprintf(": it wrote %q", text)
}

// CappedBuffer keeps what is written up to a limit, and fails then.
type CappedBuffer struct {
	Limit int // bytes
	Text  []byte
	Over  bool // more was written
}

// Write fails once the limit is passed.
func (b *CappedBuffer) Write(p []byte) (int, error) {
	if len(b.Text)+len(p) > b.Limit {
		b.Over = true
		return 0, errors.New("too much")
	}
	b.Text = append(b.Text, p...)
	return len(p), nil
}
