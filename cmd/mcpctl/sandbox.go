package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/sandbox"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// shutIn is servers, those that are started here inside of a sandbox. What it cannot be applied to is told; where it cannot
// be made at all, nothing is started.
func (inv *invocation) shutIn(servers []probe.Server) ([]probe.Server, error) {
	box, err := inv.box()
	if err != nil {
		return nil, exit.Misuse(err)
	}
	for i, s := range servers {
		name := report.Visible(s.Name)
		if s.Stdio == nil {
			inv.Note("%s: --sandbox was not applied: it is contacted, and %s", name, besides(s))
			continue
		}
		wrapped, note := box.Wrap(*s.Stdio)
		if servers[i].Stdio = &wrapped; note != "" {
			inv.Note("%s: --sandbox: %s", name, note)
		}
	}
	return servers, nil
}

// besides is what is started for a server that is not.
func besides(s probe.Server) string {
	if s.HTTP != nil && s.HTTP.Helper != nil {
		return "the command that gives its headers is not shut in"
	}
	return "nothing is started"
}

// trialTime bounds the trial of the sandbox.
const trialTime = 10 * time.Second

// box is the sandbox of this machine, tried out.
func (inv *invocation) box() (sandbox.Box, error) {
	var b sandbox.Box
	if runtime.GOOS != "linux" {
		return b, errors.New("--sandbox exists on Linux alone, where bubblewrap is: leave it out, or use a container")
	}
	if inv.inheritEnv {
		return b, errors.New("--inherit-env hands the secrets of the environment into the sandbox: leave one of the two out, or name what is needed with --env")
	}
	var err error
	if b.Bwrap, err = exec.LookPath("bwrap"); err != nil {
		return b, errors.New("--sandbox needs bubblewrap, and there is no bwrap in PATH: install it (apt install bubblewrap, dnf install bubblewrap), or leave --sandbox out; nothing was started")
	}
	if b.Dir, err = os.Getwd(); err != nil {
		return b, err
	}
	if home, err := os.UserHomeDir(); err == nil {
		b.Home = files.RealPath(home)
	}
	b.Path, _ = inv.Lookup("PATH")
	ctx, cancel := context.WithTimeout(context.Background(), trialTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.Bwrap, b.Trial()...).CombinedOutput()
	if shared := sandbox.Shared(string(out), os.Readlink); err == nil && len(shared) > 0 {
		inv.Note("--sandbox: this system makes no namespace of its own for: %s", strings.Join(shared, ", "))
	}
	if err != nil {
		return b, exit.Usagef("--sandbox does not work here, so nothing was started: %s%s: user namespaces must be allowed (kernel.unprivileged_userns_clone, AppArmor, container settings)",
			report.Visible(strings.TrimSpace(string(out))), after(" ", err.Error()))
	}
	return b, nil
}
