package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
)

func mergeCommand(p program) *cli.Command {
	showWaived := false
	var wait, maxAge *time.Duration
	return p.command(&cli.Command{
		Name:      "merge",
		Usage:     "Merge the reports of a sharded run",
		ArgsUsage: "REPORT.json|FOLDER…",
		Description: `Reads the reports that --shard I/N --report json=FILE wrote. The exit status is that of one run over all
servers; a missing shard is status 3.`,
		Flags: []cli.Flag{
			waivedFlag(&showWaived),
			&cli.GenericFlag{Name: "wait", Usage: "Wait up to `TIME` for the reports of all shards", Value: duration(&wait)},
			&cli.GenericFlag{Name: "max-age", Usage: "Ignore reports that are older than `DURATION`", Value: duration(&maxAge)},
		},
		Action: func(c *cli.Context) error {
			if _, err := fleet.Read(c.Context, p.Process, p.Select); err != nil { // waiting mends nothing
				return exit.Misuse(config.Explain(err))
			}
			r, err := retryFor(c.Context, wait, func() (*report.Report, error) {
				return p.merge(c.Context, c.Args().Slice(), maxAge)
			})
			return p.emit(c.Context, r, err, report.Options{Waived: showWaived, Fleet: true})
		},
	}, configurationFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output))
}

// retryFor merges until that succeeds, or the time to wait is over.
func retryFor(ctx context.Context, wait *time.Duration, merge func() (*report.Report, error)) (*report.Report, error) {
	for began := time.Now(); ; {
		r, err := merge()
		if err == nil || wait == nil {
			return r, err
		}
		if time.Since(began) > *wait {
			return nil, fmt.Errorf("waited %s: %w", *wait, err)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(min(*wait, time.Second)):
		}
	}
}

// merge is the whole of the parts that are not too old.
func (p program) merge(ctx context.Context, paths []string, maxAge *time.Duration) (*report.Report, error) {
	parts, err := p.partReports(ctx, paths)
	if err != nil {
		return nil, err
	}
	var old []string
	parts = slices.DeleteFunc(parts, func(part compare.PartReport) bool {
		past := maxAge != nil && part.Part != nil && p.Now.Sub(part.Part.Began) > *maxAge
		if past {
			old = append(old, part.File)
		}
		return past
	})
	r, err := host.Await(ctx, func() (*report.Report, error) { return compare.MergeParts(ctx, p.Process, p.Select, parts) })
	if err != nil && len(old) > 0 {
		err = fmt.Errorf("%s began more than --max-age %s ago, in another run: %w", strings.Join(old, ", "), *maxAge, err)
	}
	return r, err
}

const mergeTakes = "merge takes the reports of all parts, or the folder they lie in: run each with --shard I/N --report json=FILE, and see mcpctl merge --help"

// partReports reads reports from files, and from the JSON files of folders, which may be in a store.
func (p program) partReports(ctx context.Context, paths []string) ([]compare.PartReport, error) {
	var parts []compare.PartReport
	for _, path := range paths {
		files, err := jsonFiles(path), error(nil)
		if store.Is(path) && source.Parse(path).Whole() {
			files, err = source.List(ctx, p.Process, path)
		}
		for _, file := range files {
			part := compare.PartReport{File: file}
			if part.Report, err = p.savedReport(ctx, file); err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					err = exit.Usagef("there is no %s: %s", file, mergeTakes)
				}
				break
			}
			parts = append(parts, part)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(parts) == 0 {
		return nil, exit.Usagef("%s", mergeTakes)
	}
	return parts, nil
}

// jsonFiles are the JSON files of a folder, or the path itself.
func jsonFiles(path string) (files []string) {
	entries, err := os.ReadDir(path)
	if err != nil { // a file, or what reading it will complain of
		return []string{path}
	}
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		info, err := os.Stat(file)
		if filepath.Ext(file) == ".json" && (err != nil || info.Mode().IsRegular()) { // nobody named a pipe, which keeps its reader waiting
			files = append(files, file)
		}
	}
	return files
}
