// Package config reads which servers there are and what the project asks of them: files of MCP clients,
// mcpctl.yaml, environment and command line. It contacts and starts nothing; the environment and folders are
// handed in.
package config

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Input is all that Load depends on, apart from the files themselves.
type Input struct {
	Files []string  // named with --config; empty = MCPCTL_CONFIG, else the search
	Stdin io.Reader // what a configuration called "-" is; nil = the standard input of this process
	// Streams keeps what pipes and "-" held, by path, for reading the configuration again; nil = it is read
	// once.
	Streams map[string][]byte

	Dir    string          // the current folder, absolute
	Home   string          // the user's home folder, for ${userHome}
	Lookup clients.Lookup  // the environment; nil = empty
	Rules  func() []string // known rule ids; nil = rule ids are not checked

	Discover bool   // look at the files of applications too
	OS       string // whose paths those are, as runtime.GOOS names it; empty = this one
	Root     string // stands before the paths of the system's own files; empty = they are where they are
}

// Config is what was read. Names of entries are unique.
type Config struct {
	Files    []string // what was read, in order; empty = no configuration exists
	Searched []string // those of Files that the search came upon
	Entries  []Entry  // in the order of files and of servers in them
	Project  Project  // what mcpctl.yaml says, or its defaults
	Looked   []File   // files of applications that were looked at, in the order of applications
	// what the run does without: a server that only its application can start, a file that was discovered and
	// cannot be read
	Remarks []Problem
}

// Entry is one configured server.
type Entry struct {
	Server    probe.Server // Name and Source are always set; the rest is complete only without Problems
	Login     Client       // of a server at a URL: how to log in
	File      string       // where it was configured; "MCP_SERVER_URL" for that variable
	Line      int          // 1-based; 0 when File is not a file
	Found     Found        // how File came to be read
	Disabled  bool         // configured not to run
	Problems  []Problem    // why it cannot be run; of a disabled server they matter to nobody
	Warnings  []Problem    // what should be mended, but does not matter to this run
	Prompts   []Prompt     // what a person would have to answer for it to run; each is among Problems too
	Places    []Place      // where applications have it; nil = it was not discovered
	May       Grants       // what it may do in a sandbox besides what all may
	refused   bool         // not in mcpctl.yaml's allow
	unusable  bool         // only the application can run it, as its one problem says
	chosenDir bool         // somebody chose the folder that it starts in
	dir       string       // that it starts in, as it may be shown
	uses      []use
	scope     scope
	written   written
	launch
}

// Asks is what a person can be asked so that the entry runs; nothing when that would not do.
func (e Entry) Asks() []Prompt {
	if e.Disabled || e.refused || slices.ContainsFunc(e.Problems, func(p Problem) bool { return !p.asked }) {
		return nil
	}
	return e.Prompts
}

// Names returns the names that select the entry: its own, then those that other applications have for it.
func (e Entry) Names() []string { return append([]string{e.Server.Name}, e.aliases...) }

// Called tells whether one of the entry's names is among these.
func (e Entry) Called(names []string) bool {
	return slices.ContainsFunc(e.Names(), func(name string) bool { return slices.Contains(names, name) })
}

// Err is all problems of the entry as one error, or nil. A disabled server has none.
func (e Entry) Err() error {
	if e.Disabled || len(e.Problems) == 0 {
		return nil
	}
	return Problems(e.Problems)
}

// Found tells how the file of an entry came to be read, and with that on whose word its command would run.
type Found int

const (
	// Named was the user's own word: --config, MCPCTL_CONFIG, MCP_SERVER_URL or the command line, and what
	// such a file includes.
	Named Found = iota
	// Searched was come upon in the project's folders: whoever writes to the repository may have written it.
	Searched
	// Discovered was come upon among the files of applications.
	Discovered
)

// String names it as reports do.
func (f Found) String() string { return [...]string{"named", "searched", "discovered"}[f] }

// Select is the entries with these names, in configuration order; none = all. One that does not exist is a
// Problem with the nearest as its hint; several are Problems.
func (c *Config) Select(names []string) ([]Entry, error) {
	if len(names) == 0 {
		return c.Entries, nil
	}
	known := c.Names()
	var problems Problems
	for i, name := range names {
		if !slices.Contains(known, name) {
			message := fmt.Sprintf("no server %q is configured", name)
			if strings.Contains(name, "/") {
				message += ", and there is no such file"
			}
			problem := Problem{Message: message, Hint: c.unknown(name, known)}
			if i > 0 && slices.Contains(known, names[0]) && len(kit.Nearest(name, known)) == 0 {
				problem.Hint = fmt.Sprintf("for what %s offers under that name write mcpctl show %s %s",
					names[0], names[0], name)
			}
			if len(kit.Nearest(name, known)) == 0 {
				problem.Unknown = name
			}
			problems = append(problems, problem)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return kit.Filter(c.Entries, func(e Entry) bool { return e.Called(names) }), nil
}

// Names are those of all entries, as Entry.Names.
func (c *Config) Names() []string { return kit.Flat(c.Entries, Entry.Names) }

// Words that stand for something else than a server.
var (
	address  = kit.Pattern(`^[A-Za-z0-9.-]*:\d+(/.*)?$|^localhost(/.*)?$|^\d+\.\d+\.\d+\.\d+(/.*)?$`)
	scoped   = kit.Pattern(`^@[A-Za-z0-9~][\w.~-]*/[A-Za-z0-9~][\w.~-]*(@[\w.^~<>=*|+-]+)?$`) // of npm
	halfURL  = kit.Pattern(`^(https?):/*([^/].*)`)
	revision = kit.Pattern(`^(HEAD|main|master|origin/.+)$|.[~^]\d*$`)
)

// AddressOf is the URL of an address that lacks its scheme, or also its host; empty where a word is none.
func AddressOf(word string) string {
	if !address().MatchString(word) {
		return ""
	}
	if strings.HasPrefix(word, ":") {
		word = "localhost" + word
	}
	return "http://" + word
}

// Meant is how to write what a word that names no server meant: an address, a package, a commit, a file or a
// kind of items; or empty.
func Meant(word string) string {
	image := strings.TrimPrefix(word, "docker:")
	half := halfURL().FindStringSubmatch(word)
	switch {
	case half != nil:
		return fmt.Sprintf("a URL is written %s://%s", half[1], half[2])
	case AddressOf(word) != "":
		return "for a server at that address write " + AddressOf(word)
	case scoped().MatchString(word):
		return "for the server in a package of npm write npm:" + word
	case image != word:
		return "for the server in an image write oci:" + image
	case revision().MatchString(word):
		return "for what is committed there write git:" + word
	case slices.Contains([]string{".yaml", ".yml", ".toml", ".jsonc"}, filepath.Ext(word)):
		return "for the servers that a file configures write --config " + word
	case slices.Contains([]string{"tools", "prompts", "resources", "templates"}, word):
		return "for items of one kind write --kind " + word
	}
	return ""
}

func (c *Config) unknown(name string, known []string) string {
	for _, server := range known {
		// as mcporter has it
		if item, ok := strings.CutPrefix(name, server); ok && len(item) > 1 &&
			strings.ContainsAny(item[:1], "./:") {
			return fmt.Sprintf("the server and what it offers are two words: %s %s", server, item[1:])
		}
	}
	if hint := Meant(name); hint != "" && len(kit.Nearest(name, known)) == 0 {
		return hint
	}
	switch {
	case len(c.Files) == 0 && len(known) == 0:
		return "there is no configuration here; name one with --config, or write -- COMMAND or a URL"
	case len(known) == 0:
		return "the configuration has no servers"
	}
	if hint := kit.Suggest(name, known); hint != "" {
		return hint
	}
	return "mcpctl config shows all servers"
}

// Problem is one mistake in the configuration, and how to mend it. It holds no value of variables, headers or
// user info.
type Problem struct {
	File    string `json:"file"`           // empty = not in a file
	Line    int    `json:"line,omitempty"` // 1-based; 0 = the whole file
	Server  string `json:"server,omitempty"`
	Message string `json:"message"`        // lower case, without full stop
	Hint    string `json:"hint,omitempty"` // what to do next
	// the word that no server is called by, and none nearly; empty = that is not what is wrong
	Unknown string `json:"-"`
	asked   bool   // an answer of the entry's Prompts mends it
}

// Error is `FILE:LINE: server "NAME": MESSAGE`, as far as they are known, without the hint.
func (p Problem) Error() string {
	message := p.Message
	if p.Server != "" {
		message = fmt.Sprintf("server %q: %s", p.Server, message)
	}
	switch {
	case p.File == "":
		return message
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.File, message)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, message)
}

// Problems is several mistakes as one error; errors.As finds each Problem.
type Problems []Problem

// Error is one line per problem.
func (ps Problems) Error() string {
	return strings.Join(kit.Map(ps, Problem.Error), "\n")
}

// Unwrap is every Problem.
func (ps Problems) Unwrap() []error {
	return kit.Map(ps, func(p Problem) error { return p })
}

// Explain is an error of Load or Select as text for people: each problem with what to do next. Other errors
// stay as they are.
func Explain(err error) error {
	var problems Problems
	var problem Problem
	switch {
	case errors.As(err, &problems):
	case errors.As(err, &problem):
		problems = Problems{problem}
	default:
		return err
	}
	var lines []string
	for _, p := range problems {
		line := p.Error()
		if p.Hint != "" {
			line += "\nhint: " + p.Hint
		}
		lines = append(lines, line)
	}
	return explained{problems, strings.Join(lines, "\n")}
}

// explained are Problems with what to do about them.
type explained struct {
	problems Problems
	text     string
}

// Error is the text.
func (e explained) Error() string { return e.text }

// Unwrap is what is explained.
func (e explained) Unwrap() error { return e.problems }

// NeedsTrust reports whether a person must trust the entry before it is started or contacted, since its file
// was only found. A bare address is no exception: what answers there may be meant for this machine alone.
func (e Entry) NeedsTrust() bool { return e.Found != Named && !e.Disabled }

// discreet are problems without tokens in places where none belongs.
func discreet(problems []Problem) []Problem {
	for i, p := range problems {
		problems[i].Message, problems[i].Hint = redact.MaskTokens(p.Message), redact.MaskTokens(p.Hint)
	}
	return problems
}
