package report

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// Repeat is what an advised command repeats of the one that ran, so that it is about the same servers.
// The zero value repeats nothing.
type Repeat struct {
	Flags   string // those that choose servers and how they are started, quoted for a shell
	Compare string // those that choose what counts as a change, which only diff and accept have
	Sources string // the SOURCEs before "--", quoted
	Command string // the command behind "--", quoted
	Hidden  bool   // whether a value that may be a secret is left out
}

// With returns a command of mcpctl for the same servers, with words before the SOURCEs.
func (c Repeat) With(command string, words ...string) string {
	line := kit.Join(" ", "mcpctl "+command, c.Flags, c.Compare, kit.Join(" ", words...), c.Sources)
	if c.Command != "" {
		line += " -- " + c.Command
	}
	return line
}

// about returns a command that compares nothing, for one server that the run named or found, with words
// behind it.
func (c Repeat) about(s seen.Server, command string, words ...string) string {
	c.Compare = ""
	switch {
	case published(s.Source):
		c.Sources = printable.ShellWord(s.Source)
	case saved(s):
		c.Sources, c.Command = printable.ShellWord(s.Source), ""
	case s.Source != config.CommandLine:
		c.Sources, c.Command = printable.ShellWord(s.Name), ""
	case c.Command != "":
		return c.With(command, words...)
	}
	c.Sources = kit.Join(" ", c.Sources, kit.Join(" ", words...))
	return c.With(command)
}

// SaveHint returns what to do about servers without a snapshot.
func (c Repeat) SaveHint(servers ...seen.Server) string {
	const save = "save one: "
	c.Compare = ""
	if len(servers) != 1 {
		return save + c.With("snapshot")
	}
	if servers[0].Source == config.CommandLine && strings.TrimSpace(c.Sources+c.Command) == "" {
		return save + "mcpctl snapshot, with the same arguments" // a saved report does not have them
	}
	return save + c.about(servers[0], "snapshot")
}
