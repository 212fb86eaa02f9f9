package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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

// find is the file to run: a name is looked up in the child's PATH, not in ours; a relative path counts from its folder.
func (c Command) find() (string, error) {
	if c.Path == "" {
		return "", &StartError{Err: errors.New("the command is empty")}
	}
	if c.Dir != "" {
		if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
			return "", &StartError{Command: c.Path, Err: fmt.Errorf("working folder %q is no folder", c.Dir)}
		}
	}
	if filepath.Base(c.Path) != c.Path {
		return c.executable(c.Path, "")
	}
	path := c.lookup("PATH")
	for _, folder := range filepath.SplitList(path) {
		if folder == "" {
			continue
		}
		file, err := c.executable(filepath.Join(folder, c.Path), path)
		var not *StartError
		if !errors.As(err, &not) || !not.NotFound {
			return file, err
		}
	}
	if path == "" {
		path = "(which is empty)"
	}
	return "", &StartError{Command: c.Path, NotFound: true, Path: path}
}

// executable checks one file; on Windows it also adds the extension.
func (c Command) executable(file, path string) (string, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.Dir, file)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", &StartError{Command: c.Path, Err: err}
	}
	found, err := exec.LookPath(file)
	switch {
	case err == nil:
		return found, nil
	case errors.Is(err, fs.ErrPermission) && path != "", errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound):
		return "", &StartError{Command: c.Path, NotFound: true, Path: path, Err: err}
	}
	return "", &StartError{Command: c.Path, Err: err}
}

// lookup is a variable of the child's environment; the last one of a name counts, as for the child.
func (c Command) lookup(name string) string {
	value := ""
	for _, pair := range c.Env {
		if k, v, ok := strings.Cut(pair, "="); ok && sameVariable(k, name) {
			value = v
		}
	}
	return value
}

// explain names the missing interpreter of a script, which the system reports as if the script itself were missing.
func (c Command) explain(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if interpreter := shebang(file); interpreter != "" {
			err = fmt.Errorf("its interpreter %s is missing: %w", interpreter, err)
		}
	}
	return &StartError{Command: c.Path, Err: err}
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
