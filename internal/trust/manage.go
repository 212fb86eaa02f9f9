package trust

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Propose trusts the entries that need it and reports what each of them does. With dryRun nothing is stored.
func (g Gate) Propose(ctx context.Context, entries []config.Entry, dryRun bool) (*report.Report, error) {
	entries = kit.Filter(entries, config.Entry.NeedsTrust)
	if !dryRun && len(entries) > 0 {
		if err := g.Keep(ctx, entries); err != nil {
			return nil, err
		}
	}
	r := &report.Report{Command: "trust", Servers: g.Describe(entries)}
	for i := range r.Servers { // trusting does not depend on what else an entry lacks
		r.Servers[i].State, r.Servers[i].Error, r.Servers[i].MoreErrors = report.OK, nil, nil
	}
	return r, nil
}

// Report shows the decisions about servers with these names, or all of them.
func (s Store) Report(names []string) *report.Report {
	r := &report.Report{Command: "trust"}
	d, err := s.read()
	if err != nil {
		r.Problems, r.Status = []string{err.Error()}, exit.Incomplete
	}
	for _, g := range d.Trusted {
		if len(names) == 0 || slices.Contains(names, g.Server) {
			server := g.describe(report.Trusted)
			server.Since = g.Since
			r.Servers = append(r.Servers, server)
		}
	}
	return r
}

// describe returns a decision as a row of a report; "*" stands for every server of an application's file.
func (g Grant) describe(state report.Trust) report.Server {
	name := g.Server
	if name == "" {
		name = "*"
	}
	s := report.Server{Name: name, State: report.OK, Source: g.File}
	s.Trust = state
	return s
}

// RevokeFound removes the decisions about the files of a configuration, or about their servers with these
// names, whether the servers still exist or not. A name that neither a server nor a decision has is an error,
// since a mistyped one would seem to be revoked.
func (s Store) RevokeFound(ctx context.Context, cfg *config.Config, names []string) (*report.Report, error) {
	here := map[string]bool{}
	looked := kit.Map(cfg.Looked, func(f config.File) string { return f.Path })
	for _, file := range slices.Concat(cfg.Files, looked) {
		if path, err := filepath.Abs(file); err == nil {
			here[files.RealPath(path)] = true
		}
	}
	r := &report.Report{Command: "trust"}
	err := s.update(ctx, func(d *decisions) error {
		found := kit.Filter(d.Trusted, func(g Grant) bool { return here[g.File] })
		known := append(cfg.Names(), kit.Map(found, func(g Grant) string { return g.Server })...)
		for _, name := range names {
			if !slices.Contains(known, name) {
				hint := kit.Suggest(name, kit.Distinct(known))
				return exit.UsageHint(cmp.Or(hint, "mcpctl trust --list shows every decision"),
					"no decision to revoke about %q", name)
			}
		}
		d.Trusted = slices.DeleteFunc(d.Trusted, func(g Grant) bool {
			revoked := here[g.File] && (len(names) == 0 || g.isOf(cfg, names))
			if revoked {
				r.Servers = append(r.Servers, g.describe(report.Untrusted))
			}
			return revoked
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// isOf reports whether a decision is about a server of these names, or about the file of one.
func (g Grant) isOf(cfg *config.Config, names []string) bool {
	return slices.Contains(names, g.Server) || slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
		file, server := e.Declared()
		return file == g.File && (server == g.Server || g.Server == "" && e.Application()) &&
			slices.Contains(names, e.Server.Name)
	})
}
