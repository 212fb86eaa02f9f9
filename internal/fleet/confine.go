package fleet

import (
	"context"
	"errors"
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
		return exit.UsageHint("build first and leave --build out, or leave --sandbox out",
			"a build runs outside of the sandbox")
	}
	return nil
}

// confine wraps servers that are started here in a sandbox. What cannot be wrapped fails or is noted;
// without a sandbox nothing is started.
func (c Contact) confine(p host.Process, targets []Target) error {
	if c.InheritEnv {
		return exit.UsageHint("leave one of the two out, or name what is needed with --env",
			"--inherit-env hands the secrets of the environment into the sandbox")
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
			targets[i] = t.unconfined(errors.New("a command gives its headers, and runs outside of the " +
				"sandbox: give them with --header or --bearer, or leave --sandbox out"))
		default:
			p.Note("%s: --sandbox was not applied: it is contacted, and nothing is started", name)
		}
	}
	return nil
}

// unconfined returns a target that failed because it cannot run in the sandbox.
func (t Target) unconfined(why error) Target {
	failure := &report.Failure{Stage: "configuration", Message: "--sandbox: " + report.Visible(why.Error()),
		Hint: "what can be granted to a server stands in docs/security.md; or run it without --sandbox"}
	t = t.failed(failure)
	t.known.Misconfigured = true
	return t
}
