package config

import (
	"path/filepath"
	"slices"
	"time"
)

// dialect is what a file means differently because of the application that it belongs to.
type dialect struct {
	unit   time.Duration // of a timeout written as a number; 0 = milliseconds, but seconds below 1000
	bare   bool          // $NAME is a variable
	strict bool          // an unknown key is a mistake
}

// clientFolders are folders of applications inside a project; the project is the folder that holds them.
var clientFolders = []string{".vscode", ".cursor", ".gemini", ".roo", ".windsurf", ".codeium", ".kiro", ".amazonq", ".claude", ".continue"}

// nestedFolders are folders inside those.
var nestedFolders = []string{"settings", "windsurf"}

// projectFolder is the folder that relative paths and ${workspaceFolder} of a file refer to.
func projectFolder(path string) string {
	folder := filepath.Dir(path)
	client := folder
	if slices.Contains(nestedFolders, filepath.Base(client)) {
		client = filepath.Dir(client)
	}
	if slices.Contains(clientFolders, filepath.Base(client)) {
		return filepath.Dir(client)
	}
	return folder
}

// dialectOf tells by its path which application a JSON file belongs to.
func dialectOf(path string) dialect {
	switch folder, name := filepath.Base(filepath.Dir(path)), filepath.Base(path); {
	case name == "cline_mcp_settings.json", name == "mcp_settings.json", folder == ".roo":
		return dialect{unit: time.Second}
	case folder == ".gemini" && name == "settings.json":
		return dialect{unit: time.Millisecond, bare: true}
	}
	return dialect{}
}
