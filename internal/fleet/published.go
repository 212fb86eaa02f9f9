package fleet

import (
	"context"
	"os"
	"path/filepath"
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
func PackageStore(p host.Process) (packages.Store, error) {
	folder, err := p.CacheDir()
	return packages.Store{Folder: filepath.Join(folder, "packages"), Env: p.Environ}, err
}

// publishedTarget is the server in the package that a SOURCE names, if the project allows it and somebody agrees to it. Fetching
// comes first, so that it is known what is agreed to; none of what is in the package runs before.
func (f *Fleet) publishedTarget(ctx context.Context, s source.Source) (Target, error) {
	entry, err := f.fetch(ctx, s)
	if err != nil {
		return Target{}, err
	}
	if refusal := f.Config.Project.Allow.Refusal(entry.Server.Name); refusal != nil {
		return misconfigured(entry.Server.Name, entry.Server.Source, []config.Problem{*refusal}), nil
	}
	entries := []config.Entry{entry}
	if err := f.gate.Ask(ctx, f.Config, entries); err != nil {
		return Target{}, err
	}
	return targetOf(f.gate.Guard(f.Config, entries)[0]), nil
}

func (f *Fleet) fetch(ctx context.Context, s source.Source) (config.Entry, error) {
	ref, _, err := packages.Parse(s.Word)
	if err != nil {
		return config.Entry{}, exit.Misuse(err)
	}
	store, err := PackageStore(f.process)
	if err != nil {
		return config.Entry{}, exit.Misuse(err)
	}
	fetched, err := store.Fetch(ctx, ref, func(exact packages.Ref) { f.process.Note("fetching %s", exact) })
	if err != nil {
		return config.Entry{}, err
	}
	if scripts := fetched.Scripts(); len(scripts) > 0 {
		f.process.Detail("%s: install scripts did not run: %s", report.Visible(ref.String()), report.Visible(strings.Join(scripts, ", ")))
	}
	if _, err := store.Prune(storeLimit, time.Now().Add(-storeLately)); err != nil {
		f.process.Note("the store of packages could not be cleared up: %v", err)
	}
	work := filepath.Join(fetched.Folder, "work")
	return config.FromPackage(fetched, work, s.Args), os.MkdirAll(work, 0o700)
}
