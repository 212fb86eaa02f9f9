package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/report"
)

// pair is one server on both sides of a diff.
type pair struct {
	old, now surface
	missing  bool   // there is no old side, which may be for want of a snapshot
	why      string // a side is absent, as a sentence
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
	return inv.extentOf(old, now).matched(before, current), nil
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

// matched pairs surfaces by name. One surface on each side is a pair whatever the names are, unless both sides are sets.
func (e extent) matched(before, current []surface) []pair {
	if len(before) == 1 && len(current) == 1 && !(e.old && e.now) {
		return []pair{{old: before[0], now: current[0]}}
	}
	byName := map[string]surface{}
	for _, s := range before {
		byName[s.Name] = s
	}
	var pairs []pair
	for _, s := range current {
		old, ok := byName[s.Name]
		delete(byName, s.Name)
		switch {
		case s.State == report.Disabled:
		case !ok && e.old && e.now:
			pairs = append(pairs, pair{old: absent(s.Name), now: s})
		default:
			pairs = append(pairs, pair{old: old, now: s, missing: !ok})
		}
	}
	for _, s := range before { // in their old order
		if _, left := byName[s.Name]; left {
			pairs = append(pairs, pair{old: s, now: e.vanished(s.Name)})
		}
	}
	return pairs
}

// extent tells which sides of a diff are all that there is, so that what they do not have is certainly absent.
type extent struct {
	old, now   bool // a folder, or that of a commit
	configured bool // the new side is every configured server
}

// extentOf is what targets on both sides say of their extent.
func (inv *invocation) extentOf(old, now []target) extent {
	set := func(targets []target) bool { return len(targets) == 1 && targets[0].isSet() }
	return extent{old: set(old), now: set(now), configured: len(now) == 0 && inv.shard.count == 0}
}

// isSet tells whether a target is a whole folder of snapshots.
func (t target) isSet() bool {
	return t.kind == byPath && files.IsDir(t.word) || t.kind == byGit && !strings.HasSuffix(t.word, ".json")
}

// vanished is the new side of a server that only the old side has. It is absent when that is certain.
func (e extent) vanished(name string) surface {
	if e.old && (e.now || e.configured) {
		return absent(name)
	}
	return surface{Server: report.Server{Name: name, State: report.Failed, Error: &report.Failure{
		Stage: "comparing", Message: "only the old side has this server", Hint: "name it on the new side, or leave it out of the old one"}}}
}

// absent is a server that one side is known not to have.
func absent(name string) surface {
	return surface{Server: report.Server{Name: name, State: report.Absent}}
}
