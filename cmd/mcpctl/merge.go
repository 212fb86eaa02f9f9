package main

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
)

func mergeCommand(p program) *cli.Command {
	showWaived := false
	return p.command(&cli.Command{
		Name:      "merge",
		Usage:     "one report of the reports of all parts of a run",
		ArgsUsage: "REPORT.json|FOLDER…",
		Description: `Reads what --shard I/N --report json=FILE wrote of each part, and contacts nothing. What only the whole can tell is judged
now, by the same configuration: budgets of all servers, names that servers share. The exit status is that of one run over all.`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "show-waived", Usage: "show what waivers excuse, too", Destination: &showWaived}},
		Action: func(c *cli.Context) error {
			parts, err := p.partReports(c.Args().Slice())
			if err != nil {
				return err
			}
			r, err := compare.MergeParts(p.Process, p.Select, parts)
			return p.emit(c.Context, r, err, report.Options{Waived: showWaived, Fleet: true})
		},
	}, configurationFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output))
}

// partReports reads reports from files, and from the JSON files of folders.
func (p program) partReports(paths []string) ([]compare.PartReport, error) {
	var parts []compare.PartReport
	for _, file := range jsonFiles(paths) {
		r, err := p.savedReport(file)
		if err != nil {
			return nil, err
		}
		parts = append(parts, compare.PartReport{File: file, Report: r})
	}
	if len(parts) == 0 {
		return nil, exit.Usagef("merge takes the reports of all parts, which --shard I/N --report json=FILE wrote: see mcpctl merge --help")
	}
	return parts, nil
}

// jsonFiles are paths, with the JSON files of folders in the place of these.
func jsonFiles(paths []string) []string {
	var files []string
	for _, path := range paths {
		entries, err := os.ReadDir(path)
		if err != nil { // a file, or what reading it will complain of
			files = append(files, path)
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
	return files
}

func mergeDriverCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "merge-driver",
		Usage:     "merge saved snapshots for git, which calls it",
		ArgsUsage: "BASE OURS THEIRS [PATH]",
		Description: `Two branches that changed different tools merge by themselves; what both changed is left between git's markers. To set it up:
   echo 'mcp-snapshots/*.json merge=mcpctl' >>.gitattributes
   git config merge.mcpctl.name 'mcpctl snapshots'
   git config merge.mcpctl.driver 'mcpctl merge-driver %O %A %B %P'`,
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if n := len(words); n != 3 && n != 4 {
				return exit.Usagef("merge-driver wants BASE OURS THEIRS [PATH], as git's %%O %%A %%B %%P: see mcpctl merge-driver --help")
			}
			return compare.Merge(c.Context, p.Process, words[0], words[1], words[2], cmp.Or(c.Args().Get(3), words[1]))
		},
	})
}
