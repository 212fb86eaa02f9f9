package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// Names returns the names of all entries.
func (c *Config) Names() []string {
	return kit.Map(c.Entries, func(e Entry) string { return e.Server.Name })
}

// Select returns the entries with these names, in the order of the configuration; no name = all. The error is
// Problems, with the nearest names as hints.
func (c *Config) Select(names []string) ([]Entry, error) {
	if len(names) == 0 {
		return c.Entries, nil
	}
	known := c.Names()
	var problems Problems
	for i, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		hint, more := c.unknown(name), ""
		if strings.Contains(name, "/") && !files.Exists(name) {
			more = ", and no such file exists"
		}
		is, _ := Meant(name)
		other := len(kit.Nearest(name, known)) == 0 && is == ""
		if i > 0 && slices.Contains(known, names[0]) && other {
			hint = itemOf(names[0], name)
		}
		problems = append(problems, NoServer(name, more, hint)...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return kit.Filter(c.Entries, func(e Entry) bool { return slices.Contains(names, e.Server.Name) }), nil
}

// itemOf returns the hint for a word that may be an item of a server.
func itemOf(server, word string) string {
	return fmt.Sprintf("for a tool, prompt or resource of %s: mcpctl show %s %s", server,
		printable.ShellWord(server), printable.ShellWord(redact.MaskArgs([]string{word})[0]))
}

// NoServer returns the problem of a name that no server has, masked if it looks secret; more follows in its
// message.
func NoServer(name, more, hint string) Problems {
	shown := redact.MaskArgs([]string{name})[0]
	if shown != name {
		hint = strings.ReplaceAll(hint, name, shown)
	}
	message := fmt.Sprintf("no server %q is configured%s", shown, more)
	return Problems{{Message: message, Hint: hint, Unknown: shown}}
}

// unknown returns the hint for a name that no server has.
func (c *Config) unknown(name string) string {
	known := c.Names()
	switch is, meant := Meant(name); {
	case is != "" && len(kit.Nearest(name, known)) == 0:
		return meant
	case len(c.Files) == 0 && len(known) == 0:
		return "no configuration was found: name one with --config FILE"
	case len(known) == 0:
		return "the configuration has no servers"
	}
	return cmp.Or(kit.Suggest(name, known), "list all servers with mcpctl config")
}

// Meaning is what an argument is that names no server.
type Meaning string

// The meanings that Meant returns.
const (
	Address     Meaning = "address"
	Package     Meaning = "package"
	Commit      Meaning = "commit"
	ConfigFile  Meaning = "file"
	KindOfItems Meaning = "kind"
)

// otherWords are arguments that are something else than a server's name, with how to write them.
var otherWords = []struct {
	pattern func() *regexp.Regexp
	is      Meaning
	hint    string
}{
	{kit.Pattern(`^(?i:https?)://[^/\s]`), Address, // of commands that take names alone
		"a server at a URL needs neither configuration nor trust: mcpctl list URL"},
	{kit.Pattern(`^(https?):/*([^/].*)`), Address, "for a URL: $1://$2"},
	{kit.Pattern(`^:\d+(/.*)?$`), Address, "for the server at that address: http://localhost$0"},
	{kit.Pattern(`^([A-Za-z0-9.-]+:\d+|localhost|\d+\.\d+\.\d+\.\d+)(/.*)?$`), Address,
		"for the server at that address: http://$0"},
	{kit.Pattern(`^@[A-Za-z0-9~][\w.~-]*/[A-Za-z0-9~][\w.~-]*(@[\w.^~<>=*|+-]+)?$`), Package,
		"for the server in an npm package: npm:$0"},
	{kit.Pattern(`^docker:(.*)`), Package, "for the server in an image: oci:$1"},
	{kit.Pattern(`^(HEAD|main|master|origin/.+)$|^.+[~^]\d*$`), Commit,
		"for the snapshots of a commit: git:$0"},
	{kit.Pattern(`^.*\.(ya?ml|toml|jsonc)$`), ConfigFile, "for the servers in a file: --config $0"},
	{kit.Pattern(`^(tools|prompts|resources|templates)$`), KindOfItems, "for items of one kind: --kind $0"},
}

// Meant returns what an argument is that is rather an address, a package, a commit, a file or a kind of items
// than a server's name, and how to write it; empty for other arguments.
func Meant(argument string) (is Meaning, hint string) {
	for _, other := range otherWords {
		if match := other.pattern().FindStringSubmatchIndex(argument); match != nil {
			hint = string(other.pattern().ExpandString(nil, other.hint, argument, match))
			if other.is == Address {
				hint = redact.MaskText(hint)
			}
			return other.is, hint
		}
	}
	return "", ""
}
