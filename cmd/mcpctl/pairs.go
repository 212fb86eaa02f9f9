package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/pkg/report"
)

// pair is one server on both sides of a diff.
type pair struct {
	old, now surface
	missing  bool // there is no old side
}

// pairs brings the two sides together: by the server's name, or one with one.
func (inv *invocation) pairs(ctx context.Context, cfg *config.Config, old, now []target) ([]pair, error) {
	if old == nil {
		current, err := inv.gather(ctx, cfg, now)
		return withSaved(current, cfg.Project.Snapshots), err
	}
	before, err := inv.gather(ctx, cfg, old) // first, so that a wrong --base is found before a server is contacted
	if err != nil {
		return nil, err
	}
	current, err := inv.gather(ctx, cfg, now)
	if err != nil {
		return nil, err
	}
	return matched(before, current), nil
}

// withSaved pairs each surface with the file that the snapshot command wrote for it.
// A file that cannot be read fails its own server alone.
func withSaved(current []surface, folder string) []pair {
	var pairs []pair
	for _, s := range current {
		if s.State == report.Disabled {
			continue
		}
		file := filepath.Join(folder, config.FileName(s.Name))
		old, err := readFile(file)
		missing := errors.Is(err, fs.ErrNotExist)
		if err != nil && !missing {
			old.Source = file
			old.spoil("comparing", err)
		}
		old.Source = shown(old.Source)
		pairs = append(pairs, pair{old: old, now: s, missing: missing})
	}
	return pairs
}

// matched pairs surfaces by name. One surface on each side is a pair whatever the names are.
func matched(before, current []surface) []pair {
	if len(before) == 1 && len(current) == 1 {
		return []pair{{old: before[0], now: current[0]}}
	}
	byName := map[string]surface{}
	for _, s := range before {
		byName[s.Name] = s
	}
	var pairs []pair
	for _, s := range current {
		if s.State == report.Disabled {
			continue
		}
		old, ok := byName[s.Name]
		delete(byName, s.Name)
		pairs = append(pairs, pair{old: old, now: s, missing: !ok})
	}
	return append(pairs, vanished(before, byName)...)
}

// vanished are the servers of the old side that the new side does not have, in their old order.
func vanished(before []surface, left map[string]surface) []pair {
	var pairs []pair
	for _, s := range before {
		if _, ok := left[s.Name]; ok {
			gone := surface{Server: report.Server{Name: s.Name, State: report.Failed, Error: &report.Failure{
				Stage: "comparing", Message: "only the old side has this server", Hint: "name it on the new side, or leave it out of the old one"}}}
			pairs = append(pairs, pair{old: s, now: gone})
		}
	}
	return pairs
}
