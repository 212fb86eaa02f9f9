package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
)

// target is one SOURCE of the command line, parsed.
type target struct {
	kind targetKind
	word string // the name, URL, path, or what follows "git:"
}

// targetKind is what a SOURCE turned out to be.
type targetKind int

const (
	byName    targetKind = iota // a configured server
	byURL                       // an HTTP server
	byCommand                   // the ad-hoc stdio server behind "--"
	byPath                      // a snapshot file, or a folder of them
	byGit                       // snapshots as committed
	byStdin                     // a snapshot on standard input
)

// live tells whether a target is a server to contact, rather than something saved.
func (t target) live() bool { return t.kind <= byCommand }

// parseTarget reads a SOURCE by the one grammar of docs/usage.md.
func parseTarget(word string) target {
	switch {
	case word == "-":
		return target{byStdin, word}
	case strings.HasPrefix(word, "git:"):
		return target{byGit, strings.TrimPrefix(word, "git:")}
	case strings.HasPrefix(word, "http://"), strings.HasPrefix(word, "https://"):
		return target{byURL, word}
	case strings.ContainsAny(word, `/\`) && !slashedName(word), strings.HasSuffix(word, ".json"), files.IsDir(word):
		return target{byPath, word}
	}
	return target{byName, word}
}

// slashed are names as the MCP registry has them: io.github.user/server, @scope/server.
var slashed = regexp.MustCompile(`^[A-Za-z0-9@][A-Za-z0-9._@-]*/[A-Za-z0-9._-]+$`)

// slashedName tells whether a word is a name with a slash rather than a path: nothing of that name exists.
func slashedName(word string) bool {
	_, err := os.Stat(word)
	return err != nil && slashed.MatchString(word)
}

// targets are the SOURCEs of a command: its words, and the command behind "--" last.
func (inv *invocation) targets(words []string) ([]target, error) {
	var found []target
	for _, word := range words {
		if word == "" {
			return nil, exit.Usagef("an empty SOURCE")
		}
		found = append(found, parseTarget(word))
	}
	if inv.command != nil {
		if len(inv.command) == 0 {
			return nil, exit.Usagef(`nothing follows "--": write the command of a stdio server behind it`)
		}
		found = append(found, target{kind: byCommand})
	}
	return found, nil
}
