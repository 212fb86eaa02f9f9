package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func callCommand(inv *invocation) *cli.Command {
	a := &act{invocation: inv}
	var base string
	return a.wire(&cli.Command{
		Name:      "call",
		Usage:     "call a tool and show what it gives back",
		ArgsUsage: "SOURCE TOOL [KEY=VALUE…] [-- CMD ARG…]",
		Description: `key=value is converted to what the tool's schema wants, key:=JSON is sent as it is, key@=FILE and key:=@FILE read a file;
a.b=1 is b inside a, and tags[]=x one more element. A tool that does not say that it only reads (readOnlyHint) is called
only after a yes: asked for on the terminal, given with --yes elsewhere. See docs/call.md.`,
		Flags: a.talkFlags(
			&cli.StringFlag{Name: "args", Usage: "`JSON` object of arguments, @FILE, or - for standard input; KEY=VALUE is put into it", Destination: &base},
		),
	}, func(ctx context.Context, words []string) error { return a.call(ctx, words, base) })
}

// call calls one tool, once, over a connection of its own. Nothing else in mcpctl does.
func (a *act) call(ctx context.Context, words []string, base string) error {
	source, rest := a.source(words)
	if len(rest) == 0 {
		return exit.Usagef("call which tool? Write mcpctl call SOURCE TOOL [KEY=VALUE…]; mcpctl list SOURCE shows the tools")
	}
	given, whole, err := a.arguments(rest[1:], base)
	if err != nil {
		return err
	}
	stop, err := a.open(ctx, source)
	if err != nil {
		return err
	}
	defer stop()
	tool, err := a.find(ctx, snapshot.Tools, rest[0])
	if err != nil {
		return err
	}
	if needsTask(tool) && !a.noValidate {
		return exit.Usagef("%s: %s can only be called as a task (execution.taskSupport), which mcpctl does not do; nothing was called", report.Visible(a.server.Name), report.Visible(tool.Key))
	}
	schema := tool.InputSchema()
	args, problems := call.Build(schema, whole, given)
	if err := a.object(rest[0], a.judged(schema, args, problems)); err != nil {
		return err
	}
	if !a.dryRun {
		if err := a.confirm(ctx, tool, args); err != nil {
			return err
		}
	}
	return a.perform(ctx, rest[0], request{
		stage: probe.Calling, message: call.Tool(rest[0], args), schema: schema, read: call.ToolResult,
		heed: func(r call.Result) { a.compare(r, tool.OutputSchema()) },
	})
}

// needsTask tells whether a tool can be called in no other way than as a task (specification 2025-11-25, tasks).
func needsTask(tool snapshot.Item) bool {
	return snapshot.Item{Raw: tool.Field("execution")}.Text("taskSupport") == "required"
}

// find is the item of a kind with this name. With --no-validate one that is not offered is taken as it is.
func (a *act) find(ctx context.Context, kind snapshot.Kind, name string) (snapshot.Item, error) {
	lists, err := a.session.List(ctx, kind)
	item, answer := lists[0].Find(name)
	switch {
	case answer == snapshot.Present:
		return item, nil
	case a.noValidate && (err == nil || lists[0].State == snapshot.Truncated):
		return snapshot.Item{Key: name, Raw: json.RawMessage("{}")}, nil
	case answer == snapshot.Unknown:
		return snapshot.Item{}, a.failure(err)
	}
	var names []string
	for _, item := range lists[0].Items() {
		names = append(names, item.Key)
	}
	return snapshot.Item{}, exit.Usagef("%s offers no %s %q%s: see mcpctl list", report.Visible(a.server.Name), kind.Word(), name, report.Visible(match.DidYouMean(name, names)))
}

// judged are the problems of arguments as they were written, and those that the schema has with them.
func (a *act) judged(schema, args json.RawMessage, problems []call.Problem) []call.Problem {
	if a.noValidate || schema == nil {
		return problems
	}
	more, sure := call.Check(schema, args)
	for _, p := range more {
		if !slices.ContainsFunc(problems, func(known call.Problem) bool { return known.Path == p.Path }) {
			problems = append(problems, p)
		}
	}
	if !sure {
		a.Note("%s: the arguments could not be checked: the tool's inputSchema cannot be read, or rests on a pattern that cannot", report.Visible(a.server.Name))
	}
	return problems
}

// object is the usage error for arguments that are not right; nil when they are, or when nobody shall care.
func (a *act) object(name string, problems []call.Problem) error {
	if len(problems) == 0 || a.noValidate {
		return nil
	}
	text := fmt.Sprintf("%s: %s: the arguments are not what it takes; nothing was called (--no-validate sends them all the same)", report.Visible(a.server.Name), report.Visible(name))
	for _, p := range problems {
		text += "\n  " + told(p)
	}
	return exit.Usagef("%s", text)
}

// told is a problem as a line.
func told(p call.Problem) string {
	near := ""
	if p.Word != "" {
		near = match.DidYouMean(p.Word, p.Words)
	}
	return report.Visible(strings.TrimSpace(p.Path+" "+p.Message) + near)
}

// compare tells where structured content is not what the tool promised.
func (a *act) compare(r call.Result, schema json.RawMessage) {
	problems, sure := r.Promised(schema)
	for _, p := range problems {
		a.Note("%s: the tool breaks its outputSchema: structuredContent%s", report.Visible(a.server.Name), report.Visible(after(" ", told(p))))
	}
	if !sure {
		a.Note("%s: structuredContent could not be checked against the outputSchema of the tool", report.Visible(a.server.Name))
	}
}
