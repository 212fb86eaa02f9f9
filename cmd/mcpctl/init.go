package main

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

//go:embed ci/*
var ciFiles embed.FS

// ciPaths are where the files of the ci folder go.
var ciPaths = map[string]string{"github": ".github/workflows/mcp.yml", "gitlab": ".gitlab-ci.yml"}

const projectFile = "mcpctl.yaml"

func initCommand(p program) *cli.Command {
	var o compare.SaveOptions
	ci := ""
	return p.command(&cli.Command{
		Name:        "init",
		Category:    "Guard",
		Usage:       "Create mcpctl.yaml and the first snapshots",
		ArgsUsage:   "[URL] [-- CMD ARG…]",
		Description: `Uses the configuration that is found here, or the server on the command line. Existing files are kept.`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "ci", Usage: "Also write a CI workflow: github or " +
			"gitlab", Destination: &ci}},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err != nil {
				return err
			}
			planned, err := p.plan(c.Context, from, ci)
			if err != nil {
				return err
			}
			for _, f := range planned {
				if err := create(c.Context, p.Dir, f.path, f.text); err != nil {
					undo(p.Dir, planned)
					return err
				}
			}
			o.Scope = p.scope()
			typed := len(from) > 0 // by whoever runs this: that file is named, and none that was found
			if typed {
				o.Select.Files = []string{projectFile}
			}
			r, err := compare.Save(c.Context, p.Process, o, nil)
			saved := r != nil && slices.ContainsFunc(r.Servers,
				func(s report.Server) bool { return s.Saved != nil && s.Saved.Action != report.Skipped })
			err = p.emit(c.Context, r, err, report.Options{})
			if saved {
				if typed {
					err = cmp.Or(err, agree(c.Context, p.Process))
				}
				for _, f := range planned {
					p.Note("wrote %s", f.path)
				}
				p.Note("commit these files; mcpctl diff tells what changes from now on")
			} else {
				undo(p.Dir, planned)
				p.Reason("nothing was written, since nothing could be saved: mend that, and run it again")
			}
			return err
		},
	}, p.outputFlags(), p.reachFlags())
}

// planned is a file that is to be written.
type planned struct{ path, text string }

// plan are the files of a project, if none of them exists.
func (p program) plan(ctx context.Context, from []source.Source, ci string) ([]planned, error) {
	servers, err := p.origin(ctx, from)
	if err != nil {
		return nil, err
	}
	all := []planned{{projectFile, "# The servers of this project, and what fails a run: " +
		"https://github.com/mcpctl/mcpctl/blob/main/docs/config.md\n" + servers +
		"snapshots: mcp-snapshots\nfail-on: breaking\n"}}
	if ci != "" {
		path, known := ciPaths[ci]
		if !known {
			return nil, exit.Usagef("--ci is github or gitlab, not %q", ci)
		}
		text, err := ciFiles.ReadFile("ci/" + ci + ".yml")
		if err != nil {
			return nil, err
		}
		all = append(all, planned{path, atCommit(string(text), builtFrom(), p.Version)})
	}
	for _, f := range all {
		if _, err := os.Lstat(filepath.Join(p.Dir, f.path)); !errors.Is(err, fs.ErrNotExist) {
			return nil, exit.Usagef("%s is there already, and is not written over: remove it, or add to it "+
				"by hand (docs/config.md, docs/ci.md)", f.path)
		}
	}
	return all, nil
}

// atCommit is a workflow that uses the action as it was at a commit, with the version of that; as it is
// without one.
func atCommit(workflow, commit, version string) string {
	if commit == "" {
		return workflow
	}
	workflow = strings.Replace(workflow, "mcpctl/mcpctl@v1", "mcpctl/mcpctl@"+commit+" # "+version, 1)
	// which is downloaded, not built
	if _, released := finding.ParseVersion(version); released && !strings.Contains(version, "-") {
		workflow = strings.Replace(workflow, "mcpctl.yaml}", "mcpctl.yaml, version: "+version+"}", 1)
	}
	return workflow
}

// origin is where servers come from, as mcpctl.yaml says it.
func (p program) origin(ctx context.Context, from []source.Source) (string, error) {
	if len(from) > 0 {
		return inline(p.Dir, from)
	}
	cfg, err := fleet.Read(ctx, p.Process, p.Select)
	if err != nil {
		return "", err
	}
	var include []string
	for _, file := range cfg.Files {
		if rel := p.Rel(file); !filepath.IsAbs(rel) {
			include = append(include, string(rawjson.Quote(rel)))
		}
	}
	if len(include) == 0 {
		return "", exit.Usagef("no configuration with servers is here (.mcp.json, mcp.json, " +
			".vscode/mcp.json, .cursor/mcp.json): write mcpctl init -- CMD ARG… with the command that " +
			"starts yours")
	}
	return "include: [" + strings.Join(include, ", ") + "]\n", nil
}

// inline is the one server that was named, as an entry of mcpctl.yaml. JSON is YAML.
func inline(dir string, from []source.Source) (string, error) {
	s := from[0]
	if len(from) != 1 || s.Kind != source.Command && s.Kind != source.URL {
		return "", exit.Usagef("init takes one URL, or -- and the command that starts a server; without " +
			"them it takes the configuration that is here")
	}
	read, body := config.FromURL, []rawjson.Member{{Key: "url", Value: rawjson.Quote(s.Word)}}
	if s.Kind == source.Command {
		read = func(string) (probe.Server, error) { return config.FromCommand(dir, s.Args) }
		args := kit.Map(s.Args[1:], rawjson.Quote)
		body = []rawjson.Member{{Key: "command", Value: rawjson.Quote(s.Args[0])},
			{Key: "args", Value: rawjson.List(args)}}
	}
	server, err := read(s.Word)
	if err != nil {
		return "", exit.Misuse(err)
	}
	return "servers:\n  " + string(rawjson.Quote(server.Name)) + ": " + string(rawjson.Build(body...)) +
		"\n", nil
}

// agree remembers that the server of the new mcpctl.yaml may be started: later runs find it there.
func agree(ctx context.Context, p host.Process) error {
	cfg, err := fleet.Read(ctx, p, fleet.Selection{})
	if err != nil {
		return err
	}
	return trust.Gate{Process: p}.Keep(ctx, kit.Filter(cfg.Entries, config.Entry.NeedsTrust))
}

func create(ctx context.Context, dir, path, text string) error {
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o777); err != nil {
		return err
	}
	return files.WriteOutput(ctx, dir, path, files.Bytes([]byte(text)))
}

// undo removes files that were created, and the folders around them that are empty now.
func undo(dir string, created []planned) {
	for _, f := range created {
		for path := f.path; path != "." && os.Remove(filepath.Join(dir, path)) == nil; {
			path = filepath.Dir(path)
		}
	}
}
