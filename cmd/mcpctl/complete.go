package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// completeCommand makes complete. The words behind the argument are a prefix, empty if missing, and then
// other arguments.
func completeCommand(p program) *cli.Command {
	var o call.Options
	return p.invokeCommand(&cli.Command{
		Name:        "complete",
		Category:    "Call",
		Usage:       "Complete an argument",
		ArgsUsage:   "SOURCE prompt/NAME|template/URI ARGUMENT [PREFIX] [KEY=VALUE…] [-- CMD ARG…]",
		Description: `KEY=VALUE are arguments that are known already; servers may suggest by them.`,
		Flags:       []cli.Flag{dryRunFlag(&o)},
		Action: func(c *cli.Context) error {
			if err := errReference(p, c); err != nil {
				return err
			}
			return p.asking(operands{2, false, "a prompt or template, and an argument"},
				func(ctx context.Context, from []source.Source, rest []string) error {
					prefix, known := "", rest[2:]
					if len(known) > 0 {
						prefix, known = known[0], known[1:]
					}
					return call.Complete(ctx, p.Process, o, from, rest[0], rest[1], prefix, known)
				})(c)
		},
	}, &o)
}

var (
	reference = kit.Pattern(`^(prompt|template|resource)/.`)
	// kindAlone matches a kind as people also write it: in the plural, or as a word of its own.
	kindAlone = kit.Pattern(`^(prompt|template|resource)s?(?:/|$)`)
)

// errReference returns the error of complete for arguments in another order, and for a prompt or template
// without its kind; nil for other arguments.
func errReference(p program, c *cli.Context) error {
	typed := c.Args().Slice()
	isReference := func(word string) bool { return reference().MatchString(word) }
	server, rest := []string(nil), slices.Clone(typed)
	if p.behind == nil {
		if len(typed) < 2 || isReference(typed[1]) && !isReference(typed[0]) {
			return nil
		}
		if server, rest = serverFirst(c.Context, p, rest); server == nil {
			return nil // no server is named
		}
	}
	at := slices.IndexFunc(rest, isReference)
	if len(rest) == 0 || p.behind != nil && (at == 0 || at > 0 && isBehind(c.Context, p, rest[0])) {
		return nil
	}
	message := fmt.Sprintf("%q is neither prompt/NAME nor template/URI-TEMPLATE", rest[0])
	if len(server) > 0 && server[0] != typed[0] {
		message = fmt.Sprintf("%q is not a server: the SOURCE comes first", typed[0])
	}
	kind := kindAlone().FindStringSubmatch(rest[0])
	switch {
	case at >= 0:
		rest = slices.Concat(rest[at:at+1], rest[:at], rest[at+1:])
	case kind != nil && rest[0] == kind[0] && len(rest) > 1: // two words
		rest = append([]string{kind[1] + "/" + rest[1]}, rest[2:]...)
	case kind != nil:
		rest[0] = kind[1] + "/" + strings.TrimPrefix(rest[0], kind[0])
	case isTool(c.Context, p, rest[0], server...):
		return errTool(rest[0])
	}
	rest = toComplete(rest)
	line := append(server, rest...)
	if p.behind != nil {
		line = slices.Concat(rest, []string{"--"}, p.behind)
	}
	return exit.UsageHint(typedWith(p, c.Command, line...), "%s", message)
}

// isTool reports whether the saved snapshots of servers have a tool of that name.
func isTool(ctx context.Context, p program, name string, servers ...string) bool {
	return len(serversWith(p.savedOf(ctx, servers...), kindsOf["call"], name)) > 0
}

// errTool returns the error of complete for a tool.
func errTool(name string) error {
	return exit.Usagef("%q is a tool: servers complete arguments of prompts and templates", name)
}

// toComplete returns a prompt or template, and what follows it, as arguments of complete: with its kind, and
// a placeholder for the argument that is missing.
func toComplete(words []string) []string {
	switch item := words[0]; {
	case reference().MatchString(item):
	case strings.Contains(item, "{"):
		words[0] = snapshot.Templates.ID(item)
	default:
		words[0] = snapshot.Prompts.ID(item)
	}
	if len(words) == 1 {
		return append(words, "ARGUMENT")
	}
	return words
}

// serverFirst returns the server that some arguments of complete name in any place, and the other arguments;
// nil for none. Nothing is contacted.
func serverFirst(ctx context.Context, p program, words []string) (server, rest []string) {
	for i, word := range words {
		if selected(ctx, p.Process, p.Select, word) {
			return []string{word}, slices.Delete(words, i, i+1)
		}
	}
	item := words[0]
	if reference().MatchString(item) {
		_, item, _ = strings.Cut(item, "/")
	}
	kinds := []snapshot.Kind{snapshot.Prompts, snapshot.Templates}
	saved := serversWith(p.savedOf(ctx), kinds, item)
	name, joined, is := joinedName(ctx, p.Process, p.Select, item)
	switch {
	case is && joined != item:
		return []string{name}, append([]string{joined}, words[1:]...)
	case item != words[0] || len(saved) > 0:
		return append(saved, "SOURCE")[:1], words
	case source.Parse(item).Kind == source.Configured:
		return nil, words // an unknown server
	}
	return words[:1], words[1:]
}
