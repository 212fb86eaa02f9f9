package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func snapshotCommand(inv *invocation) *cli.Command {
	return &cli.Command{
		Name:      "snapshot",
		Usage:     "save what servers offer, a file for each",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags:     inv.reachFlags(inv.savedFlags()...),
		Action:    func(c *cli.Context) error { return inv.snapshot(c.Context, c.Args().Slice()) },
	}
}

func (inv *invocation) snapshot(ctx context.Context, words []string) error {
	targets, err := inv.targets(words)
	if err != nil {
		return err
	}
	cfg, err := inv.load(ctx, targets)
	if err == nil {
		err = ownFolder(cfg)
	}
	if err != nil {
		return err
	}
	surfaces, err := inv.gather(ctx, cfg, targets)
	if err != nil {
		return err
	}
	for i := range surfaces {
		if err := save(&surfaces[i], cfg.Project.Snapshots); err != nil {
			surfaces[i].spoil("saving", err)
			surfaces[i].Saved = &report.Saved{Action: report.Skipped, Reason: "the file could not be replaced",
				File: shown(filepath.Join(cfg.Project.Snapshots, config.FileName(surfaces[i].Name)))}
		}
	}
	r := newReport("snapshot", surfaces)
	r.Status = status(surfaces)
	return inv.emit(ctx, r, report.Options{})
}

// ownFolder is the error for a folder of snapshots that leads out of the project though nobody named it: whoever writes to
// the repository must not choose which files are written elsewhere.
func ownFolder(cfg *config.Config) error {
	if cfg.Project.Stray == "" {
		return nil
	}
	return exit.Usagef("%s leads out of the project, to %s: name the folder with --snapshots if you mean it", shown(cfg.Project.Snapshots), cfg.Project.Stray)
}

// save writes the snapshot of s into folder, unless it is not whole: a good file is never replaced by a part.
func save(s *surface, folder string) error {
	file := filepath.Join(folder, config.FileName(s.Name))
	if s.State == report.Disabled {
		return nil
	}
	if !s.whole() {
		s.Saved = &report.Saved{Action: report.Skipped, File: shown(file), Reason: "not everything arrived"}
		return nil
	}
	data, err := s.snapshot.Encode()
	if err != nil {
		return err
	}
	if s.Saved, err = compareSaved(s.snapshot, data, file); err != nil || s.Saved.Action == report.Unchanged {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return files.Replace(file, data)
}

// compareSaved tells what saving data to file does. A file that cannot be read as a snapshot is not overwritten.
func compareSaved(now *snapshot.Snapshot, data []byte, file string) (*report.Saved, error) {
	saved := &report.Saved{Action: report.Created, File: shown(file)}
	before, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return saved, nil
	}
	if err != nil {
		return nil, err
	}
	if bytes.Equal(before, data) {
		saved.Action = report.Unchanged
		return saved, nil
	}
	old, err := snapshot.Parse(before)
	if err != nil {
		return nil, fmt.Errorf("%s holds no snapshot, so it is left alone: %w", file, err)
	}
	saved.Action = report.Updated
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

// shown is a path as people write it: relative to this folder when it lies below.
func shown(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		return path
	}
	relative, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(relative, "..") {
		return path
	}
	return filepath.ToSlash(relative)
}
