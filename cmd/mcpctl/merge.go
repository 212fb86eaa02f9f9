package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
)

// mergeCommand makes merge. It contacts nothing, and judges the reports of all shards as one run.
func mergeCommand(p program) *cli.Command {
	showWaived := false
	return p.command(&cli.Command{
		Name:      "merge",
		Category:  "Guard",
		Usage:     "Merge the reports of a sharded run",
		ArgsUsage: "REPORT.json|FOLDER…",
		Description: `
Reads the reports that --shard I/N --report json=FILE wrote. The exit status is that of one run over all
servers; a missing shard is status 3.`,
		Flags: []cli.Flag{waivedFlag(&showWaived)},
		Action: func(c *cli.Context) error {
			shards, err := p.shardReports(c.Context, c.Args().Slice())
			if err != nil {
				return err
			}
			r, err := host.Await(c.Context, func() (*report.Report, error) {
				return merged(c.Context, p, shards)
			})
			return p.emit(c.Context, r, err, report.Options{Waived: showWaived,
				Run: p.repeat(c.Command, nil)})
		},
	}, configurationFlags(&p.Select), p.outputFlags(nil), reportFlags(&p.Output))
}

// shardReport is the report of a shard, and the file that it was read from.
type shardReport struct {
	file string
	*report.Report
}

// merged returns the report of all shards.
func merged(ctx context.Context, p program, shards []shardReport) (*report.Report, error) {
	how := compare.JudgingChanges()
	if _, is := shards[0].Body.(*report.Check); is {
		how = compare.JudgingServers()
	}
	results := kit.Map(shards, func(s shardReport) compare.ShardResult {
		j := s.Assessed()
		return compare.ShardResult{File: s.file, Command: s.Command, Stopped: s.Verdict == exit.Stopped,
			Shard: s.Shard(), FailOn: j.FailOn, Findings: j.Findings, Servers: s.Seen()}
	})
	all, err := compare.MergeShards(ctx, p.Process, p.Select, results, how)
	if err != nil {
		return nil, err
	}
	return ofMerge(all, kit.Map(shards, func(s shardReport) *report.Report { return s.Report })), nil
}

// shardReports reads reports from files, and from the JSON files of folders.
func (p program) shardReports(ctx context.Context, paths []string) ([]shardReport, error) {
	var shards []shardReport
	for _, path := range paths {
		for _, file := range jsonFiles(path) {
			r, err := p.savedReport(ctx, file)
			if errors.Is(err, fs.ErrNotExist) {
				err = errNoShard(file)
			}
			if err != nil {
				return nil, err
			}
			shards = append(shards, shardReport{file, r})
		}
	}
	if len(shards) == 0 {
		return nil, errNoShards
	}
	return shards, nil
}

// jsonFiles returns the JSON files of a folder, or the path itself.
func jsonFiles(path string) (files []string) {
	entries, err := os.ReadDir(path)
	if err != nil { // a file, or a path whose error reading it will report
		return []string{path}
	}
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		info, err := os.Stat(file)
		// skip pipes in the directory: reading one could block forever
		if filepath.Ext(file) == ".json" && (err != nil || info.Mode().IsRegular()) {
			files = append(files, file)
		}
	}
	return files
}
