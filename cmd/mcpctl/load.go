package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
)

// load reads the configuration. What is wrong with a whole file stops the run, unless no configured server is asked for
// and the project's own file is whole.
func (inv *invocation) load(targets []target) (*config.Config, error) {
	if err := inv.checkOutput(); err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir()
	cfg, err := config.Load(config.Input{Files: inv.configs.Value(), Dir: dir, Home: home, Lookup: inv.lookup})
	if inv.snapshots != "" {
		cfg.Project.Snapshots = inv.snapshots
	}
	if err != nil && needsConfig(err, targets) {
		return cfg, usageError{withHint(err)}
	}
	if err != nil {
		inv.remark("%v", err)
	}
	return cfg, nil
}

// needsConfig tells whether a broken configuration matters to a run over targets.
func needsConfig(err error, targets []target) bool {
	if len(targets) == 0 || slices.ContainsFunc(targets, func(t target) bool { return t.kind == byName }) {
		return true
	}
	var problems config.Problems
	return !errors.As(err, &problems) || slices.ContainsFunc(problems, func(p config.Problem) bool {
		return strings.HasPrefix(filepath.Base(p.File), "mcpctl.y")
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
