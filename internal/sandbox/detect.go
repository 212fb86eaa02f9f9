package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// trialTime bounds the trial of the sandbox.
const trialTime = 10 * time.Second

// Detect is the sandbox of this machine, tried out, and the namespaces that it has in common with the rest of the system.
// Where there is none, nothing must be started.
func Detect(ctx context.Context, p host.Process) (b Box, shared []string, _ error) {
	if p.GOOS != "linux" {
		return b, nil, errors.New("--sandbox exists on Linux alone, where bubblewrap is: leave it out, or use a container")
	}
	var err error
	if b.Bwrap, err = exec.LookPath("bwrap"); err != nil {
		return b, nil, errors.New("--sandbox needs bubblewrap, and there is no bwrap in PATH: install it (apt install bubblewrap, dnf install bubblewrap), or leave --sandbox out; nothing was started")
	}
	b.Dir = p.Dir
	b.Path, _ = p.Lookup("PATH")
	if p.Home != "" {
		b.Home = files.RealPath(p.Home)
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.Bwrap, b.Trial()...).CombinedOutput()
	if err != nil {
		return b, nil, fmt.Errorf("--sandbox does not work here, so nothing was started: %s %w: user namespaces must be allowed (kernel.unprivileged_userns_clone, AppArmor, container settings)",
			report.Visible(strings.TrimSpace(string(out))), err)
	}
	return b, Shared(string(out), os.Readlink), nil
}
