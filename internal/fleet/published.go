package fleet

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// The store of packages holds this many bytes at most, not counting what was used lately.
const (
	storeLimit  = 2 << 30
	storeLately = 24 * time.Hour
)

// PackageStore is where packages are fetched to.
func PackageStore(p host.Process) (*packages.Store, error) {
	folder, err := p.CacheDir()
	return &packages.Store{Folder: filepath.Join(folder, "packages"), Env: p.Environ}, err
}

// publishedTargets are the servers in the packages that SOURCEs name, as far as the project allows them and somebody agrees to
// them. Fetching comes first, so that it is known what is agreed to; none of what is in a package runs before.
func (f *Fleet) publishedTargets(ctx context.Context, from []source.Source) ([]Target, error) {
	from = slices.DeleteFunc(slices.Clone(from), func(s source.Source) bool { return s.Kind != source.Package })
	if len(from) == 0 {
		return nil, nil // who has no home has no store
	}
	store, err := PackageStore(f.process)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	var entries []config.Entry
	for _, s := range from {
		ref, _, err := packages.Parse(s.Word)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		fetched, err := fetch(ctx, f.process, store, ref)
		if err != nil {
			return nil, err
		}
		work := filepath.Join(fetched.Folder, "work")
		if err := os.MkdirAll(work, 0o700); err != nil {
			return nil, err
		}
		entries = append(entries, config.FromPackage(fetched, work, s.Args))
	}
	return f.agreed(ctx, entries)
}

// agreed are the targets of entries that start packages, once a person was asked about those that nobody has agreed to.
func (f *Fleet) agreed(ctx context.Context, entries []config.Entry) ([]Target, error) {
	allowed := slices.DeleteFunc(slices.Clone(entries), func(e config.Entry) bool { return f.Config.Project.Allow.Refusal(e.Server.Name) != nil })
	if err := f.gate.Ask(ctx, f.Config, allowed); err != nil {
		return nil, err
	}
	var targets []Target
	for _, e := range f.gate.Guard(f.Config, entries) {
		if refusal := f.Config.Project.Allow.Refusal(e.Server.Name); refusal != nil {
			e.Problems = []config.Problem{*refusal}
		}
		targets = append(targets, targetOf(e))
	}
	return targets, nil
}

// fetch is a package in the store.
func fetch(ctx context.Context, p host.Process, store *packages.Store, ref packages.Ref) (packages.Package, error) {
	fetched, err := store.Fetch(ctx, ref, func(exact packages.Ref) { p.Note("fetching %s", exact) })
	if err != nil {
		return packages.Package{}, err
	}
	if scripts := fetched.Scripts(); len(scripts) > 0 {
		p.Detail("%s: install scripts did not run: %s", report.Visible(ref.String()), report.Visible(strings.Join(scripts, ", ")))
	}
	if _, err := store.Prune(storeLimit, time.Now().Add(-storeLately)); err != nil {
		p.Note("the store of packages could not be cleared up: %v", err)
	}
	return fetched, nil
}

// lacks says which variables a failed server was not given, although its package needs them; empty = none that is known.
func (f *Fleet) lacks(t Target, p *packages.Package) string {
	if p == nil {
		return ""
	}
	var missing []string
	for _, name := range p.Needs {
		inherited := f.options.InheritEnv && slices.ContainsFunc(f.process.Environ, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		if t.server.Stdio.Env[name] == "" && !inherited {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "by its server.json it needs " + strings.Join(missing, ", ") + ": give it with --env " + missing[0] + "=… or in the configuration"
}

// Package is the package that a target starts a server from in an environment, as it is installed now; nil when it is none, or
// not known.
func (t Target) Package(environ []string) *packages.Package {
	if t.plain == nil || t.plain.Stdio == nil {
		return nil
	}
	s := t.plain.Stdio
	for name, value := range s.Env {
		environ = append(environ[:len(environ):len(environ)], name+"="+value.Reveal())
	}
	return packages.Started(append([]string{s.Command}, s.Args...), s.Dir, environ)
}
