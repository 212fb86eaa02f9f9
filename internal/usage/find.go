package usage

import (
	"os"
	"path/filepath"
)

// Transcripts are the folders in which applications of the user's keep what their agents did, as far as they exist.
func Transcripts(home string, lookup func(string) (string, bool)) []string {
	var found []string
	for _, a := range []struct{ variable, folder, inside string }{
		{"CLAUDE_CONFIG_DIR", ".claude", "projects"},
		{"CODEX_HOME", ".codex", "sessions"},
		{"CODEX_HOME", ".codex", "archived_sessions"},
	} {
		base, set := lookup(a.variable)
		if !set || !filepath.IsAbs(base) {
			base = filepath.Join(home, a.folder)
		}
		folder := filepath.Join(base, a.inside)
		if info, err := os.Stat(folder); err == nil && info.IsDir() && filepath.IsAbs(folder) {
			found = append(found, folder)
		}
	}
	return found
}
