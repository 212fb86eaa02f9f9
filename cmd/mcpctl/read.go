package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

func readCommand(inv *invocation) *cli.Command {
	a := &act{invocation: inv}
	return a.wire(&cli.Command{
		Name:        "read",
		Usage:       "read a resource",
		ArgsUsage:   "SOURCE URI [KEY=VALUE…] [-- CMD ARG…]",
		Description: `A URI template (RFC 6570) is expanded with the values: mcpctl read tickets tickets://{id} id=7.`,
		Flags:       a.talkFlags(),
	}, a.readResource)
}

func (a *act) readResource(ctx context.Context, words []string) error {
	source, rest := a.source(words)
	if len(rest) == 0 {
		return exit.Usagef("read what? Write mcpctl read SOURCE URI; mcpctl list SOURCE shows resources and templates")
	}
	values, err := a.texts(rest[1:])
	if err != nil {
		return err
	}
	uri, problems := call.Expand(rest[0], values)
	if err := a.object(rest[0], problems); err != nil {
		return err
	}
	stop, err := a.open(ctx, source)
	if err != nil {
		return err
	}
	defer stop()
	return a.perform(ctx, uri, request{stage: probe.Reading, message: call.Read(uri), read: call.ReadResult})
}
