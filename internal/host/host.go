// Package host holds the facts of one run of the program: its streams, its environment, where and when it runs.
package host

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
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
	Quiet, Verbose bool      // what the user wants to be told on Err
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

// Note tells something on Err unless the user wants quiet. Texts that are not the program's own must be made visible first.
func (p Process) Note(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintf(p.Err, "mcpctl: "+format+"\n", args...)
	}
}

// Detail is a Note for those who want to know more.
func (p Process) Detail(format string, args ...any) {
	if p.Verbose {
		p.Note(format, args...)
	}
}

// Rel is a path as people write it: relative to the current folder when it lies below.
func (p Process) Rel(path string) string {
	absolute := path
	if !filepath.IsAbs(path) {
		absolute = filepath.Join(p.Dir, path)
	}
	relative, err := filepath.Rel(p.Dir, absolute)
	if err != nil || strings.HasPrefix(relative, "..") {
		return path
	}
	return filepath.ToSlash(relative)
}
