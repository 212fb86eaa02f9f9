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
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// SaveOptions say what is saved, and where.
type SaveOptions struct {
	Scope
	// of the snapshot of the one server, "-" = standard output; empty = a file for each in the snapshots
	// folder
	File string
}

// Save saves what servers offer.
func Save(ctx context.Context, p host.Process, o SaveOptions, from []source.Source) (*report.Report, error) {
	f, err := o.load(ctx, p, from)
	switch {
	case err != nil:
		return nil, err
	case o.File == "-":
	case o.File != "":
		err = files.CheckOutput(p.Dir, o.File)
	default:
		err = checkFolder(p, f.Config.Project)
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	if o.File != "" && len(targets) != 1 {
		return nil, exit.Usagef("--output takes the snapshot of one server, and %d are named: leave it out "+
			"to save a file for each", len(targets))
	}
	files.SweepSnapshots(f.Config.Project.Snapshots)
	write := replace
	if o.File != "" {
		write = writeOutput
	}
	surfaces, err := f.Each(ctx, targets, func(_ int, s *fleet.Surface) error {
		defer s.LetGo()
		if o.File == "-" {
			return printSnapshot(p, s)
		}
		file := cmp.Or(o.File, SavedFile(f.Config.Project.Snapshots, s.Name))
		if err := save(ctx, p, s, file, f.Limit(), write); err != nil {
			spoil(s, "saving", err)
			s.Saved = &report.Saved{Action: report.Skipped, Reason: "the file could not be replaced",
				File: p.Rel(file)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := fleet.Report("snapshot", surfaces)
	saved := slices.DeleteFunc(slices.Clone(surfaces),
		func(s fleet.Surface) bool { return !s.Whole() || s.Error != nil })
	if o.File == "" && len(saved) > 0 {
		err = relock(ctx, p, f, saved)
	}
	if err != nil { // which touches no snapshot
		r.Problems = append(r.Problems, fmt.Sprintf("what the servers start from was not locked: %v", err))
		r.Status = max(r.Status, exit.Incomplete)
	}
	r.SetShard(f.ShardReport(), nil)
	return r, nil
}

// printSnapshot writes the snapshot of s to standard output, unless it is not whole.
func printSnapshot(p host.Process, s *fleet.Surface) error {
	if !s.Whole() {
		return nil
	}
	data, err := s.Snapshot.Encode()
	if err == nil {
		s.Saved = &report.Saved{Action: report.Created, File: "-"}
		_, err = p.Out.Write(data)
	}
	return err
}

// checkFolder is the error for a folder of snapshots that leads out of the project though nobody named it.
func checkFolder(p host.Process, project config.Project) error {
	if project.Stray == "" {
		return nil
	}
	return exit.Usagef("%s leads out of the project, to %s: name the folder with --snapshots if you mean it",
		p.Rel(project.Snapshots), project.Stray)
}

// save writes the snapshot of s, unless it is not whole: a good file is never replaced by a part.
func save(ctx context.Context, p host.Process, s *fleet.Surface, file string, limit time.Duration,
	write writeFile) error {
	if s.State == report.Disabled {
		return nil
	}
	if !s.Whole() {
		s.Saved = &report.Saved{Action: report.Skipped, File: p.Rel(file), Reason: "not everything arrived"}
		return nil
	}
	next, err := changeOf(ctx, p, *s, file, limit)
	if err != nil {
		return err
	}
	if s.Saved = next.saved; s.Saved.Action == report.Unchanged {
		return nil
	}
	return write(ctx, p, file, next.data)
}

// change is a file as it is to be, and what that does to the one that there is.
type change struct {
	data  []byte
	saved *report.Saved
}

func changeOf(ctx context.Context, p host.Process, s fleet.Surface, file string, limit time.Duration) (change,
	error) {
	data, err := s.Snapshot.Encode()
	if err != nil {
		return change{}, err
	}
	saved, err := compareSaved(ctx, p, s, data, file, limit)
	if err != nil {
		return change{}, err
	}
	saved.File = p.Rel(file)
	return change{data, saved}, nil
}

type writeFile = func(ctx context.Context, p host.Process, file string, data []byte) error

func writeOutput(ctx context.Context, p host.Process, file string, data []byte) error {
	return files.WriteOutput(ctx, p.Dir, file, files.Bytes(data))
}

// replace writes a file that is whole at any time, and its folder. A link is followed inside the project, and
// stays.
func replace(ctx context.Context, p host.Process, file string, data []byte) error {
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
		return exit.Advise("save the snapshot with --output FILE, naming the file that is meant, or all of "+
			"them with --snapshots FOLDER; the link is kept",
			"%s is a symbolic link: %v", p.Rel(file), err)
	}
	return files.Replace(real, data)
}

// compareSaved tells what saving data to file does. A file that cannot be read as a snapshot is not
// overwritten, and neither is that of another server by one that only the command line names.
func compareSaved(ctx context.Context, p host.Process, now fleet.Surface, data []byte, file string,
	limit time.Duration) (*report.Saved, error) {
	before, err := files.ReadRegular(file, source.MaxSize)
	switch {
	// a pipe or a device
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, files.ErrNotRegular) && !files.IsDir(file):
		return &report.Saved{Action: report.Created}, nil
	case err != nil:
		return nil, err
	case bytes.Equal(before, data):
		return &report.Saved{Action: report.Unchanged}, nil
	}
	old, err := snapshot.Parse(before)
	switch {
	case errors.Is(err, snapshot.ErrConflict) && now.Source != config.CommandLine: // git has both sides of it
		return &report.Saved{Action: report.Updated, Reason: "it held the marks of a merge"}, nil
	case errors.Is(err, snapshot.ErrConflict):
		return nil, exit.Advise("if it is of this one, take one side with git checkout --ours or --theirs, "+
			"or delete the file, and run mcpctl snapshot again",
			"%s has conflict markers and may be the file of another server", file)
	case err != nil:
		return nil, fmt.Errorf("%s holds no snapshot, so it is left alone: %w", file,
			&source.ParseError{Origin: file, Err: err})
	}
	if was, is := selfName(old), selfName(now.Snapshot); now.Source == config.CommandLine && was != is {
		return nil, exit.Advise("if it is another server, give it a name of its own in .mcp.json, or save "+
			"it with --output FILE; if it was renamed, delete the file first",
			"%s holds the snapshot of %q, and this server calls itself %q", file, was, is)
	}
	saved := &report.Saved{Action: report.Updated}
	found, err := host.Within(ctx, limit, func(ctx context.Context) ([]finding.Finding, error) {
		return diff.Compare(ctx, old, now.Snapshot, diff.Options{Every: true})
	})
	switch summarize(saved, found); { // what arrived is saved, counted or not
	case errors.Is(err, context.DeadlineExceeded):
		saved.Reason = "what changed was not counted: " + fleet.TooLong(limit)
	case err != nil:
		saved.Reason = "what changed was not counted: " + err.Error()
	}
	return saved, nil
}

func selfName(s *snapshot.Snapshot) string { return snapshot.Item{Raw: s.Server}.Text("name") }

// summarize counts the items that findings speak of.
func summarize(saved *report.Saved, findings []finding.Finding) {
	changed := map[string]bool{}
	for _, f := range findings {
		switch {
		case f.Item == "":
			saved.Reason = "the server's own description changed"
		case strings.HasSuffix(f.Rule, "-added") && f.Path == "":
			saved.Added++
		case strings.HasSuffix(f.Rule, "-removed") && f.Path == "":
			saved.Removed++
		case !changed[f.Item]:
			changed[f.Item] = true
			saved.Changed++
		}
	}
}
