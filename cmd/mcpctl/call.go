package main

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/source"
)

// What call, prompt, read and complete share: each makes one request to one server.

// invokeCommand completes a command that makes one request: its own flags come first, shared ones after them.
func (p *program) invokeCommand(c *cli.Command, o *call.Options) *cli.Command {
	switch { // MCPCTL_FORMAT is for reports
	case p.Output.Format == "table":
		p.Output.Format = "text"
	case !slices.Contains(resultFormats(), p.Output.Format):
		p.Output.Format = ""
	}
	const category = "" // its formats are its own
	c.Flags = slices.Concat(c.Flags, selectionFlags(&p.Select),
		p.formatFlags(category, resultFormats(), "text on a terminal, else raw"), outputFlag(&p.Output),
		p.talkFlags(), contactFlags(&p.Select, &p.Contact))
	c.BashComplete = completeFor(p, c)
	c.Before = p.complete(func() error {
		o.Select, o.Contact = p.Select, p.Contact
		d := resultOutput{p.Process, p.Output}
		o.Deliver, o.Preview = d.deliver, d.preview
		return d.check()
	})
	return c
}

func dryRunFlag(o *call.Options) cli.Flag {
	return toggle("dry-run", "Show the request; do not send it", &o.DryRun)
}

// askFlags returns the flags of requests that may take long and ask questions.
func askFlags(o *call.Options) []cli.Flag {
	return []cli.Flag{
		dryRunFlag(o),
		option("answer", "Answer the server's questions: `KEY=VALUE`, @FILE (repeatable)", list(&o.Answers)),
	}
}

// operands are the words behind the SOURCE of such a command.
type operands struct {
	least int    // how many there must be
	named bool   // the first is a name; resources and templates may be at a web address, as servers are
	what  string // what they are
}

// asking returns the action of such a command: a SOURCE, unless "--" names it, and other words for do.
func (p *program) asking(words operands,
	do func(ctx context.Context, from []source.Source, rest []string) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		named, rest := oneSource(*p, c.Args().Slice())
		if len(rest) < words.least {
			if len(named) == 1 && source.Parse(named[0]).Kind == source.Configured &&
				!selected(c.Context, p.Process, p.Select, named[0]) {
				return errItemAlone(c.Command, words.what, named[0])
			}
			return errOperand(c.Command, words.what, named, p.behind != nil)
		}
		from, err := p.sources(named)
		if err != nil {
			return err
		}
		return do(c.Context, from, rest)
	}
}

// callCommand makes call. With --record the call and its result are appended to a file, which replay and
// --calls read.
func callCommand(p program) *cli.Command {
	var o call.Options
	var base, record string
	return p.invokeCommand(&cli.Command{
		Name:      "call",
		Category:  "Call",
		Usage:     "Call a tool and print its result",
		ArgsUsage: "SOURCE TOOL [KEY=VALUE…] [-- CMD ARG…]",
		Description: `
KEY=VALUE is converted to the type in the schema, KEY:=JSON is sent as it is, KEY@=FILE reads a file,
a.b=1 sets b in a, tags[]=x appends. A tool without readOnlyHint is called after a confirmation.`,
		Flags: append([]cli.Flag{
			option("args", "Arguments as a `JSON` object, @FILE or - (standard input)", text(&base)),
			option("record", "Append the call and its result to `FILE`", text(&record)),
		}, askFlags(&o)...),
		Action: p.asking(operands{1, true, "a tool"},
			func(ctx context.Context, from []source.Source, rest []string) error {
				if record != "" {
					o.Record = func(server, tool string, arguments, result json.RawMessage) error {
						return calls.Append(p.Process, record, server, tool, arguments, result)
					}
				}
				return call.Call(ctx, p.Process, o, from, rest[0], rest[1:], base)
			}),
	}, &o)
}

// promptCommand makes prompt. Its arguments are not converted by a schema, because prompts have none.
func promptCommand(p program) *cli.Command {
	var o call.Options
	return p.invokeCommand(&cli.Command{
		Name:        "prompt",
		Category:    "Call",
		Usage:       "Get a prompt",
		ArgsUsage:   "SOURCE NAME [KEY=VALUE…] [-- CMD ARG…]",
		Description: `Every argument of a prompt is a text; key@=FILE reads it from a file.`,
		Flags:       askFlags(&o),
		Action: p.asking(operands{1, true, "a prompt"},
			func(ctx context.Context, from []source.Source, rest []string) error {
				return call.Prompt(ctx, p.Process, o, from, rest[0], rest[1:])
			}),
	}, &o)
}

// readCommand makes read. KEY=VALUE words fill in a URI template; the resource may also be at a web address.
func readCommand(p program) *cli.Command {
	var o call.Options
	return p.invokeCommand(&cli.Command{
		Name:      "read",
		Category:  "Call",
		Usage:     "Read a resource",
		ArgsUsage: "SOURCE URI [KEY=VALUE…] [-- CMD ARG…]",
		Description: `
A URI template (RFC 6570) is expanded with the values: mcpctl read tickets tickets://{id} id=7.`,
		Flags: askFlags(&o),
		Action: p.asking(operands{1, false, "a resource"},
			func(ctx context.Context, from []source.Source, rest []string) error {
				return call.Read(ctx, p.Process, o, from, rest[0], rest[1:])
			}),
	}, &o)
}
