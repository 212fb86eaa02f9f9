package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/usage"
)

func usageCommand(p program) *cli.Command {
	var o compare.ImportOptions
	return p.command(&cli.Command{
		Name:      "usage",
		Usage:     "the calls that agents really made, from records that you already have",
		ArgsUsage: "[SOURCE…] | replay [SOURCE…] | import [FROM…] | export | forget [SERVER…]",
		Description: `usage shows what was called, how often and by whom; replay judges it by the tools of SOURCEs or saved snapshots, and calls nothing; import reads calls from FROM: a file or folder of transcripts (Claude Code, Codex), of
spans (OTLP JSON) or of JSON lines, or - for standard input; without FROM the transcripts of this user. export writes them for others, and forget
drops them. What is kept of a call stays on this machine and shows no text: see docs/usage-records.md.`,
		Flags: []cli.Flag{
			recordsFlag(&o.Records), sinceFlag(&o.Since),
			&cli.GenericFlag{Name: "map", Usage: "import: `RECORDED=NAME` counts calls of the server RECORDED as those of NAME (repeatable)", Value: list(&o.Map)},
			&cli.BoolFlag{Name: "keep-values", Usage: "import: keep short texts that hold no secret, too", Destination: &o.Keep},
			&cli.GenericFlag{Name: "retention", Usage: "import: drop calls that are older than `DURATION` (default: 90d)", Value: days(&o.Retention)},
		},
		Action: func(c *cli.Context) error {
			o.Scope = p.scope()
			words := c.Args().Slice()
			if len(words) == 0 {
				words = []string{""}
			}
			switch words[0] {
			case "import":
				return p.importUsage(c, o, words[1:])
			case "export":
				data, err := compare.ExportUsage(c.Context, p.Process, o.UsageOptions, p.Output.File)
				if err != nil {
					return err
				}
				return p.Output.Bytes(c.Context, p.Process, data)
			case "forget":
				return p.forgetUsage(c, words[1:])
			}
			show := compare.Usage
			if words = c.Args().Slice(); len(words) > 0 && words[0] == "replay" {
				show, words = compare.ReplayUsage, words[1:]
			}
			from, err := p.sources(words)
			if err != nil {
				return err
			}
			r, err := show(c.Context, p.Process, o.UsageOptions, from)
			return p.emit(c.Context, r, err, report.Options{})
		},
	}, snapshotsFlags(&p.Select), p.surveyFlags())
}

func recordsFlag(records *string) cli.Flag {
	return &cli.StringFlag{Name: "usage", Usage: "the `RECORDS` of calls: local, or a file of mcpctl usage export", Destination: records}
}

func sinceFlag(since *time.Duration) cli.Flag {
	return &cli.GenericFlag{Name: "since", Usage: "count the recorded calls of the last `DURATION` such as 30d (default)", Value: days(since)}
}

func (p program) importUsage(c *cli.Context, o compare.ImportOptions, paths []string) error {
	n, paths, err := compare.ImportUsage(c.Context, p.Process, o, paths)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "%s\n", report.Visible(imported(n, paths)))
	return err
}

func imported(n usage.Count, paths []string) string {
	says := fmt.Sprintf("calls: %d new", n.Calls)
	for _, part := range []struct {
		before string
		n      int
		after  string
	}{
		{", ", n.Again, "counted before"}, {"; files: ", n.Files, "read"}, {"; files with nothing new: ", n.Unchanged, ""},
		{"; calls without an answer yet: ", n.Waiting, ""}, {"; older than calls are kept: ", n.Old, ""}, {"; calls of before under another name: ", n.Renamed, ""},
		{"; damaged lines that were skipped: ", n.Damaged, ""},
	} {
		if part.n > 0 {
			says += strings.TrimRight(fmt.Sprintf("%s%d %s", part.before, part.n, part.after), " ")
		}
	}
	if n.Calls+n.Again+n.Unchanged+n.Waiting+n.Old == 0 {
		says += "; no call of a server was found in " + strings.Join(paths, ", ")
	}
	return says
}

func (p program) forgetUsage(c *cli.Context, servers []string) error {
	n, err := compare.ForgetUsage(c.Context, p.Process, servers)
	switch {
	case err != nil:
		return err
	case len(servers) == 0:
		_, err = io.WriteString(p.Out, "everything that was recorded is forgotten\n")
		return err
	case n == 0:
		return exit.Usagef("no call of %s is recorded: mcpctl usage shows those that are", strings.Join(servers, ", "))
	}
	_, err = fmt.Fprintf(p.Out, "calls forgotten: %d\n", n)
	return err
}
