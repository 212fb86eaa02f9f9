package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/report"
)

// replayCommand makes replay, which calls tools and therefore asks first about those that may change
// something.
func replayCommand(p program) *cli.Command {
	var o calls.ReplayOptions
	var view report.Options
	return p.command(&cli.Command{
		Name:      "replay",
		Category:  "Guard",
		Usage:     "Send recorded calls again and compare their results",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Without --calls, sends the calls under calls.expect in mcpctl.yaml. Tools without
readOnlyHint are called after a confirmation, or if --tool names them.`,
		Flags: []cli.Flag{
			option("calls", "Send the recorded calls in `FILE`", text(&o.Calls)),
			option("tool", "Call the tool `NAME` without asking (repeatable)", list(&o.Tools)),
			toggle("structure", "Compare types and keys only", &o.Structure),
		},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err != nil {
				return err
			}
			o.Select, o.Contact = p.Select, p.Contact
			r, err := calls.Replay(c.Context, p.Process, o, from)
			return p.emit(c.Context, r, err, view)
		},
	}, judgeFlags(&o.FailOn, &view.Waived, "breaking"), p.surveyFlags())
}
