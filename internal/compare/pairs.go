// Package compare brings two sides of servers together and judges what changed; it also judges one side by itself, and moves
// what is saved forward.
package compare

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Pair is one server on both sides.
type Pair struct {
	Old, New fleet.Surface
	Unsaved  bool   // there is no old side, which may be for want of a snapshot
	Absence  string // why a side is absent, as a sentence; empty = nobody knows more than that
}

// withSaved pairs each surface with the file that the snapshot command wrote for it. A file that cannot be read fails its own
// server alone.
func withSaved(p host.Process, current []fleet.Surface, folder string) []Pair {
	var pairs []Pair
	lock, err := packages.ReadLock(filepath.Join(folder, packages.LockFile))
	if err != nil {
		p.Note("why a server changed cannot be told: %v", err)
	}
	for _, s := range current {
		if s.State == report.Disabled {
			continue
		}
		file := SavedFile(folder, s.Name)
		saved, err := source.ReadFile(file)
		old := fleet.Surface{Server: report.Server{Source: file}}
		switch {
		case err == nil:
			old = fleet.FromSaved(saved)
		case errors.Is(err, fs.ErrNotExist):
			old.Source = ""
		default:
			spoil(&old, "comparing", err)
		}
		old.Source = p.Rel(old.Source)
		if locked, known := lock[s.Name]; known {
			old.Package = &locked
		}
		pairs = append(pairs, Pair{Old: old, New: s, Unsaved: errors.Is(err, fs.ErrNotExist)})
	}
	return pairs
}

// SavedFile is the file of a server's snapshot in a folder.
func SavedFile(folder, server string) string { return filepath.Join(folder, config.FileName(server)) }

// spoil makes a failure of s from what is wrong with its file: other servers are told of all the same.
func spoil(s *fleet.Surface, stage string, err error) {
	hint := "restore the file from version control, or delete it and run mcpctl snapshot"
	var where *fs.PathError
	var advised interface{ Hint() string }
	switch {
	case errors.As(err, &advised) && advised.Hint() != "":
		hint = advised.Hint()
	case errors.As(err, &where):
		hint = "the snapshots folder must be one that can be read and written: name another with --snapshots"
	}
	s.State, s.Error = report.Failed, &report.Failure{Stage: stage, Message: err.Error(), Hint: hint}
}

// extent tells which sides are all that there is, so that what they do not have is certainly absent.
type extent struct {
	old, now   bool // a folder, or that of a commit
	configured bool // the new side is every configured server, as far as the part of the run goes
	part       bool // the run is over a part, in which two servers may be left that have nothing to do with each other
}

// extentOf is what the SOURCEs of both sides say of their extent; part tells that the run is divided.
func extentOf(old, now []source.Source, part bool) extent {
	whole := func(side []source.Source) bool { return len(side) == 1 && side[0].Whole() }
	return extent{old: whole(old), now: whole(now), configured: len(now) == 0, part: part && len(now) == 0}
}

// sets tells whether both sides are all that there is.
func (e extent) sets() bool { return e.old && (e.now || e.configured) }

// matchByName pairs surfaces by name. One surface on each side is a pair whatever the names are, unless both sides are sets.
func (e extent) matchByName(before, current []fleet.Surface) []Pair {
	if len(before) == 1 && len(current) == 1 && !e.sets() && !e.part {
		return []Pair{{Old: before[0], New: current[0]}}
	}
	byName := map[string]fleet.Surface{}
	for _, s := range before {
		byName[s.Name] = s
	}
	var pairs []Pair
	for _, s := range current {
		old, ok := byName[s.Name]
		delete(byName, s.Name)
		switch {
		case s.State == report.Disabled:
		case !ok && e.old && e.now:
			pairs = append(pairs, Pair{Old: fleet.Absent(s.Name), New: s})
		default:
			pairs = append(pairs, Pair{Old: old, New: s, Unsaved: !ok})
		}
	}
	for _, s := range before { // in their old order
		if _, left := byName[s.Name]; left {
			pairs = append(pairs, Pair{Old: s, New: e.vanished(s.Name)})
		}
	}
	return pairs
}

// vanished is the new side of a server that only the old side has. It is absent when that is certain.
func (e extent) vanished(name string) fleet.Surface {
	if e.sets() {
		return fleet.Absent(name)
	}
	return fleet.Surface{Server: report.Server{Name: name, State: report.Failed, Error: &report.Failure{
		Stage: "comparing", Message: "only the old side has this server", Hint: "name it on the new side, or leave it out of the old one"}}}
}

// Findings is what changed in one pair; nothing when a side of it is not known, or was not finished. The error is that of the
// context.
func (p Pair) Findings(ctx context.Context, options diff.Options, policy finding.Policy) ([]finding.Finding, error) {
	if !p.Old.Known() || !p.New.Known() || p.Old.Interrupted || p.New.Interrupted {
		return nil, nil
	}
	options.Absence = p.Absence
	options.Server, options.Enable = p.New.Name, policy.Enabled(p.New.Name)
	return diff.Compare(ctx, p.Old.Snapshot, p.New.Snapshot, options)
}

// whole tells whether everything of both sides is there to be compared.
func (p Pair) whole() bool {
	settled := func(s fleet.Surface) bool { return s.Whole() || s.State == report.Absent }
	return !p.Unsaved && settled(p.Old) && settled(p.New)
}

// result is the new side, or the failure of the old one.
func (p Pair) result() fleet.Surface {
	s := p.New
	s.Base, s.BaseFile, s.Unsaved = p.Old.Source, p.Old.File, p.Unsaved
	if p.Old.Error != nil && s.Error == nil {
		s.State, s.Error, s.Tolerated = report.Failed, p.Old.Error, p.Old.Tolerated
	}
	return s
}

// tokens are what the two sides cost in a prompt; nil where that is not known.
func (p Pair) tokens() (old, now *int) {
	if !p.Old.Priced() || !p.New.Priced() {
		return p.Old.TokenCost(), p.New.TokenCost()
	}
	both := check.TokensOf(p.Old.Snapshot, p.New.Snapshot)
	return &both[0], &both[1]
}

// advice is the version that findings about the server ask for; nil when a side is not known.
func (p Pair) advice(found []finding.Finding) *finding.Advice {
	if p.Old.Snapshot == nil || p.New.Snapshot == nil {
		return nil
	}
	var own []finding.Finding
	for _, f := range found {
		if f.Server == p.New.Name {
			own = append(own, f)
		}
	}
	if old, now := p.Old.Package, p.New.Package; old != nil && now != nil && old.Name == now.Name {
		return finding.Advise(old.Version, now.Version, own)
	}
	version := func(s *snapshot.Snapshot) string { return snapshot.Item{Raw: s.Server}.Text("version") }
	return finding.Advise(version(p.Old.Snapshot), version(p.New.Snapshot), own)
}

// status is the worst that holds: incomplete answers, then findings, then nothing to compare with.
func status(pairs []Pair, fails bool) int {
	var surfaces []fleet.Surface
	unsaved := false
	for _, p := range pairs {
		surfaces, unsaved = append(surfaces, p.result()), unsaved || p.Unsaved
	}
	reached := fleet.Status(surfaces)
	switch {
	case reached == exit.OK && fails:
		return exit.Findings
	case reached == exit.OK && unsaved:
		return exit.NoBaseline
	}
	return reached
}
