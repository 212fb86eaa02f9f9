// Package config reads which servers are configured and how the project checks them: files of MCP clients,
// mcpctl.yaml, the environment and the command line. It starts and contacts nothing.
//
// Load turns a file into entries in three steps: internal/syntax parses it into values with lines,
// internal/clients finds the servers in it and translates the keys of its application, and serverReader reads
// the keys of each server, replacing variables as it goes.
package config

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Input is all that Load depends on, apart from the files themselves.
type Input struct {
	Files []string  // from --config; empty = MCPCTL_CONFIG, else the search
	Stdin io.Reader // the configuration "-"; nil = the standard input of this process
	// Streams keeps the content of pipes and "-", by path, for reading the configuration again; nil = it is
	// read once.
	Streams map[string][]byte

	Dir    string          // the working directory, absolute
	Home   string          // the home directory, for ${userHome}
	Lookup clients.Lookup  // the environment; nil = empty
	Rules  func() []string // known rule ids; nil = rule ids are not checked

	// the mcpctl.yaml that the search finds may be removed again, so that no hint may name it
	Provisional bool

	Discover bool   // read the files of applications too
	OS       string // whose paths those are, as in runtime.GOOS; empty = this one
	Root     string // prefix of the system's own paths, for tests
}

// Config is the configuration that was read. Names of entries are unique.
type Config struct {
	Files    []string // that were read, in order; empty = no configuration exists
	Searched []string // those of Files that the search found
	Entries  []Entry  // in the order of files and of servers in them
	Project  Project  // the settings of mcpctl.yaml, or the defaults
	Looked   []File   // files of applications that were looked for, in the order of applications
	// problems that do not end the run: servers that only their application can start, broken files of
	// applications
	Remarks []Problem
	Unread  []Problem // keys that are near to one that is read, and a mcpctl.yaml beside named files
}

// Entry is one configured server.
type Entry struct {
	Server   probe.Server    // Name and Source are always set; the rest is complete only without Problems
	Login    Login           // how to log in to a server at a URL
	File     string          // where it was configured; "MCP_SERVER_URL" for that variable
	Line     int             // 1-based; 0 if File is not a file
	Found    Found           // how File was found
	Disabled bool            // configured not to run
	Problems []Problem       // why it cannot be run; unimportant if it is disabled
	Prompts  []Prompt        // inputs that the user can be asked for; each is among Problems too
	Places   []clients.Place // where applications have it; nil = it was not discovered
	May      Grants          // what it may do in the sandbox besides what all may
	Unread   []Problem       // keys that are not read and are near to one that is

	filters   []clients.ToolFilter // of the application whose file it is, and of others with the same server
	declared  declaration          // as it is written
	read      syntax.Field         // with the keys and variables that mcpctl reads
	passed    []string             // names of variables that its application hands on
	own       int                  // the first of Problems are those of the entry itself
	uses      []use                // the texts that decide what it does
	scope     fileScope            // of its file
	dir       string               // the working directory, with variables as they are written
	ownDir    bool                 // its entry sets the working directory
	refused   bool                 // not in allow
	unusable  bool                 // only its application can run it; Problems has the reason
	duplicate bool                 // entries of the same name in its application are other servers
}

// Asks returns the inputs to ask the user for so that the entry runs; nil if that is not enough.
func (e Entry) Asks() []Prompt {
	if e.Disabled || e.refused || slices.ContainsFunc(e.Problems, func(p Problem) bool { return !p.asked }) {
		return nil
	}
	return e.Prompts
}

// ToolFilters returns which tools of the server each application that loads it gives to its model.
func (e Entry) ToolFilters() []clients.ToolFilter {
	var all []clients.ToolFilter
	loads, own := map[string]bool{}, true
	for _, p := range e.Places { // the first place of an application is the one that it uses
		if p.State == "" && !loads[p.ID] {
			loads[p.ID] = true
			all = append(all, p.Filter)
		}
		own = own && (p.File != e.File || p.Line != e.Line)
	}
	if own {
		all = append(all, e.filters...)
	}
	return all
}

// Refused reports whether the policy keeps the entry from being contacted.
func (e Entry) Refused() bool { return e.refused }

// Err returns the problems of the entry as one error; nil if there are none or it is disabled.
func (e Entry) Err() error {
	if e.Disabled || len(e.Problems) == 0 {
		return nil
	}
	return Problems(e.Problems)
}

// NeedsTrust reports whether the user must trust the entry before it is started or contacted, since its file
// was only found. A URL is not excepted: the server there may be meant for this machine alone.
func (e Entry) NeedsTrust() bool { return e.Found != Named && !e.Disabled }

// Projects returns the directories of the project that the program belongs to, for the sandbox.
func (e Entry) Projects() []string {
	switch s := e.Server.Stdio; {
	case s == nil, e.scope.folder == "" && s.Dir == "":
		return nil
	case e.scope.folder == "": // a package that the command line names
		return []string{s.Dir}
	case e.Found == Searched:
		return []string{e.scope.root}
	}
	return []string{files.ProjectRoot(e.scope.folder)}
}

// Found is how the file of an entry was found, and with that who decides about its command.
type Found int

const (
	// Named files were named by the user, with --config, MCPCTL_CONFIG, MCP_SERVER_URL or the command line,
	// or are included by such a file.
	Named Found = iota
	// Searched files were found in the directories of the project: all who can write to the repository
	// decide.
	Searched
	// Discovered files belong to applications.
	Discovered
)

// String returns the name that reports use.
func (f Found) String() string { return [...]string{"named", "searched", "discovered"}[f] }

// Login is how to log in to a server. The zero value is enough for servers that follow the specification.
type Login struct {
	ID            string       // of a client that was registered by hand; empty = register, or Document
	Secret        probe.Secret // of that client; empty = it has none
	Key           probe.Secret // its private key as PEM, used instead of a secret (private_key_jwt)
	KeyID         string       // the kid of Key; empty = none is sent
	Identity      Identity     // the identity token of a job, exchanged for a token instead of a login
	Scopes        []string     // to request; nil = those that the server names
	Metadata      string       // URL of the authorization server's metadata; empty = as the server says
	Authorize     string       // authorization endpoint; empty = that of the metadata
	TokenEndpoint string       // token endpoint; empty = that of the metadata
	Redirect      string       // redirect URI of the registered client; empty = any port of 127.0.0.1
	Document      string       // URL of a Client ID Metadata Document for this client
	Sends         string       // "a token of ISSUER for RESOURCE to HOST", where the entry decides that
	Resource      string       // that tokens are for, instead of the server's (RFC 8707)
	NoResource    bool         // requests for tokens name no resource
	Machine       bool         // the client gets its tokens without a user
	Never         bool         // no token is ever sent
	// hosts in the above that come from variables of a file that was only found; they must have public
	// addresses
	UnverifiedHosts []string
}

// Grants are what a server may do in the sandbox besides what all may.
type Grants struct {
	Network []string // hosts that it needs; one of them opens the whole network
	Write   []string // absolute directories that it may write to
}

// Description is how a server is configured. Secrets are masked.
type Description struct {
	Command []string `json:"command,omitempty"`       // what would be started
	URL     string   `json:"url,omitempty"`           // what would be contacted
	Dir     string   `json:"cwd,omitempty"`           // the directory that it would run in
	Env     []string `json:"env,omitempty"`           // names of variables that are set for it
	Headers []string `json:"headers,omitempty"`       // names of headers that are sent to it
	Helper  string   `json:"headersHelper,omitempty"` // the command line that gives further headers
}

// Definition is how a server is configured, and whether it is trusted.
type Definition struct {
	Description
	Trust   Standing `json:"trust,omitempty"`   // empty = it needs no decision
	Effects *Effects `json:"effects,omitempty"` // what the server would do
}

// Standing is the decision about a server that was found in a file.
type Standing string

// The decisions about a server.
const (
	Trusted   Standing = "trusted"
	Changed   Standing = "changed" // trusted as it was before
	Untrusted Standing = "untrusted"
)

// Describe returns the transport of an entry, and what it starts or contacts as Shown has it; environment
// variables and headers by name only.
func (e Entry) Describe() (transport string, d Description) {
	x := e.Shown()
	if s := e.Server.Stdio; s != nil {
		transport, d.Env, d.Dir, d.Command = "stdio", kit.SortedKeys(s.Env), cmp.Or(e.dir, s.Dir), x.Starts
		if e.Found == Named {
			d.Dir = redact.MaskTokens(d.Dir)
		}
	}
	if h := e.Server.HTTP; h != nil {
		transport, d.Headers, d.URL = string(h.Kind), kit.SortedKeys(h.Headers), x.Contacts
		if h.Kind == probe.AutoHTTP {
			transport = "http"
		}
		d.Helper = strings.Join(x.Runs, "\n")
	}
	return transport, d
}

// Environment is what the environment sets for a run; flags override it.
type Environment struct {
	Timeout *time.Duration // MCP_TIMEOUT; nil = not set, 0 = none
	Retries *int           // MCP_MAX_RETRIES; nil = not set
	Format  string         // MCPCTL_FORMAT; empty = not set
}

// ReadEnvironment reads MCP_TIMEOUT, in seconds or as a duration, MCP_MAX_RETRIES and MCPCTL_FORMAT, one of
// some formats. The error is Problems. An empty variable is not set.
func ReadEnvironment(lookup clients.Lookup, formats []string) (Environment, error) {
	var env Environment
	var problems Problems
	add := func(name, message, hint string) {
		problems = append(problems, Problem{File: name, Message: message, Hint: hint})
	}
	if value, ok := lookup.Value("MCP_TIMEOUT"); ok && value != "" {
		t, err := time.ParseDuration(value)
		valid := err == nil && t >= 0 && t <= maxTimeout
		// an hour at most: other programs read MCP_TIMEOUT as milliseconds
		if seconds, isNumber := inUnit(value, time.Second); isNumber {
			t, valid = seconds, seconds <= time.Hour
		}
		if env.Timeout = &t; !valid {
			add("MCP_TIMEOUT", "not a number of seconds up to 3600, nor a duration",
				`write seconds, or a duration such as "30s" or "2m"; 0 means none`)
		}
	}
	if value, ok := lookup.Value("MCP_MAX_RETRIES"); ok && value != "" {
		n, err := strconv.Atoi(value)
		if env.Retries = &n; err != nil || n < 0 || n > 100 {
			add("MCP_MAX_RETRIES", "not a whole number from 0 to 100", "write a whole number; 0 means none")
		}
	}
	if value, ok := lookup.Value("MCPCTL_FORMAT"); ok && value != "" {
		if env.Format = value; !slices.Contains(formats, value) {
			add("MCPCTL_FORMAT", "unknown format "+strconv.Quote(value), kit.Suggest(value, formats))
		}
	}
	if len(problems) > 0 {
		return env, problems
	}
	return env, nil
}
