package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// replayCommand makes replay, which calls tools and therefore asks first about those that may change
// something.
func replayCommand(p program) *cli.Command {
	var o call.ReplayOptions
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
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			o.Select, o.Contact = p.Select, p.Contact
			return ofReplay(call.Replay(ctx, p.Process, o, from))
		}),
	}, judgeFlags(&o.FailOn, &view.Waived, "breaking"), p.surveyFlags())
}
