package trust

import (
	"errors"
	"path/filepath"
)

// Folder is where agreements of the user are kept: below XDG_STATE_HOME or ~/.local/state, on macOS below
// ~/Library/Application Support, on Windows below %LocalAppData%. lookup reads the environment.
func Folder(goos, home string, lookup func(string) (string, bool)) (string, error) {
	base := stateFolder(goos, home, lookup)
	if !filepath.IsAbs(base) {
		return "", errors.New("finding the folder of what was agreed to: there is no home folder: set HOME, or XDG_STATE_HOME to an absolute path")
	}
	return filepath.Join(base, "mcpctl", "trust"), nil
}

// stateFolder is what the system's conventions say. A relative XDG_STATE_HOME counts as not set, as its specification says.
func stateFolder(goos, home string, lookup func(string) (string, bool)) string {
	if xdg, ok := lookup("XDG_STATE_HOME"); ok && filepath.IsAbs(xdg) {
		return xdg
	}
	switch goos {
	case "windows":
		if local, ok := lookup("LocalAppData"); ok && filepath.IsAbs(local) {
			return local
		}
		return filepath.Join(home, "AppData", "Local")
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	}
	return filepath.Join(home, ".local", "state")
}
