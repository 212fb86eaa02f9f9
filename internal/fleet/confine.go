package fleet

import (
	"context"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/sandbox"
)

// confine shuts the servers that are started here in. What it cannot be applied to is told; where there is no sandbox,
// nothing is started.
func (f *Fleet) confine(targets []Target) error {
	if f.contact.InheritEnv {
		return exit.Usagef("--inherit-env hands the secrets of the environment into the sandbox: leave one of the two out, or name what is needed with --env")
	}
	box, shared, err := sandbox.Detect(context.Background(), f.process)
	if err != nil {
		return exit.Misuse(err)
	}
	if len(shared) > 0 {
		f.process.Note("--sandbox: this system makes no namespace of its own for: %s", strings.Join(shared, ", "))
	}
	for _, t := range targets {
		switch name := report.Visible(t.Name()); {
		case t.server == nil:
		case t.server.Stdio != nil:
			wrapped, note := box.Wrap(*t.server.Stdio)
			if t.server.Stdio = &wrapped; note != "" {
				f.process.Note("%s: --sandbox: %s", name, note)
			}
		case t.server.HTTP != nil && t.server.HTTP.Helper != nil:
			f.process.Note("%s: --sandbox was not applied: it is contacted, and the command that gives its headers is not shut in", name)
		default:
			f.process.Note("%s: --sandbox was not applied: it is contacted, and nothing is started", name)
		}
	}
	return nil
}
