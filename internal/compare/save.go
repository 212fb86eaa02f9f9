package compare

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// SaveOptions say what is saved, and where.
type SaveOptions struct {
	Reach
	// for the snapshot of the one server, "-" = standard output; empty = a file for each server in the
	// snapshots directory
	File string
}

// Save saves the snapshots of servers.
func Save(ctx context.Context, p host.Process, o SaveOptions, from []source.Source) (*SaveResult, error) {
	f, err := fleet.LoadAsking(ctx, p, o.Select, o.Contact, from)
	switch {
	case err != nil:
		return nil, err
	case o.File == "-":
	case o.File != "":
		err = files.CheckOutput(p.Dir, o.File)
	default:
		err = checkDir(p, f.Config.Project)
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	if o.File != "" && len(targets) != 1 {
		return nil, errOutput(len(targets))
	}

	dir := f.Config.Project.Snapshots
	files.Sweep(dir)
	done := make([]*seen.Saved, len(targets))
	surfaces, err := f.Each(ctx, targets, func(i int, s *fleet.Surface) (err error) {
		defer s.LetGo()
		if o.File == "-" {
			done[i], err = printSnapshot(ctx, p, s, f.Limit())
			return err
		}
		file := cmp.Or(o.File, SavedFile(dir, s.Name))
		if done[i], err = o.save(ctx, p, s, file, f.Limit()); err != nil {
			failSaved(s, "saving", err, o.File != "")
			done[i] = &seen.Saved{Action: seen.Skipped, Reason: "the file could not be replaced",
				File: p.Rel(file)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	r := &SaveResult{Status: fleet.Status(surfaces)}
	for i, s := range surfaces {
		r.Servers = append(r.Servers, SavedServer{s, done[i]})
	}
	saved := kit.Filter(surfaces, func(s fleet.Surface) bool { return s.Whole() && s.Error == nil })
	if o.File == "" && len(saved) > 0 {
		err = relock(ctx, p, f, saved)
	}
	if err != nil {
		r.Problems = append(r.Problems, fmt.Sprintf("the packages of the servers were not locked: %v", err))
		r.Status = max(r.Status, exit.Incomplete)
	}
	r.Shard = ShardOfRun(p, f, r.Status, nil)
	return r, nil
}

// printSnapshot writes the snapshot of s to standard output, unless it is incomplete.
func printSnapshot(
	ctx context.Context, p host.Process, s *fleet.Surface, limit time.Duration,
) (*seen.Saved, error) {
	if !s.Whole() {
		return nil, nil
	}
	data, err := s.Snapshot.Encode()
	if err != nil {
		return nil, err
	}
	_, err = p.Out.Write(data)
	return &seen.Saved{Action: seen.Created, File: "-",
		Reason: alarmsIn(ctx, s.Name, nil, s.Snapshot, limit, "")}, err
}

// checkDir returns an error if the snapshots directory is outside of the project though no flag names it.
func checkDir(p host.Process, project config.Project) error {
	if project.SnapshotsOutside == "" {
		return nil
	}
	return errOutside(p.Rel(project.Snapshots), project.SnapshotsOutside)
}

// save writes the snapshot of s to a file, unless it is incomplete: a good file is never replaced by less. It
// says what check warns of in what is new.
func (o SaveOptions) save(
	ctx context.Context, p host.Process, s *fleet.Surface, file string, limit time.Duration,
) (*seen.Saved, error) {
	skipped := func(why string) *seen.Saved {
		return &seen.Saved{Action: seen.Skipped, File: p.Rel(file), Reason: why}
	}
	switch {
	case s.State == seen.Disabled:
		return nil, nil
	case s.NotTried():
		return skipped("the server was not tried to the end"), nil
	case s.State == seen.Failed && s.Error != nil &&
		(s.Error.Stage == seen.Configuration || s.Error.Stage == seen.LookingUp):
		return skipped("the server was not contacted"), nil
	case s.State == seen.Failed:
		return skipped("the server failed"), nil
	case !s.Whole():
		return skipped("not everything arrived"), nil
	}
	data, err := s.Snapshot.Encode()
	if err != nil {
		return nil, err
	}
	saved, old, err := update(*s, data, file)
	if err != nil {
		return nil, err
	}
	saved.File = p.Rel(file)
	if saved.Action == seen.Unchanged {
		return saved, nil
	}
	alarms := alarmsIn(ctx, s.Name, old, s.Snapshot, limit, saved.File)
	saved.Reason = kit.Join("; ", saved.Reason, alarms)
	switch {
	case o.File != "":
		return saved, files.WriteOutput(ctx, p.Dir, file, files.Bytes(data))
	}
	return saved, replaceFile(p, file, data)
}

// replaceFile replaces a file atomically, and creates its directory. A symbolic link inside of the project is
// followed, and stays.
func replaceFile(p host.Process, file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	if info, err := os.Lstat(file); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return files.Replace(file, data)
	}
	real, err := filepath.EvalSymlinks(file)
	if err == nil {
		err = files.CheckInside(p.Dir, file)
	}
	if err != nil {
		return errLink(p.Rel(file), err)
	}
	return files.Replace(real, data)
}

// update returns what saving data to a file changes, and the snapshot that the file has now, if any. A file
// without a snapshot is not overwritten, and the snapshot of another server only by a configured one.
func update(
	now fleet.Surface, data []byte, file string,
) (saved *seen.Saved, old *snapshot.Snapshot, err error) {
	before, err := files.ReadRegular(file, source.MaxSize)
	switch {
	// a pipe or a device
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, files.ErrNotRegular) && !files.IsDir(file):
		return &seen.Saved{Action: seen.Created}, nil, nil
	case err != nil:
		return nil, nil, err
	case bytes.Equal(before, data):
		return &seen.Saved{Action: seen.Unchanged}, nil, nil
	}
	old, err = snapshot.Parse(before)
	switch {
	case errors.Is(err, snapshot.ErrConflict) && now.Source != config.CommandLine: // git has both sides
		return &seen.Saved{Action: seen.Updated, Reason: "it had conflict markers"}, nil, nil
	case errors.Is(err, snapshot.ErrConflict):
		return nil, nil, errConflict(file)
	case err != nil:
		return nil, nil, fmt.Errorf("%s is not a snapshot and stays as it is: %w", file,
			&source.ParseError{Origin: file, Err: err})
	}
	if was, is := selfName(old), selfName(now.Snapshot); now.Source == config.CommandLine && was != is {
		return nil, nil, errOtherServer(file, was, is)
	}
	return countChanges(old, now.Snapshot), old, nil
}

func selfName(s *snapshot.Snapshot) string { return snapshot.Item{Raw: s.Server}.Text("name") }

// countChanges counts the items in which two snapshots differ. Items of one name count as one.
func countChanges(old, new *snapshot.Snapshot) *seen.Saved {
	saved := &seen.Saved{Action: seen.Updated}
	for _, kind := range snapshot.Kinds() {
		before, after := old.List(kind).ByKey(), new.List(kind).ByKey()
		for key, items := range after {
			switch {
			case before[key] == nil:
				saved.Added++
			case !slices.EqualFunc(before[key], items, rawjson.Equal):
				saved.Changed++
			}
		}
		for key := range before {
			if after[key] == nil {
				saved.Removed++
			}
		}
	}
	if old.Protocol != new.Protocol || old.Instructions != new.Instructions ||
		!rawjson.Equal(old.Server, new.Server) || !rawjson.Equal(old.Capabilities, new.Capabilities) {
		saved.Reason = "the server's own description changed"
	}
	return saved
}
