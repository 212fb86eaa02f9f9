package fleet

import (
	"context"
	"fmt"
	"maps"
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
	"github.com/mcpctl/mcpctl/pkg/probe"
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

// warehouse is the packages of a run: where they are fetched to, and the gate before what they start.
type warehouse struct {
	fleet *Fleet
	store *packages.Store
}

func warehouseOf(f *Fleet) (warehouse, error) {
	store, err := PackageStore(f.process)
	return warehouse{f, store}, exit.Misuse(err)
}

// publishedTargets are the servers in the packages that SOURCEs name, as far as the project allows them and somebody agrees to
// them. Fetching comes first, so that it is known what is agreed to; none of what is in a package runs before.
func publishedTargets(ctx context.Context, f *Fleet, from []source.Source) ([]Target, error) {
	from = slices.DeleteFunc(slices.Clone(from), func(s source.Source) bool { return s.Kind != source.Package })
	if len(from) == 0 {
		return nil, nil // who has no home has no store
	}
	w, err := warehouseOf(f)
	if err != nil {
		return nil, err
	}
	var entries []config.Entry
	for _, s := range from {
		ref, _, err := packages.Parse(s.Word)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		fetched, err := w.fetch(ctx, ref)
		if err != nil {
			return nil, err
		}
		entries = append(entries, config.FromPackage(fetched, filepath.Join(fetched.Folder, "work"), s.Args))
	}
	return w.agreed(ctx, entries)
}

// agreed are the targets of entries that start packages, once a person was asked about those that nobody has agreed to.
func (w warehouse) agreed(ctx context.Context, entries []config.Entry) ([]Target, error) {
	f := w.fleet
	allowed := slices.DeleteFunc(slices.Clone(entries), func(e config.Entry) bool { return f.Config.Project.Allow.Refusal(e.Server.Name) != nil })
	if err := f.gate.Ask(ctx, f.Config, allowed); err != nil {
		return nil, err
	}
	var targets []Target
	for _, e := range f.gate.Guard(f.Config, entries) {
		if refusal := f.Config.Project.Allow.Refusal(e.Server.Name); refusal != nil {
			e.Problems = []config.Problem{*refusal}
		}
		if err := w.install(ctx, e); err != nil {
			return nil, err
		}
		targets = append(targets, targetOf(e))
	}
	return targets, nil
}

// install makes an entry ready that may be started: its install scripts run, and it has a folder to work in.
func (w warehouse) install(ctx context.Context, e config.Entry) error {
	if e.Err() != nil {
		return nil
	}
	if e.Package.Scripted {
		if err := w.store.RunScripts(ctx, *e.Package); err != nil {
			return fmt.Errorf("running install scripts of %w", err)
		}
	}
	if dir := e.Server.Stdio.Dir; filepath.Dir(dir) == e.Package.Folder {
		return os.MkdirAll(dir, 0o700)
	}
	return nil
}

func (w warehouse) fetch(ctx context.Context, ref packages.Ref) (packages.Package, error) {
	p := w.fleet.process
	fetched, err := w.store.Fetch(ctx, ref, func(exact packages.Ref) { p.Note("fetching %s", exact) })
	if err != nil {
		return packages.Package{}, err
	}
	if w.fleet.contact.AllowScripts {
		fetched = w.store.WithScripts(fetched)
	} else if len(fetched.Scripts) > 0 {
		p.Detail("%s: install scripts did not run: %s", report.Visible(ref.String()), report.Visible(strings.Join(fetched.Scripts, ", ")))
	}
	if _, err := w.store.Prune(storeLimit, time.Now().Add(-storeLately)); err != nil {
		p.Note("the store of packages could not be cleared up: %v", err)
	}
	return fetched, nil
}

// given are the names of the variables that a server over stdio is started with; nil when it gets all of mcpctl's own.
func given(s probe.Server, o probe.Options) []string {
	if s.Stdio == nil || o.InheritEnv {
		return nil
	}
	return slices.AppendSeq([]string{}, maps.Keys(s.Stdio.Env))
}

// lacks says what a failed server was not given: variables of its package, install scripts; or empty.
func (t Target) lacks(f *Fleet, p *packages.Package) (unrun string) {
	if p == nil {
		return ""
	}
	if fetched := t.fetched; fetched != nil && !fetched.Scripted && len(fetched.Scripts) > 0 {
		unrun = "its install scripts did not run (" + strings.Join(fetched.Scripts, ", ") + "): run them with --allow-scripts"
	}
	var missing []string
	for _, name := range append(p.NeedsBy(filepath.Join(f.process.Dir, "server.json")), p.Needs...) {
		inherited := f.options.InheritEnv && slices.ContainsFunc(f.process.Environ, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		if t.server.Stdio.Env[name] == "" && !inherited && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return unrun
	}
	return "by its server.json it needs " + strings.Join(missing, ", ") + ": give it with --env " + missing[0] + "=… or in the configuration"
}

// Package is what a target starts a server from in an environment, as installed now; nil when it is none, or not known.
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
