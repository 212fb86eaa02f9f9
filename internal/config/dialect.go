package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/clients"
)

// dialect is what a file means differently because of the application that it belongs to.
type dialect struct {
	unit    time.Duration     // of a timeout written as a number; 0 = milliseconds, but seconds below 1000
	bare    bool              // $NAME is a variable
	strict  bool              // an unknown key is a mistake
	keys    map[string]string // the application's names of keys that mcpctl has other names for
	writes  []notation        // how the application writes variables, if not as ${NAME}
	reshape reshape           // what other names alone do not tell; nil = nothing
}

// notation is one way to write a variable, and the same variable as mcpctl reads it.
type notation struct {
	pattern *regexp.Regexp
	means   string
}

// reshape makes a server's keys those that mcpctl knows. A reason why the server cannot be run by anyone but the
// application is not empty.
type reshape func(s scope, server value) (out value, reason string)

// dialectFor is what an application's files mean differently.
func dialectFor(name clients.Dialect) dialect {
	switch name {
	case clients.Seconds:
		return dialect{unit: time.Second}
	case clients.Gemini:
		return dialect{unit: time.Millisecond, bare: true}
	case clients.Warp:
		return dialect{keys: map[string]string{"working_directory": "cwd"}}
	case clients.Zed:
		return dialect{reshape: zedServer}
	case clients.Codex:
		return dialect{unit: time.Second, keys: map[string]string{"startup_timeout_sec": "timeout"}, reshape: codexServer}
	case clients.OpenCode:
		return dialect{unit: time.Millisecond, keys: map[string]string{"environment": "env"}, writes: openCodeVariables, reshape: openCodeServer}
	case clients.Continue:
		return dialect{unit: time.Millisecond, keys: map[string]string{"connectionTimeout": "timeout"}, writes: continueVariables, reshape: continueServer}
	case clients.Goose:
		return dialect{unit: time.Second, keys: map[string]string{"cmd": "command", "envs": "env", "uri": "url"}, reshape: gooseServer}
	}
	return dialect{}
}

// clientFolders are folders of applications inside a project; the project is the folder that holds them.
var clientFolders = []string{
	".vscode", ".cursor", ".gemini", ".roo", ".windsurf", ".codeium", ".kiro", ".amazonq", ".claude", ".continue",
	".codex", ".zed", ".junie", ".opencode", ".warp", ".agents", ".devcontainer",
}

// nestedFolders are folders inside those.
var nestedFolders = []string{"settings", "windsurf", "mcp", "mcpServers", "cli-agents"}

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

// dialectOf tells by its path which dialect a file has that somebody named; its content may tell more.
func dialectOf(path string) clients.Dialect {
	switch folder, name := filepath.Base(filepath.Dir(path)), filepath.Base(path); {
	case name == "cline_mcp_settings.json", name == "mcp_settings.json", folder == ".roo":
		return clients.Seconds
	case folder == ".gemini" && name == "settings.json":
		return clients.Gemini
	case folder == ".warp":
		return clients.Warp
	}
	return clients.Shared
}

// in is the scope with another dialect.
func (s scope) in(name clients.Dialect) scope {
	s.dialect = dialectFor(name)
	s.expander.bare = s.dialect.bare
	return s
}
