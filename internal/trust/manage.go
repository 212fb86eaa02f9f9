package trust

import (
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
func (g Gate) Propose(ctx context.Context, cfg *config.Config, entries []config.Entry,
	dryRun bool) (*report.Report, error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e config.Entry) bool { return !e.NeedsTrust() })
	if !dryRun && len(entries) > 0 {
		if err := g.Keep(ctx, entries); err != nil {
			return nil, err
		}
	}
	r := &report.Report{Command: "trust", Servers: g.Describe(cfg, entries)}
	for i := range r.Servers { // trusting does not depend on what else an entry lacks
		r.Servers[i].State, r.Servers[i].Error, r.Servers[i].MoreErrors = report.OK, nil, nil
	}
	return r, nil
}

// Report shows the decisions about servers with these names, or all of them.
func (s Store) Report(names []string) *report.Report {
	r := &report.Report{Command: "trust"}
	grants, err := s.List()
	if err != nil {
		r.Problems, r.Status = []string{err.Error()}, exit.Incomplete
	}
	for _, g := range grants {
		if len(names) == 0 || slices.Contains(names, g.Server) {
			r.Servers = append(r.Servers, g.describe(report.Trusted))
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
	if state == report.Trusted {
		s.Since = g.Since
	}
	return s
}

// RevokeFound removes the decisions about the files of a configuration, or about their servers with these
// names, whether the servers still exist or not.
func (s Store) RevokeFound(ctx context.Context, cfg *config.Config, names []string) (*report.Report, error) {
	read := map[string]bool{}
	for _, file := range cfg.Files {
		read[files.RealPath(absolute(file))] = true
	}
	for _, looked := range cfg.Looked {
		read[files.RealPath(absolute(looked.Path))] = true
	}
	here := func(g Grant) bool { return read[g.File] }
	grants, err := s.List()
	if err != nil {
		return nil, err
	}
	wanted, err := wantedGrants(cfg, slices.DeleteFunc(slices.Clone(grants),
		func(g Grant) bool { return !here(g) }), names)
	if err != nil {
		return nil, err
	}
	revoked, err := s.Revoke(ctx, func(g Grant) bool { return here(g) && wanted(g) })
	if err != nil {
		return nil, err
	}
	r := &report.Report{Command: "trust"}
	for _, g := range revoked {
		r.Servers = append(r.Servers, g.describe(report.Untrusted))
	}
	return r, nil
}

// wantedGrants returns which decisions the names mean. A name that neither a server nor a decision has is an
// error, since a mistyped one would seem to be revoked.
func wantedGrants(cfg *config.Config, grants []Grant, names []string) (func(Grant) bool, error) {
	known := cfg.Names()
	for _, g := range grants {
		known = append(known, g.Server)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, exit.Usagef("no decision to revoke about %q%s; mcpctl trust --list shows every "+
				"decision",
				name, kit.DidYouMean(name, known))
		}
	}
	return func(g Grant) bool {
		if len(names) == 0 || slices.Contains(names, g.Server) {
			return true
		}
		return slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
			file, server := e.Declared()
			return file == g.File && (server == g.Server || g.Server == "" && e.Application()) &&
				slices.Contains(names, e.Server.Name)
		})
	}, nil
}

func absolute(file string) string {
	if path, err := filepath.Abs(file); err == nil {
		return path
	}
	return file
}
