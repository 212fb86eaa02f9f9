package fleet

import (
	"context"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/sandbox"
)

// Buildable returns an error if no build may run.
func (c Contact) Buildable() error {
	if c.Sandbox {
		return errBuildSandbox
	}
	return nil
}

// confine wraps servers that are started here in a sandbox. What cannot be wrapped fails or is noted;
// without a sandbox nothing is started.
func (c Contact) confine(p host.Process, targets []Target) error {
	if c.InheritEnv {
		return errInheritSandbox
	}
	box, lacks, err := sandbox.Detect(context.Background(), p)
	if err != nil {
		return exit.Misuse(err)
	}
	if len(lacks) > 0 {
		p.Note("--sandbox: this system does not give: %s", strings.Join(lacks, ", "))
	}
	here := files.ProjectRoot(p.Dir)
	for i, t := range targets {
		switch name := report.Visible(t.Name()); {
		case t.server == nil:
		case t.server.Stdio != nil:
			wrapped, note, err := box.Wrap(*t.server.Stdio, append(t.projects, here), t.may)
			if err != nil {
				targets[i] = t.unconfined(err)
				continue
			}
			if t.server.Stdio = &wrapped; note != "" {
				p.Note("%s: --sandbox: %s", name, report.Visible(note))
			}
		case t.server.HTTP != nil && t.server.HTTP.Helper != nil:
			targets[i] = t.unconfined(errHelperSandbox)
		default:
			p.Note("%s: --sandbox was not applied: it is contacted, and nothing is started", name)
		}
	}
	return nil
}

// unconfined returns a target that failed because it cannot run in the sandbox.
func (t Target) unconfined(why error) Target {
	t = t.failed(failedSandbox(why))
	t.known.Misconfigured = true
	return t
}
