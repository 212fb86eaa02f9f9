// Package config reads which servers there are and what the project asks of them: configuration files of MCP clients as
// they are, mcpctl.yaml, the environment and the command line.
//
// It contacts nothing and starts nothing. The environment, the home folder and the current folder are handed in.
package config

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Input is all that Load depends on, apart from the files themselves.
type Input struct {
	Files  []string                    // named with --config; empty = MCPCTL_CONFIG, else the search
	Dir    string                      // the current folder, absolute
	Home   string                      // the user's home folder, for ${userHome}
	Lookup func(string) (string, bool) // the environment, as os.LookupEnv; nil = empty
	Rules  []string                    // known rule ids; nil = rule ids are not checked

	Discover bool   // look at the files of applications too
	OS       string // whose paths those are, as runtime.GOOS names it; empty = this one
	Root     string // stands before the paths of the system's own files; empty = they are where they are
}

// Config is what was read. Names of entries are unique.
type Config struct {
	Files    []string  // what was read, in order; empty = no configuration exists
	Searched []string  // those of Files that the search came upon
	Entries  []Entry   // in the order of files and of servers in them
	Project  Project   // what mcpctl.yaml says, or its defaults
	Looked   []Looked  // files of applications that were looked at, in the order of applications
	Remarks  []Problem // what the run does without: a server that only its application can start, a file that was discovered and cannot be read
}

// Entry is one configured server.
type Entry struct {
	Server    probe.Server // Name and Source are always set; the rest is complete only without Problems
	Login     auth.Client  // of a server at a URL: how to log in
	File      string       // where it was configured; "MCP_SERVER_URL" for that variable
	Line      int          // 1-based; 0 when File is not a file
	Found     Found        // how File came to be read
	Base      string       // the server that this is a variant of; empty = it is none
	Disabled  bool         // configured not to run
	Problems  []Problem    // why it cannot be run; of a disabled server they matter to nobody
	Warnings  []Problem    // what should be mended, but does not matter to this run
	Prompts   []Prompt     // what a person would have to answer for it to run; each is among Problems too
	Places    []Place      // where applications have it; nil = it was not discovered
	refused   bool         // not in mcpctl.yaml's allow
	unusable  bool         // only the application can run it, as its one problem says
	chosenDir bool         // somebody chose the folder that it starts in
	shown     shown
	essence   essence
	bearing
}

// Asks is what a person can be asked so that the entry runs; nothing when that would not do.
func (e Entry) Asks() []Prompt {
	if e.Disabled || e.refused || slices.ContainsFunc(e.Problems, func(p Problem) bool { return !p.asked }) {
		return nil
	}
	return e.Prompts
}

// Names are the names by which the command line and mcpctl.yaml may speak of the entry: its own, then that of the server it
// is a variant of, then those that other applications have for it.
func (e Entry) Names() []string {
	names := []string{e.Server.Name}
	if e.Base != "" {
		names = append(names, e.Base)
	}
	return append(names, e.aliases...)
}

// Err is all problems of the entry as one error, or nil. A disabled server has none.
func (e Entry) Err() error {
	if e.Disabled || len(e.Problems) == 0 {
		return nil
	}
	return Problems(e.Problems)
}
