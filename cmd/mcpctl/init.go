package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

const projectFile = "mcpctl.yaml"

// initCommand makes init. Where mcpctl.yaml exists it only adds a workflow, and refuses to add servers to it.
func initCommand(p program) *cli.Command {
	ci := ""
	return p.command(&cli.Command{
		Name:      "init",
		Category:  "Guard",
		Usage:     "Create mcpctl.yaml and the first snapshots",
		ArgsUsage: "[URL] [-- CMD ARG…]",
		Description: `Uses the configuration in this directory, or the server on the command line.
An existing mcpctl.yaml or workflow is never changed: init ends with an error and writes nothing, but --ci
adds a workflow beside mcpctl.yaml. Snapshots that exist are taken anew.`,
		Flags: []cli.Flag{option("ci", "Also write a workflow for `SYSTEM`: github or gitlab", text(&ci))},
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			switch {
			case err != nil:
				return err
			case ci != "" && ci != "github" && ci != "gitlab":
				return errCI(ci)
			case has(p.Dir, projectFile) && (ci == "" || len(from) > 0):
				return errProjectExists(p, ci)
			case has(p.Dir, projectFile):
				return addWorkflow(c.Context, p, ci)
			}
			return initialize(c.Context, p, from, ci)
		},
	}, p.outputFlags(nil), p.reachFlags())
}

// planned is a file to write, and what it holds.
type planned struct{ path, text, about string }

// initialize writes mcpctl.yaml, the first snapshots and, for a CI system, a workflow; if no server can be
// saved, it writes nothing.
func initialize(ctx context.Context, p program, from []source.Source, ci string) error {
	if _, err := fleet.Read(ctx, p.Process, p.Select); err != nil && len(from) > 0 {
		return err // it would be found once all is written
	}
	project, servers, err := projectOf(ctx, p, from)
	if err != nil {
		return err
	}
	all := []planned{project}
	var missing []string
	if ci != "" {
		flow, unknown, err := workflowOf(ctx, p, ci, servers)
		if err != nil {
			return err
		}
		all, missing = append(all, flow), unknown
	}
	for i, f := range all {
		if err := create(p.Dir, f.path, f.text); err != nil {
			undo(p.Dir, all[:i])
			return err
		}
	}
	o := compare.SaveOptions{Reach: p.scope()}
	typed := len(from) > 0 // the user named the server, so its file counts as named
	if typed {
		o.Select.Files = []string{projectFile}
	}
	o.Select.Provisional = true
	r, err := compare.Save(ctx, p.Process, o, nil)
	written, err := ofSave(r, err)
	saved := savedFiles(r)
	if len(saved) == 0 {
		undo(p.Dir, all)
		err = p.emit(ctx, written, err, report.Options{})
		p.Reason("nothing was written, because no server could be saved")
		return err
	}
	if typed {
		cfg, err := fleet.Read(ctx, p.Process, fleet.Selection{}) // as later runs find it
		if err == nil {
			err = trust.Gate{Process: p.Process}.Keep(ctx, kit.Filter(cfg.Entries, config.Entry.NeedsTrust))
		}
		if err != nil {
			return err
		}
	}
	created := slices.Concat(all[:1], saved, all[1:])
	if !p.Output.IsTable() || r.Status != exit.OK {
		err = p.emit(ctx, written, err, report.Options{})
	}
	return cmp.Or(err, printCreated(p, created, missing, ci != "", ci != "" && published(servers)))
}

// addWorkflow adds the workflow of a CI system to a project that has mcpctl.yaml.
func addWorkflow(ctx context.Context, p program, ci string) error {
	cfg, err := fleet.Read(ctx, p.Process, p.Select)
	if err != nil {
		return err
	}
	servers := serversOf(cfg)
	flow, missing, err := workflowOf(ctx, p, ci, servers)
	if err != nil {
		return err
	}
	if err := create(p.Dir, flow.path, flow.text); err != nil {
		return err
	}
	return printCreated(p, []planned{flow}, missing, true, published(servers))
}

// workflowOf returns the workflow of a CI system, and the programs that no step of it is known to build.
func workflowOf(
	ctx context.Context, p program, ci string, servers []probe.Server,
) (flow planned, missing []string, err error) {
	b := buildOf(ctx, source.RepoOf(p.Process), p.Dir, servers)
	flow = workflow(ci, b, builtFrom())
	if has(p.Dir, flow.path) {
		return planned{}, nil, errWorkflowExists(flow.path)
	}
	return flow, b.missing, nil
}

// published reports whether one of some servers is a package or a URL on another machine: its author decides
// when it changes.
func published(servers []probe.Server) bool {
	return slices.ContainsFunc(servers, func(s probe.Server) bool {
		if s.Stdio != nil {
			_, ok := packages.Launched(append([]string{s.Stdio.Command}, s.Stdio.Args...))
			return ok
		}
		if s.HTTP == nil {
			return false
		}
		u, err := url.Parse(s.HTTP.URL)
		return err == nil && !kit.ThisMachine(u.Hostname())
	})
}

// vendorsURL is the page of the nightly run.
const vendorsURL = "https://github.com/mcpctl/mcpctl/blob/main/docs/ci.md#servers-that-other-people-publish"

// printCreated prints a line for each file that was written, and the next step, which depends on whether
// there is a workflow; for servers of others also where a run for them is described.
func printCreated(p program, created []planned, missing []string, flow, vendors bool) error {
	out := p.Out
	switch {
	case p.Quiet:
		return nil
	case !p.Output.IsTable():
		out = p.Err
	}
	report.WriteFiles(out, kit.Map(created, func(f planned) [2]string { return [2]string{f.path, f.about} }))
	for _, file := range missing {
		p.Note("git ignores %s: add a step to the workflow that builds it", file)
	}
	request := "pull request"
	if slices.ContainsFunc(created, func(f planned) bool { return f.path == gitlabFile }) {
		request = "merge request"
	}
	next := "Commit these files. The next " + request + " that changes a tool is compared."
	if !flow {
		compare := "mcpctl diff"
		if p.Select.Trust {
			compare += " --trust"
		}
		next = "Commit these files. Compare with them: " + compare + "\n" +
			"To compare every pull request, add a workflow: mcpctl init --ci github (or gitlab)"
	}
	if vendors {
		next += "\nOther people publish some of these servers: a nightly run keeps their changes out of " +
			request + "s, see\n" + vendorsURL
	}
	for line := range strings.SplitSeq(next, "\n") {
		if _, err := fmt.Fprintln(out, report.Message(line, host.Width(out))); err != nil {
			return err
		}
	}
	return nil
}

// savedFiles returns the snapshots that were written.
func savedFiles(r *compare.SaveResult) []planned {
	if r == nil {
		return nil
	}
	var saved []planned
	for _, s := range r.Servers {
		if s.Saved == nil || s.Saved.Action == seen.Skipped {
			continue
		}
		saved = append(saved, planned{path: s.Saved.File, about: kit.Join("; ", s.Counts.Items(),
			s.Saved.Changes(), printable.Message(s.Saved.Reason))})
	}
	return saved
}

// projectOf returns mcpctl.yaml: it includes the configuration of this directory, or holds the server of the
// command line. It also returns these servers.
func projectOf(ctx context.Context, p program, from []source.Source) (planned, []probe.Server, error) {
	file := func(servers, about string) planned {
		const reference = "https://github.com/mcpctl/mcpctl/blob/main/docs/config.md"
		return planned{projectFile, "# Reference: " + reference + "\n" +
			servers + "snapshots: mcp-snapshots\nfail-on: breaking\ncheck-fail-on: breaking\n", about}
	}
	if len(from) > 0 {
		entry, server, err := inline(ctx, p, from)
		if err != nil {
			return planned{}, nil, err
		}
		shown := "" // its command or URL, secrets masked
		if server.Stdio == nil {
			shown = server.HTTP.URL
		} else {
			shown = typedLine(append([]string{server.Stdio.Command}, server.Stdio.Args...)...)
		}
		return file(entry, server.Name+": "+shown), []probe.Server{server}, nil
	}
	cfg, err := fleet.Read(ctx, p.Process, p.Select)
	if err != nil {
		return planned{}, nil, err
	}
	var include []string
	for _, found := range cfg.Files {
		if rel := p.Rel(found); !filepath.IsAbs(rel) {
			include = append(include, rel)
		}
	}
	if len(include) == 0 {
		return planned{}, nil, exit.UsageHint(
			"mcpctl init -- CMD ARG… with the command that starts your server",
			"no servers configured (looked for .mcp.json, mcp.json, .vscode/mcp.json and .cursor/mcp.json)")
	}
	list := strings.Join(kit.Map(include, func(f string) string { return string(rawjson.Quote(f)) }), ", ")
	return file("include: ["+list+"]\n", "includes "+strings.Join(include, ", ")), serversOf(cfg), nil
}

func serversOf(cfg *config.Config) []probe.Server {
	return kit.Map(cfg.Entries, func(e config.Entry) probe.Server { return e.Server })
}

// filledIn matches the password of a URL in an argument where a variable holds it.
var filledIn = kit.Pattern(`://(?:[^/@:\s]*:)?\$\{\w+\}@`)

// inline returns the server of the command line as an entry of mcpctl.yaml. JSON is YAML.
func inline(ctx context.Context, p program, from []source.Source) (string, probe.Server, error) {
	s := from[0]
	if len(from) != 1 || s.Kind != source.Command && s.Kind != source.URL {
		return "", probe.Server{}, exit.UsageHint("mcpctl init -- CMD ARG…, or mcpctl init URL",
			"init takes one URL, or one command after --")
	}
	read, body := config.FromURL, []rawjson.Member{{Key: "url", Value: rawjson.Quote(s.Word)}}
	if s.Kind == source.Command {
		read = func(string) (probe.Server, error) { return config.FromCommand(p.Dir, s.Args) }
		body = []rawjson.Member{{Key: "command", Value: rawjson.Quote(s.Args[0])}}
		if len(s.Args) > 1 {
			args := rawjson.List(kit.Map(s.Args[1:], rawjson.Quote))
			body = append(body, rawjson.Member{Key: "args", Value: args})
		}
	}
	server, err := read(s.Word)
	if err != nil {
		return "", probe.Server{}, exit.Misuse(err)
	}
	address := redact.MaskURL(s.Word)
	password := s.Kind == source.URL && strings.Contains(address, redact.Mask+"@")
	args := kit.Map(s.Args, func(word string) string { return filledIn().ReplaceAllString(word, "://") })
	if password || !slices.Equal(redact.MaskArgs(args), args) {
		return "", probe.Server{}, errInitSecret(cmp.Or(typedLine(s.Args...), address), password)
	}
	if server.Name, err = nameOf(ctx, p, from, server); err != nil {
		return "", probe.Server{}, err
	}
	return "servers:\n  " + string(rawjson.Quote(server.Name)) + ": " + string(rawjson.Build(body...)) + "\n",
		server, nil
}

// nameOf returns a name for the server of the command line: the one that it reports, else that of
// package.json, else that of its command.
func nameOf(ctx context.Context, p program, from []source.Source, server probe.Server) (string, error) {
	f, err := fleet.LoadAsking(ctx, p.Process, p.Select, p.Contact, from)
	if err != nil {
		return "", err
	}
	surfaces, err := f.List(ctx, from, fleet.ItemFilter{})
	if err != nil {
		return "", err
	}
	var info struct{ Name string }
	if len(surfaces) == 1 && len(surfaces[0].ServerInfo) > 0 {
		_ = json.Unmarshal(surfaces[0].ServerInfo, &info) // of another shape, it has no name
	}
	names := []string{info.Name}
	if server.Stdio != nil {
		names = append(names, manifestOf(p.Dir).Name)
	}
	for _, name := range names {
		name = config.PlainName(strings.ToLower(path.Base(name)))
		if name != "" && !slices.Contains(commonNames, name) {
			return name, nil
		}
	}
	return server.Name, nil
}

// commonNames are names that say nothing about a server.
var commonNames = []string{"app", "example", "example-server", "index", "main", "mcp", "mcp-server",
	"my-server", "server", "test"}

// create writes a new file. One that another run has written meanwhile stays as it is.
func create(dir, path, text string) error {
	name := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exit.Usagef("%s already exists", path)
	case err != nil:
		return err
	}
	_, err = file.WriteString(text)
	if err = cmp.Or(err, file.Close()); err != nil {
		undo(dir, []planned{{path: path}})
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// undo removes created files and the directories that are empty without them.
func undo(dir string, created []planned) {
	for _, f := range created {
		for path := f.path; path != "." && os.Remove(filepath.Join(dir, path)) == nil; {
			path = filepath.Dir(path)
		}
	}
}
