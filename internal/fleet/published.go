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

// fetchPackages fetches the packages that SOURCEs name. None of what is in them runs: the gate is still to come.
func (f *Fleet) fetchPackages(ctx context.Context, from []source.Source) error {
	for _, s := range from {
		if s.Kind != source.Package {
			continue
		}
		entry, err := f.fetch(ctx, s)
		if err != nil {
			return err
		}
		f.published[s.Word] = entry
	}
	return nil
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

// targetOfPackage is the server in a package, if the project allows it and somebody agreed to it.
func (f *Fleet) targetOfPackage(s source.Source) Target {
	if server := f.published[s.Word].Server; f.Config.Project.Allow.Refusal(server.Name) != nil {
		return misconfigured(server.Name, server.Source, []config.Problem{*f.Config.Project.Allow.Refusal(server.Name)})
	}
	return targetOf(f.gate.Guard(f.Config, []config.Entry{f.published[s.Word]})[0])
}
