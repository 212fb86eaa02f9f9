// Package compare brings two sides of servers together and judges what changed (Diff). It also judges one
// side by itself, against what files say of the server, too (Check), and saves snapshots or moves them
// forward (Save, Accept).
package compare

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
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

// baseline is the folder of saved snapshots that servers are compared with.
type baseline struct {
	process host.Process
	folder  string
	lock    packages.Lock
}

func openBaseline(ctx context.Context, p host.Process, folder string) baseline {
	lock, err := packages.ReadLock(filepath.Join(folder, packages.LockFile))
	if err != nil {
		p.Note("why a server changed cannot be told: %v", err)
	}
	return baseline{p, folder, lock}
}

// with pairs a surface with the file that the snapshot command wrote for it. A file that cannot be read fails
// its own server alone.
func (b baseline) with(ctx context.Context, s fleet.Surface) Pair {
	file := SavedFile(b.folder, s.Name)
	saved, err := source.ReadFile(ctx, b.process, file)
	old := fleet.Surface{Server: report.Server{Source: file}}
	switch {
	case err == nil:
		old = fleet.FromSaved(saved)
	case errors.Is(err, fs.ErrNotExist):
		old.Source = ""
	default:
		spoil(&old, "comparing", err)
	}
	old.Source = b.process.Rel(old.Source)
	if locked, known := b.lock[s.Name]; known {
		old.Package = &locked
	}
	return Pair{Old: old, New: s, Unsaved: errors.Is(err, fs.ErrNotExist)}
}

// withSaved pairs surfaces with what is saved of them.
func withSaved(ctx context.Context, p host.Process, current []fleet.Surface, folder string) []Pair {
	current = slices.DeleteFunc(slices.Clone(current),
		func(s fleet.Surface) bool { return s.State == report.Disabled })
	pairs, saved := make([]Pair, len(current)), openBaseline(ctx, p, folder)
	_ = fleet.Visit(len(current), func(i int) error {
		pairs[i] = saved.with(ctx, current[i])
		return nil
	})
	return pairs
}

// SavedFile is the file of a server's snapshot in a folder.
func SavedFile(folder, server string) string { return filepath.Join(folder, config.FileName(server)) }

// spoil makes a failure of s from what is wrong with its file: other servers are told of all the same.
func spoil(s *fleet.Surface, stage string, err error) {
	hint := "restore the file from version control, or delete it and run mcpctl snapshot"
	var where *fs.PathError
	_, interrupted := errors.AsType[exit.Interrupted](err)
	switch {
	case exit.HintOf(err) != "":
		hint = exit.HintOf(err)
	case interrupted:
		hint = ""
	case errors.As(err, &where):
		hint = "the snapshots folder must be one that can be read and written: name another with --snapshots"
	}
	s.State, s.Error = report.Failed, &report.Failure{Stage: stage, Message: err.Error(), Hint: hint}
}

// extent tells which sides are all that there is, so that what they do not have is certainly absent.
type extent struct {
	old, now   bool // a folder, or that of a commit
	configured bool // the new side is every configured server, as far as the part of the run goes
	// the run is over a part, in which two servers may be left that have nothing to do with each other
	part bool
}

// extentOf is what the SOURCEs of both sides say of their extent; part tells that the run is divided.
func extentOf(old, now []source.Source, part bool) extent {
	whole := func(side []source.Source) bool { return len(side) == 1 && side[0].Whole() }
	return extent{old: whole(old), now: whole(now), configured: len(now) == 0, part: part && len(now) == 0}
}

// sets tells whether both sides are all that there is.
func (e extent) sets() bool { return e.old && (e.now || e.configured) }

// matchByName pairs targets with what the old side has, by name. One on each side is a pair whatever the
// names are, unless both sides are sets. What only the old side has comes last.
func (e extent) matchByName(ctx context.Context, f *fleet.Fleet, before []fleet.Pending,
	current []fleet.Target) pairing {
	byName, alone := map[string]*fleet.Pending{}, len(before) == 1 && len(current) == 1 &&
		!e.sets() && !e.part
	for i, s := range before {
		byName[s.Name] = &before[i]
	}
	olds := make([]*fleet.Pending, len(current))
	for i, t := range current {
		olds[i] = byName[t.Name()]
		delete(byName, t.Name())
	}
	var left []fleet.Pending // in their old order
	for _, s := range before {
		if byName[s.Name] != nil && !alone {
			left = append(left, s)
		}
	}
	if alone {
		olds[0] = &before[0]
	}
	return pairing{len(current) + len(left), func(visit func(int, Pair) error) error {
		err := f.Visit(ctx, current, func(i int, s *fleet.Surface) error {
			switch {
			case s.State == report.Disabled && !alone:
				return nil
			case olds[i] == nil && e.old && e.now:
				return visit(i, Pair{Old: fleet.Absent(s.Name), New: *s})
			case olds[i] == nil:
				return visit(i, Pair{New: *s, Unsaved: true})
			}
			was, err := olds[i].Read()
			if err != nil {
				return err
			}
			return visit(i, Pair{Old: was, New: *s})
		})
		if err != nil {
			return err
		}
		return fleet.Visit(len(left), func(i int) error {
			was, err := left[i].Read()
			if err != nil {
				return err
			}
			return visit(len(current)+i, Pair{Old: was, New: e.vanished(was.Name)})
		})
	}}
}

// pairing is two sides that are brought together: visit is given each pair with its place in the report,
// several at a time.
type pairing struct {
	n    int
	each func(visit func(i int, p Pair) error) error
}

// there are pairs of which both sides are known.
func there(pairs []Pair, err error) (pairing, error) {
	return pairing{len(pairs), func(visit func(int, Pair) error) error {
		return fleet.Visit(len(pairs), func(i int) error { return visit(i, pairs[i]) })
	}}, err
}

// vanished is the new side of a server that only the old side has. It is absent when that is certain.
func (e extent) vanished(name string) fleet.Surface {
	if e.sets() {
		return fleet.Absent(name)
	}
	return fleet.Surface{Server: report.Server{Name: name, State: report.Failed, Error: &report.Failure{
		Stage: "comparing", Message: "only the old side has this server",
		Hint: "name it on the new side, or leave it out of the old one"}}}
}

// Findings is what changed in one pair; nothing when a side of it is not known, or was not finished. The
// error is that of the context.
func (p Pair) Findings(ctx context.Context, options diff.Options, policy finding.Policy) ([]finding.Finding,
	error) {
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

// versions are those that both sides say they are; nil when a side is not known.
func (p Pair) versions() *[2]string {
	if p.Old.Snapshot == nil || p.New.Snapshot == nil {
		return nil
	}
	if old, now := p.Old.Package, p.New.Package; old != nil && now != nil && old.Name == now.Name &&
		now.Version != "" {
		return &[2]string{old.Version, now.Version}
	}
	version := func(s *snapshot.Snapshot) string { return snapshot.Item{Raw: s.Server}.Text("version") }
	return &[2]string{version(p.Old.Snapshot), version(p.New.Snapshot)}
}

// compared is what a report keeps of a pair that was judged.
type compared struct {
	server   report.Server
	tally    fleet.Tally
	found    []finding.Finding
	versions *[2]string // that both sides say they are; nil when a side is not known
	whole    bool       // everything of both sides was there
	unsaved  bool
}

// within is compare in the time that a server has. What takes longer is a failure of the server.
func (p Pair) within(ctx context.Context, limit time.Duration, options diff.Options,
	policy finding.Policy) *compared {
	compare := p.compare
	c, err := host.Within(ctx, limit, func(ctx context.Context) (*compared,
		error) {
		return compare(ctx, options, policy)
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		undecided(&p.New, "comparing", fleet.TooLong(limit), fleet.TakeLonger)
		return p.judged(nil)
	}
	return c
}

// compare judges the pair, and lets its documents go; the error is that of the context.
func (p Pair) compare(ctx context.Context, options diff.Options, policy finding.Policy) (*compared, error) {
	found, err := p.judge(ctx, options, policy)
	if err != nil {
		return nil, err
	}
	c := p.judged(found)
	c.server.BaseTokens, c.server.Tokens = p.Old.TokenCost(), p.New.TokenCost()
	if p.Old.Snapshot != p.New.Snapshot {
		c.server.Changed = report.SignatureChanges(p.Old.Snapshot, p.New.Snapshot)
	}
	return c, nil
}

// judged is what is known of the pair once it was judged.
func (p Pair) judged(found []finding.Finding) *compared {
	result := p.result()
	result.Cause = p.cause(len(found) > 0)
	return &compared{server: result.Server, tally: fleet.TallyOf(result), found: found,
		versions: p.versions(), whole: p.whole(), unsaved: p.Unsaved}
}

// status is the worst that holds: incomplete answers, then findings, then nothing to compare with.
func status(all fleet.Tally, unsaved, fails bool) int {
	reached := all.Status()
	switch {
	case reached == exit.OK && fails:
		return exit.Findings
	case reached == exit.OK && unsaved:
		return exit.NoBaseline
	}
	return reached
}
