package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// trialTime bounds the trial of the sandbox.
const trialTime = 10 * time.Second

// Detect is the sandbox of this machine, tried out, and what it lacks here. Where there is none, nothing must be started.
func Detect(ctx context.Context, p host.Process) (b Box, lacks []string, _ error) {
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
	help, _ := exec.CommandContext(ctx, b.Bwrap, "--help").CombinedOutput()
	if b.sized = strings.Contains(string(help), "--size "); !b.sized {
		lacks = append(lacks, "a bound of its folders in memory (bubblewrap is too old)")
	}
	out, err := b.try(ctx)
	if err != nil {
		return b, nil, fmt.Errorf("--sandbox does not work here, so nothing was started: %s %w: user namespaces must be allowed (kernel.unprivileged_userns_clone, AppArmor, container settings)",
			report.Visible(strings.TrimSpace(out)), err)
	}
	shared := Shared(out, os.Readlink)
	for _, name := range shared {
		lacks = append(lacks, "a "+name+" namespace of its own")
	}
	b.processes = true
	if _, err = b.try(ctx); err != nil || slices.Contains(shared, "user") { // then all processes of the user count, wherever they are
		b.processes = false
		lacks = append(lacks, "a bound of the number of processes")
	}
	return b, lacks, nil
}

// try starts something in the sandbox that prints what Shared reads.
func (b Box) try(ctx context.Context) (string, error) {
	filter, err := filterFile()
	if err != nil {
		return "", err
	}
	defer filter[0].Close()
	args := slices.Concat(b.arguments(nil, false), b.bounded(nil), []string{"readlink"})
	for _, name := range optional {
		args = append(args, "/proc/self/ns/"+name)
	}
	cmd := exec.CommandContext(ctx, b.Bwrap, args...)
	cmd.ExtraFiles = filter
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// optional are namespaces that bubblewrap makes where it can, and does without where it cannot.
var optional = []string{"user", "cgroup"}

// Shared are the namespaces that the sandbox has in common with the rest of the system, by what was printed in it. readlink
// reads a link outside of the sandbox, as os.Readlink does.
func Shared(printed string, readlink func(string) (string, error)) []string {
	inside := strings.Fields(printed)
	return slices.DeleteFunc(slices.Clone(optional), func(name string) bool {
		outside, err := readlink("/proc/self/ns/" + name)
		return err == nil && !slices.Contains(inside, outside)
	})
}
