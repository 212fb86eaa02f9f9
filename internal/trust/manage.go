package trust

import (
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Propose agrees to those of the entries that need trust, and reports what each of them does; with dryRun nothing is kept. own
// = they are all that there are, so that one agreement may stand for all of the user's own applications.
func (g Gate) Propose(entries []config.Entry, own, dryRun bool) (*report.Report, error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e config.Entry) bool { return !e.NeedsTrust() })
	if !dryRun {
		if err := g.Agree(entries, own); err != nil {
			return nil, err
		}
	}
	r := &report.Report{Command: "trust"}
	for _, e := range entries {
		s := g.proposed(e)
		if s.Trust == "" && !dryRun {
			s.Trust = report.Trusted // asked for by name, for runs that send more
		}
		r.Servers = append(r.Servers, s)
	}
	return r, nil
}

// Report shows the agreements to servers with names, or all of them. What cannot be read is told beside the others.
func (s Store) Report(names []string) *report.Report {
	r := &report.Report{Command: "trust"}
	kept, err := s.List()
	if err != nil {
		r.Problems, r.Status = []string{err.Error()}, exit.Incomplete
	}
	for _, a := range kept {
		if len(names) == 0 || slices.Contains(names, a.Server) {
			r.Servers = append(r.Servers, report.Server{
				Name: a.Server, State: report.OK, Source: a.File, Trust: report.Trusted, Since: a.Since.Format("2006-01-02"),
			})
		}
	}
	return r
}

// RevokeFound forgets what was agreed to about the files of a configuration, or about their servers with names, be a server
// still in them or not.
func (s Store) RevokeFound(cfg *config.Config, names []string) (*report.Report, error) {
	kept, _ := s.List() // those that cannot be read hold for nothing
	if err := revocable(cfg, kept, names); err != nil {
		return nil, err
	}
	r := &report.Report{Command: "trust"}
	for _, a := range kept {
		if !revokes(cfg, a, names) {
			continue
		}
		if err := s.Revoke(a.File, a.Server); err != nil {
			return nil, err
		}
		r.Servers = append(r.Servers, report.Server{Name: a.Server, State: report.OK, Source: a.File, Trust: report.Untrusted})
	}
	for _, e := range cfg.Entries { // also what cannot be read
		if len(names) == 0 || slices.ContainsFunc(e.Names(), func(name string) bool { return slices.Contains(names, name) }) {
			if state, _ := s.State(Own()); state == Agreed && e.Own() { // the others of the user's own are asked about again
				if err := s.Revoke(Own().File, Own().Server); err != nil {
					return nil, err
				}
			}
			if state, _ := s.State(subjectOf(e)); state == Unknown && e.Own() {
				r.Servers = append(r.Servers, report.Server{Name: e.Server.Name, State: report.OK, Source: e.File, Trust: report.Untrusted})
			}
			if err := s.Revoke(subjectOf(e).File, subjectOf(e).Server); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// revocable finds a name that neither a server nor an agreement here has: who mistyped it would think that it is revoked.
func revocable(cfg *config.Config, kept []Agreement, names []string) error {
	var known []string
	for _, e := range cfg.Entries {
		known = append(known, e.Server.Name)
	}
	for _, a := range kept {
		if revokes(cfg, a, nil) {
			known = append(known, a.Server)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return exit.Usagef("there is nothing to revoke about %q here%s: mcpctl trust --list shows every agreement", name, match.DidYouMean(name, known))
		}
	}
	return nil
}

// revokes tells whether an agreement is about a file that is read here, and about one of these names, if there are any.
func revokes(cfg *config.Config, a Agreement, names []string) bool {
	here := slices.ContainsFunc(cfg.Files, func(file string) bool { return absolute(file) == a.File }) ||
		slices.ContainsFunc(cfg.Looked, func(looked report.File) bool { return absolute(looked.Path) == a.File })
	named := len(names) == 0 || slices.Contains(names, a.Server) || slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
		about := subjectOf(e)
		return about.File == a.File && about.Server == a.Server && slices.Contains(names, e.Server.Name)
	})
	return here && named
}

func absolute(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	return path
}
