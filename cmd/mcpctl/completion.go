package main

import (
	"context"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// completions are the scripts of the shells.
//
//go:embed completion/*
var completions embed.FS

// completionFlag ends the arguments when a shell asks what may come next; urfave/cli then runs no command.
const completionFlag = "--generate-bash-completion"

// completionCommand makes completion.
func completionCommand(p program) *cli.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cli.Command{
		Name:         "completion",
		Category:     "Set up",
		Usage:        "Generate a shell completion script",
		ArgsUsage:    "SHELL",
		BashComplete: offerWords(shells),
		Action: func(c *cli.Context) error {
			script, err := completions.ReadFile("completion/" + c.Args().First())
			if err != nil || c.NArg() != 1 {
				return errShell(c.Args().Slice(), shells)
			}
			_, err = p.Out.Write(script)
			return err
		},
	}
}

// offerWords completes an argument by one of several words, and flags.
func offerWords(words []string) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		cli.DefaultCompleteWithFlags(c.Command)(c)
		for _, word := range words {
			fmt.Fprintln(c.App.Writer, word)
		}
	}
}

// safeName matches names that mean themselves in every shell, inside and outside of quotes. Configuration
// files come with projects: another name could end the quote that it is inserted into, and run a command.
var safeName = regexp.MustCompile(`^[A-Za-z0-9_@][A-Za-z0-9_@./:+-]*=?$`)

// completeFor chooses how the arguments of a command are completed, where it does not say so itself. The
// names of servers are read from files.
func completeFor(p *program, command *cli.Command) cli.BashCompleteFunc {
	switch {
	case command.BashComplete != nil:
		return command.BashComplete
	case !takesServers.MatchString(command.ArgsUsage):
		return offerWords(nil)
	}
	return func(c *cli.Context) {
		offerWords(offered(p, c.Context, command, c.Args().Slice()))(c)
	}
}

// offered returns what may follow the words of a command: servers first, then items of the one that was
// named, then their arguments. Items are those of saved snapshots; nothing is contacted. No word is offered
// again.
func offered(p *program, ctx context.Context, command *cli.Command, words []string) []string {
	var all []string
	saved := func() *snapshot.Snapshot { return p.savedOf(ctx, words[0])[words[0]] }
	switch kinds, takesItems := kindsOf[command.Name]; {
	case command.Name == "complete" && len(words) == 1:
		if s := saved(); s != nil {
			for _, kind := range []snapshot.Kind{snapshot.Prompts, snapshot.Templates} {
				all = append(all, kit.Map(namesIn(s, []snapshot.Kind{kind}), kind.ID)...)
			}
		}
	case (takesItems || command.Name == "show") && len(words) > 0:
		s := saved()
		if s == nil {
			break
		}
		if command.Name == "show" || len(words) == 1 {
			all = namesIn(s, kinds)
		} else {
			all = seen.ArgumentNames(s, kinds, words[1])
		}
	case command.Name == "complete" && len(words) > 0:
	default:
		process := p.Process
		process.Quiet = true
		if cfg, _ := fleet.Read(ctx, process, p.Select); cfg != nil {
			all = cfg.Names()
		}
	}
	typed := func(word string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return w == word || strings.HasSuffix(word, "=") && strings.HasPrefix(w, word)
		})
	}
	return slices.DeleteFunc(all, func(word string) bool {
		return !safeName.MatchString(word) || typed(word)
	})
}

// savedOf returns the saved snapshots of the configured servers, by their names. Nothing is contacted.
func (p program) savedOf(ctx context.Context, servers ...string) map[string]*snapshot.Snapshot {
	cfg := configurationOf(ctx, p.Process, p.Select)
	if cfg == nil {
		return nil
	}
	all := map[string]*snapshot.Snapshot{}
	for _, name := range cfg.Names() {
		if len(servers) > 0 && !slices.Contains(servers, name) {
			continue
		}
		saved, err := source.ReadFile(ctx, compare.SavedFile(cfg.Project.Snapshots, name))
		if err == nil && saved.Snapshot != nil {
			all[name] = saved.Snapshot
		}
	}
	return all
}

// serversWith returns the servers whose saved snapshots have an item of some kinds; no kind stands for all.
func serversWith(saved map[string]*snapshot.Snapshot, kinds []snapshot.Kind, item string) []string {
	return kit.Filter(kit.SortedKeys(saved), func(server string) bool {
		return slices.Contains(namesIn(saved[server], kinds), item)
	})
}

// kindsOf are the kinds of items that a command takes; others take all.
var kindsOf = map[string][]snapshot.Kind{
	"call": {snapshot.Tools}, "prompt": {snapshot.Prompts},
	"read": {snapshot.Resources, snapshot.Templates},
}

// namesIn returns the names and URIs of the items of some kinds of a snapshot; no kind stands for all.
func namesIn(s *snapshot.Snapshot, kinds []snapshot.Kind) (names []string) {
	if len(kinds) == 0 {
		kinds = snapshot.Kinds()
	}
	for _, kind := range kinds {
		list := s.List(kind)
		for _, item := range list.Items() {
			names = append(names, item.Key)
		}
	}
	return names
}

// flagValues returns the values of the flag that ends a command line and lacks its value, behind --flag= as
// it was typed; false without one.
func flagValues(app *cli.App, own []string) (values []string, is bool) {
	last := len(own) - 1
	if last < 1 || app.Command(own[0]) == nil || !strings.HasPrefix(own[last], "-") {
		return nil, false
	}
	flag, _, joined := strings.Cut(own[last], "=")
	if joined {
		values, is = flagValues(app, []string{own[0], flag})
		return kit.Map(values, func(value string) string { return flag + "=" + value }), is
	}
	command, name := app.Command(own[0]), strings.TrimLeft(flag, "-")
	if !takesValue(command)[name] {
		return nil, false
	}
	for _, f := range command.Flags {
		if generic, ok := f.(*cli.GenericFlag); ok && slices.Contains(f.Names(), name) {
			if name == "report" {
				formats, _ := flagValues(app, []string{command.Name, "--format"})
				return kit.Map(formats, func(format string) string { return format + "=" }), true
			}
			return valuesOf(generic), true
		}
	}
	return nil, true
}

// valuesOf returns the values of a flag, which its usage lists behind a colon; none of one that takes any.
func valuesOf(f *cli.GenericFlag) []string {
	switch f.Name {
	case "fail-on":
		return []string{"breaking", string(finding.FailOnUsed), "warning", "info", "any", "never"}
	case "rule":
		return seen.AllRuleIDs()
	}
	_, list, _ := strings.Cut(f.Usage, ": ")
	words := strings.Fields(strings.NewReplacer(", ", " ", " or ", " ").Replace(list))
	isWord := func(word string) bool { return safeName.MatchString(word) && !strings.Contains(word, "=") }
	separators := strings.Count(list, ", ") + strings.Count(list, " or ")
	if separators == 0 || len(words) != separators+1 || len(kit.Filter(words, isWord)) < len(words) {
		return nil
	}
	return words
}

var takesServers = regexp.MustCompile("SOURCE|SERVER|NAME")
