// Package clients knows where applications keep their MCP servers: a table of files by application, scope and operating
// system (applications.json), every row with the source that it was taken from.
//
// It reads nothing but the names of files. The operating system, the home folder, the environment and the project's folders
// are handed in, so that every system can be asked about on any other.
package clients

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
)

// App is one application and its files. Of two servers of one name the one in the earlier row holds.
type App struct {
	ID   string // in names and reports: "claude-code"
	Name string // as people call it: "Claude Code"
	Rows []Row
	Each bool // a row's servers stand beside those of the other rows, also where names are the same
	Deep bool // a row may say of a server of a later row no more than whether it is on

	Settings []Paths // files that say which servers are on, the strongest first
}

// Row is one place where an application keeps servers.
type Row struct {
	Scope   Scope
	Paths   Paths
	Key     string // where in the file, as a path of keys; what stands for any key is written *
	Dialect Dialect
	Source  string // where this row was taken from
	Above   bool   // every folder of the project that has the file counts, the nearest first; otherwise the nearest alone
	Sole    bool   // when the file exists, the application reads none of the rows below
	Beside  bool   // as App.Each, for this row alone
}

// Scope is who a row holds for.
type Scope string

// The scopes, from the strongest word to the weakest.
const (
	Managed   Scope = "managed"   // set by whoever administers the machine
	Local     Scope = "local"     // one user in one project
	Project   Scope = "project"   // everyone in a project
	Container Scope = "container" // everyone in a project's development container
	Custom    Scope = "custom"    // a file that an environment variable names
	User      Scope = "user"      // one user everywhere
	Plugin    Scope = "plugin"    // brought along by something that was installed
	System    Scope = "system"    // everyone on the machine, unless they say otherwise
)

// Paths are the templates of a row's path. "~" is the home folder, "{project}" one of the project's folders,
// "${NAME:-default}" an environment variable; "*" matches inside one element. Slashes stand on every system.
type Paths struct {
	All                 string // on every system that has no own one
	Linux, Mac, Windows string
}

// On is the template for an operating system as runtime.GOOS names it; "" = the application keeps nothing there.
func (p Paths) On(os string) string {
	own := map[string]string{"darwin": p.Mac, "windows": p.Windows}
	path, known := own[os]
	if !known {
		path = p.Linux
	}
	if path == "" {
		return p.All
	}
	return path
}

// UnmarshalJSON reads a template that holds on every system, or one for each system.
func (p *Paths) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &p.All)
	}
	type bySystem Paths
	return json.Unmarshal(text, (*bySystem)(p))
}

//go:embed applications.json
var applicationsJSON []byte

// Table is all applications, in the order in which reports show them. What a row leaves out of key, dialect and source is that of
// its application.
func Table() []App {
	var file struct {
		Applications []struct {
			App
			Key     string
			Dialect Dialect
			Source  string
		}
	}
	if err := json.Unmarshal(applicationsJSON, &file); err != nil {
		panic(fmt.Sprintf("clients: applications.json: %v", err)) // a test reads it first
	}
	table := make([]App, len(file.Applications))
	for i, a := range file.Applications {
		for j := range a.Rows {
			row := &a.Rows[j]
			row.Key, row.Dialect, row.Source = cmp.Or(row.Key, a.Key), cmp.Or(row.Dialect, a.Dialect), cmp.Or(row.Source, a.Source)
		}
		table[i] = a.App
	}
	return table
}
