package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func promptCommand(inv *invocation) *cli.Command {
	a := &act{invocation: inv}
	return a.wire(&cli.Command{
		Name:        "prompt",
		Usage:       "fill in a prompt and show its messages",
		ArgsUsage:   "SOURCE NAME [KEY=VALUE…] [-- CMD ARG…]",
		Description: `Every argument of a prompt is a text; key@=FILE reads it from a file.`,
		Flags:       a.talkFlags(),
	}, a.prompt)
}

func (a *act) prompt(ctx context.Context, words []string) error {
	source, rest := a.source(words)
	if len(rest) == 0 {
		return exit.Usagef("which prompt? Write mcpctl prompt SOURCE NAME [KEY=VALUE…]; mcpctl list SOURCE shows the prompts")
	}
	values, err := a.texts(rest[1:])
	if err != nil {
		return err
	}
	stop, err := a.open(ctx, source)
	if err != nil {
		return err
	}
	defer stop()
	prompt, err := a.find(ctx, snapshot.Prompts, rest[0])
	if err != nil {
		return err
	}
	if err := a.object(rest[0], call.CheckPrompt(prompt, values)); err != nil {
		return err
	}
	return a.perform(ctx, rest[0], request{stage: probe.Prompting, message: call.Prompt(rest[0], call.Texts(values)), read: call.PromptResult})
}

// texts are arguments that are texts, by their keys.
func (inv *invocation) texts(words []string) (map[string]string, error) {
	given, _, err := inv.arguments(words, "")
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, a := range given {
		if slices.Contains([]call.Form{call.Literal, call.FromJSON}, a.Form) {
			return nil, exit.Usagef("%s is a text here: write %s=VALUE", a.Key, a.Key)
		}
		if _, twice := values[a.Key]; twice {
			return nil, exit.Usagef("%s is given twice", a.Key)
		}
		values[a.Key] = a.Text
	}
	return values, nil
}
