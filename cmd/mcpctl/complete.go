package main

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func completeCommand(inv *invocation) *cli.Command {
	a := &act{invocation: inv}
	return a.wire(&cli.Command{
		Name:        "complete",
		Usage:       "ask a server what an argument may be",
		ArgsUsage:   "SOURCE prompt/NAME|template/URI-TEMPLATE ARGUMENT [PREFIX] [KEY=VALUE…] [-- CMD ARG…]",
		Description: `KEY=VALUE are arguments that are known already; servers may suggest by them.`,
		Flags:       a.actFlags(&cli.BoolFlag{Name: "dry-run", Usage: "show the request and do not send it", Destination: &a.dryRun}),
	}, a.complete)
}

func (a *act) complete(ctx context.Context, words []string) error {
	source, rest := a.source(words)
	if len(rest) < 2 {
		return exit.Usagef("complete what? Write mcpctl complete SOURCE prompt/NAME ARGUMENT [PREFIX], or template/URI-TEMPLATE in the place of prompt/NAME")
	}
	to, err := referenceOf(rest[0])
	if err != nil {
		return err
	}
	prefix, known := "", rest[2:]
	if len(known) > 0 {
		prefix, known = known[0], known[1:]
	}
	values, err := a.texts(known)
	if err != nil {
		return err
	}
	stop, err := a.open(ctx, source)
	if err != nil {
		return err
	}
	defer stop()
	return a.perform(ctx, rest[1], request{
		stage: probe.Completing, message: call.Complete(to, rest[1], prefix, values), read: call.CompleteResult, heed: a.tellMore,
	})
}

// tellMore tells that a server knows more values than it gave.
func (a *act) tellMore(r call.Result) {
	if r.More != "" {
		a.Note("%s: %s", report.Visible(a.server.Name), report.Visible(r.More))
	}
}

// referenceOf reads prompt/NAME, template/URI-TEMPLATE, and resource/URI-TEMPLATE, which the protocol calls it.
func referenceOf(text string) (call.Reference, error) {
	kind, key, found := strings.Cut(text, "/")
	kinds := map[string]snapshot.Kind{"prompt": snapshot.Prompts, "template": snapshot.Templates, "resource": snapshot.Templates}
	if !found || key == "" || kinds[kind] == "" {
		return call.Reference{}, exit.Usagef("%q is neither prompt/NAME nor template/URI-TEMPLATE", text)
	}
	return call.Reference{Kind: kinds[kind], Key: key}, nil
}
