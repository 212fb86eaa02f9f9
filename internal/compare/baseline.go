package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

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

// Save saves what servers offer, a file for each in the snapshots folder.
func Save(ctx context.Context, p host.Process, s Scope, from []source.Source) (*report.Report, error) {
	f, err := s.load(ctx, p, from)
	if err == nil {
		err = checkFolder(p, f.Config.Project)
	}
	if err != nil {
		return nil, err
	}
	surfaces, err := f.Survey(ctx, from)
	if err != nil {
		return nil, err
	}
	folder := f.Config.Project.Snapshots
	for i := range surfaces {
		if err := save(p, &surfaces[i], folder); err != nil {
			spoil(&surfaces[i], "saving", err)
			surfaces[i].Saved = &report.Saved{Action: report.Skipped, Reason: "the file could not be replaced", File: p.Rel(SavedFile(folder, surfaces[i].Name))}
		}
	}
	return fleet.Report("snapshot", surfaces), nil
}

// checkFolder is the error for a folder of snapshots that leads out of the project though nobody named it: whoever writes to
// the repository must not choose which files are written elsewhere.
func checkFolder(p host.Process, project config.Project) error {
	if project.Stray == "" {
		return nil
	}
	return exit.Usagef("%s leads out of the project, to %s: name the folder with --snapshots if you mean it", p.Rel(project.Snapshots), project.Stray)
}

// save writes the snapshot of s into folder, unless it is not whole: a good file is never replaced by a part.
func save(p host.Process, s *fleet.Surface, folder string) error {
	file := SavedFile(folder, s.Name)
	if s.State == report.Disabled {
		return nil
	}
	if !s.Whole() {
		s.Saved = &report.Saved{Action: report.Skipped, File: p.Rel(file), Reason: "not everything arrived"}
		return nil
	}
	data, err := s.Snapshot.Encode()
	if err != nil {
		return err
	}
	if s.Saved, err = compareSaved(s.Snapshot, data, file); err != nil {
		return err
	}
	if s.Saved.File = p.Rel(file); s.Saved.Action == report.Unchanged {
		return nil
	}
	return replace(folder, file, data)
}

// replace writes a file that is whole at any time, and its folder.
func replace(folder, file string, data []byte) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return files.Replace(file, data)
}

// compareSaved tells what saving data to file does. A file that cannot be read as a snapshot is not overwritten.
func compareSaved(now *snapshot.Snapshot, data []byte, file string) (*report.Saved, error) {
	before, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &report.Saved{Action: report.Created}, nil
	case err != nil:
		return nil, err
	case bytes.Equal(before, data):
		return &report.Saved{Action: report.Unchanged}, nil
	}
	old, err := snapshot.Parse(before)
	if err != nil {
		return nil, fmt.Errorf("%s holds no snapshot, so it is left alone: %w", file, err)
	}
	saved := &report.Saved{Action: report.Updated}
	summarize(saved, diff.Compare(old, now, diff.Options{}))
	return saved, nil
}

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
