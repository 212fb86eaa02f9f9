// Package host holds the facts of one run of the program: its streams, its environment, where and when it runs.
package host

import (
	"errors"
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

// Rel is an absolute path as people write it: relative to the current folder when it lies below. Others stay as they are.
func (p Process) Rel(path string) string {
	relative, err := filepath.Rel(p.Dir, path)
	if err != nil || strings.HasPrefix(relative, "..") {
		return path
	}
	return filepath.ToSlash(relative)
}

// StateDir is where the program keeps what it remembers for the user: below XDG_STATE_HOME or ~/.local/state, on macOS below
// ~/Library/Application Support, on Windows below %LocalAppData%. It need not exist.
func (p Process) StateDir() (string, error) {
	base := p.stateBase()
	if !filepath.IsAbs(base) {
		return "", errors.New("there is no home folder: set HOME, or XDG_STATE_HOME to an absolute path")
	}
	return filepath.Join(base, "mcpctl"), nil
}

// CacheDir is where the program keeps what can be had again: below XDG_CACHE_HOME or ~/.cache, on macOS below ~/Library/Caches, on
// Windows below %LocalAppData%. It need not exist.
func (p Process) CacheDir() (string, error) {
	base := filepath.Join(p.Home, ".cache")
	switch xdg, ok := p.Lookup("XDG_CACHE_HOME"); {
	case ok && filepath.IsAbs(xdg):
		base = xdg
	case p.GOOS == "windows":
		base = p.stateBase()
	case p.GOOS == "darwin":
		base = filepath.Join(p.Home, "Library", "Caches")
	}
	if !filepath.IsAbs(base) {
		return "", errors.New("there is no home folder: set HOME, or XDG_CACHE_HOME to an absolute path")
	}
	return filepath.Join(base, "mcpctl"), nil
}

// stateBase is what the system's conventions say. A relative XDG_STATE_HOME counts as not set, as its specification says.
func (p Process) stateBase() string {
	if xdg, ok := p.Lookup("XDG_STATE_HOME"); ok && filepath.IsAbs(xdg) {
		return xdg
	}
	switch p.GOOS {
	case "windows":
		if local, ok := p.Lookup("LocalAppData"); ok && filepath.IsAbs(local) {
			return local
		}
		return filepath.Join(p.Home, "AppData", "Local")
	case "darwin":
		return filepath.Join(p.Home, "Library", "Application Support")
	}
	return filepath.Join(p.Home, ".local", "state")
}
