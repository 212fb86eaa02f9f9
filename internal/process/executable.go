package process

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// StartError is a command that could not be started.
type StartError struct {
	Command  string // as configured
	NotFound bool   // there is no such command
	Path     string // the PATH that was searched, when it was
	Err      error  // the system's own error, if any
}

// Error says what was searched, when nothing was found.
func (e *StartError) Error() string {
	switch {
	case e.NotFound && e.Path != "":
		return fmt.Sprintf("starting %q: no such command in PATH %s", e.Command, e.Path)
	case e.NotFound:
		return fmt.Sprintf("starting %q: no such file", e.Command)
	}
	return fmt.Sprintf("starting %q: %v", e.Command, e.Err)
}

// Unwrap is the system's own error.
func (e *StartError) Unwrap() error { return e.Err }

// LookPath is the file that a child runs as name in the folder dir ("" = the current one) with the environment env: a name
// is looked up in the child's PATH, not in ours; a relative path counts from its folder. The error is a *StartError.
func LookPath(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", &StartError{Err: errors.New("the command is empty")}
	}
	if dir != "" {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return "", &StartError{Command: name, Err: fmt.Errorf("working folder %q is no folder", dir)}
		}
	}
	if filepath.Base(name) != name {
		return executable(name, dir, name, "")
	}
	path := variable(env, "PATH")
	for _, folder := range filepath.SplitList(path) {
		if folder == "" {
			continue
		}
		file, err := executable(name, dir, filepath.Join(folder, name), path)
		if not, ok := errors.AsType[*StartError](err); !ok || !not.NotFound {
			return file, err
		}
	}
	if path == "" {
		path = "(which is empty)"
	}
	return "", &StartError{Command: name, NotFound: true, Path: path}
}

// executable checks one file for name; on Windows it also adds the extension.
func executable(name, dir, file, path string) (string, error) {
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
	case errors.Is(err, fs.ErrPermission) && path != "", errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "", &StartError{Command: name, NotFound: true, Path: path, Err: err}
	}
	return "", &StartError{Command: name, Err: err}
}

// variable is a variable of a child's environment; the last one of a name counts, as for the child.
func variable(env []string, name string) string {
	value := ""
	for _, pair := range env {
		if k, v, ok := strings.Cut(pair, "="); ok && sameVariable(k, name) {
			value = v
		}
	}
	return value
}

// StartFailure is why name, found as file, could not be started. It names the missing interpreter of a script, which the
// system reports as if the script itself were missing.
func StartFailure(name, file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if interpreter := shebang(file); interpreter != "" {
			err = fmt.Errorf("its interpreter %s is missing: %w", interpreter, err)
		}
	}
	return &StartError{Command: name, Err: err}
}

// shebang is the interpreter that a script's first line names, or nothing.
func shebang(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	line, ok := bytes.CutPrefix(line, []byte("#!"))
	words := strings.Fields(string(line))
	if !ok || len(words) == 0 {
		return ""
	}
	return words[0]
}

// MinimalEnv is the part of an environment ("K=V", as os.Environ gives it) that a stdio server inherits unasked: the
// variables that Claude Desktop and the TypeScript SDK hand on, per operating system, without shell functions.
func MinimalEnv(environ []string) []string { return minimalEnv(runtime.GOOS, environ) }

func minimalEnv(goos string, environ []string) []string {
	names, fold := []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}, false
	if goos == "windows" {
		names, fold = windowsNames(), true
	}
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

// windowsNames has PATHEXT and COMSPEC beside the TypeScript SDK's own list: without them npx.cmd is not found or run.
func windowsNames() []string {
	return []string{
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
		"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
	}
}

// sameVariable compares names as the operating system does.
func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
