package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
)

// load reads the configuration, and asks a person what has to be known before the servers that targets name can run:
// whether they are trusted, and what they lack.
func (inv *invocation) load(ctx context.Context, targets []target) (*config.Config, error) {
	cfg, err := inv.read(targets)
	if err != nil {
		return cfg, err
	}
	entries, err := inv.meant(cfg, targets)
	if err != nil {
		return cfg, nil // which is told when servers are chosen
	}
	if err := inv.agree(ctx, cfg, entries); err != nil {
		return cfg, err
	}
	asked := inv.questions(cfg, entries)
	if err := inv.answer(ctx, asked); err != nil {
		return cfg, err
	}
	if len(asked) > 0 && inv.answers != nil {
		return inv.read(targets)
	}
	return cfg, nil
}

// read reads the configuration and asks nobody. What is wrong with a whole file stops the run, unless no configured server is asked for
// and the project's own file is whole.
func (inv *invocation) read(targets []target) (*config.Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir()
	cfg, err := config.Load(config.Input{Files: inv.configs.Value(), Dir: dir, Home: home, Lookup: inv.lookupConfig, Rules: ruleIDs(), Discover: inv.discover})
	if inv.snapshots != "" {
		cfg.Project.Snapshots, cfg.Project.Stray = inv.snapshots, ""
	}
	if err != nil && needsConfig(err, targets, cfg.Project.File) {
		return cfg, exit.Misuse(withHint(err))
	}
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			inv.Note("%s", report.Visible(line))
		}
	}
	inv.tellRemarks(cfg)
	return cfg, nil
}

// tellRemarks says which files were left out, and with --verbose which servers. A configuration that is read again is
// remarked on once.
func (inv *invocation) tellRemarks(cfg *config.Config) {
	for _, p := range cfg.Remarks {
		if (p.Server == "" || inv.Verbose) && !slices.Contains(inv.remarked, p.Error()) {
			inv.remarked = append(inv.remarked, p.Error())
			inv.Note("%s: left out: %s", report.Visible(place(p)), report.Visible(p.Message))
		}
	}
}

// place is where a problem is.
func place(p config.Problem) string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if p.Server != "" {
		at += ": server " + strconv.Quote(p.Server)
	}
	return at
}

// needsConfig tells whether a broken configuration matters to a run over targets.
func needsConfig(err error, targets []target, project string) bool {
	if len(targets) == 0 || slices.ContainsFunc(targets, func(t target) bool { return t.kind == byName }) {
		return true
	}
	var problems config.Problems
	return !errors.As(err, &problems) || slices.ContainsFunc(problems, func(p config.Problem) bool {
		return p.File == project
	})
}

// withHint is the problems of the configuration as text, each with what to do next.
func withHint(err error) error {
	var problems config.Problems
	var problem config.Problem
	switch {
	case errors.As(err, &problems):
	case errors.As(err, &problem):
		problems = config.Problems{problem}
	default:
		return err
	}
	var lines []string
	for _, p := range problems {
		line := p.Error()
		if p.Hint != "" {
			line += ": " + p.Hint
		}
		lines = append(lines, line)
	}
	return fmt.Errorf("%s", strings.Join(lines, "\n"))
}
