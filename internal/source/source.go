// Package source parses the arguments that name servers and snapshots, and reads those snapshots, also from
// commits, which it checks out into temporary worktrees as well.
package source

import (
	"os"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// Source is one SOURCE of the command line, parsed.
type Source struct {
	Kind Kind
	Word string   // the name, URL or path, or the text after "git:"
	Args []string // of a Command: the command line; of a Package: further arguments of its server
}

// Kind is what a SOURCE names.
type Kind int

// The kinds of SOURCE; those up to Command are servers to contact, the others are saved.
const (
	Configured Kind = iota // a server in the configuration
	URL                    // an HTTP server
	Package                // the server in a published package, such as npm:NAME@VERSION
	Command                // a stdio server: the arguments after "--", or one that begins with "-- "
	Path                   // a snapshot file, or a directory of them
	Git                    // snapshots as committed
	Stdin                  // a snapshot on standard input
)

// Parse parses an argument by the grammar of docs/reference.md.
func Parse(word string) Source {
	switch {
	case word == "-":
		return Source{Kind: Stdin, Word: word}
	case strings.HasPrefix(word, "-- "):
		args, err := shellquote.Split(word[len("-- "):])
		if err != nil {
			args = nil
		}
		return Source{Kind: Command, Word: word, Args: args}
	case strings.HasPrefix(word, "git:"):
		return Source{Kind: Git, Word: strings.TrimPrefix(word, "git:")}
	case strings.HasPrefix(word, "npm:"), strings.HasPrefix(word, "pypi:"), strings.HasPrefix(word, "oci:"):
		return Source{Kind: Package, Word: word}
	case isURL(word):
		return Source{Kind: URL, Word: word}
	case strings.ContainsAny(word, `/\`) && !slashedName(word), strings.HasSuffix(word, ".json"),
		files.IsDir(word):
		return Source{Kind: Path, Word: word}
	}
	return Source{Kind: Configured, Word: word}
}

// isURL reports whether an argument is an http or https URL, in any case (RFC 3986, section 3.1).
func isURL(word string) bool {
	scheme, _, is := strings.Cut(word, "://")
	return is && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// ParseAll parses the arguments of a command, and those after "--": the command line of the last SOURCE, or
// further arguments of the servers in packages if there are any; nil = there was no "--".
func ParseAll(words, command []string) ([]Source, error) {
	var all []Source
	for _, word := range words {
		if word == "" {
			return nil, errEmpty
		}
		if strings.Contains(word, "://") && !isURL(word) {
			return nil, errScheme(word)
		}
		parsed := Parse(word)
		if parsed.Kind == Command && len(parsed.Args) == 0 {
			return nil, errCommandLine(word)
		}
		all = append(all, parsed)
	}
	if command == nil {
		return all, nil
	}
	if len(command) == 0 {
		return nil, errNoCommand
	}
	started := false
	for i, s := range all {
		if s.Kind == Package {
			all[i].Args, started = command, true
		}
	}
	if started {
		return all, nil
	}
	// one argument that holds a whole command line
	if _, err := os.Stat(command[0]); len(command) == 1 && err != nil {
		if words, err := shellquote.Split(command[0]); err == nil && len(words) > 1 {
			command = words
		}
	}
	return append(all, Source{Kind: Command, Args: command}), nil
}

// Live reports whether the SOURCE is a server to contact, not something saved.
func (s Source) Live() bool { return s.Kind <= Command }

// Whole reports whether the SOURCE is a directory of snapshots, which is complete: others were removed.
func (s Source) Whole() bool {
	return s.Kind == Path && files.IsDir(s.Word) || s.Kind == Git && !strings.HasSuffix(s.Word, extension)
}

// String returns the SOURCE as it is written.
func (s Source) String() string {
	switch s.Kind {
	case Git:
		return "git:" + s.Word
	case Command:
		return "-- " + strings.Join(s.Args, " ")
	}
	return s.Word
}

// slashed matches names as in the MCP registry: io.github.user/server, @scope/server.
var slashed = kit.Pattern(`^[A-Za-z0-9@][A-Za-z0-9._@-]*/[A-Za-z0-9._-]+$`)

// slashedName reports whether an argument is a name with a slash, not a path: no such file exists.
func slashedName(word string) bool {
	_, err := os.Stat(word)
	return err != nil && slashed().MatchString(word)
}
