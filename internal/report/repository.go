package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ciFormats are read by services that show a finding at a line of a file, with the path from the repository's
// root. GitHub refuses a whole SARIF file if one result has no file.
var ciFormats = []string{"sarif", "gitlab", "github"}

// repository is where files are seen from in CI. The zero value leaves every place as it is.
type repository struct {
	root, dir string // of the repository and of the run, absolute, links resolved
	fallback  string // the file of findings that belong to none
}

// repositoryOf returns the repository of a run: as the CI service names it, else as git has it.
func repositoryOf(p host.Process) repository {
	dir := files.RealPath(p.Dir)
	root := files.RealPath(files.ProjectRoot(p.Dir))
	for _, variable := range []string{"GITHUB_WORKSPACE", "CI_PROJECT_DIR"} {
		if named, _ := p.Lookup(variable); named != "" && files.Below(dir, files.RealPath(named)) {
			root = files.RealPath(named)
		}
	}
	fallback := "README.md"
	for _, name := range []string{"README.md", ".mcp.json", "mcpctl.yaml"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			fallback = name
		}
	}
	return repository{root, dir, fallback}
}

// place returns a location with its path relative to the root, with slashes, and a file in any case.
func (r repository) place(at finding.Location) finding.Location {
	if r.root == "" {
		return at
	}
	if at.File == "" {
		at = finding.Location{File: r.fallback, Line: 1}
	}
	if inside, err := filepath.Rel(r.root, files.RealPath(files.From(r.dir, at.File))); err == nil &&
		filepath.IsLocal(inside) {
		at.File = filepath.ToSlash(inside)
	}
	at.Line = max(at.Line, 1)
	return at
}

// seenFrom returns the report with every place as a repository has it.
func (r *reported) seenFrom(repo repository) *reported {
	seen := *r
	seen.Servers, seen.Findings = slices.Clone(r.Servers), slices.Clone(r.Findings)
	servers := r.roster()
	for i, f := range seen.Findings {
		at := repo.place(servers.place(f))
		seen.Findings[i].Location = &at
	}
	for i, s := range seen.Servers {
		at := repo.place(s.place())
		seen.Servers[i].Base, seen.Servers[i].Source = "", fmt.Sprintf("%s:%d", at.File, at.Line)
	}
	return &seen
}

// located returns the findings with their line in the saved snapshot or the file that was looked at, where
// there is one. It holds one file at a time: findings of one server follow each other.
func (r *reported) located() seen.Findings {
	paths := map[string][]string{} // that findings may point into, by name of the server
	for _, s := range r.Servers {
		// the best first: the tree's file of the old side, that itself, the new side
		own := []string{s.BaseFile, s.Base}
		if s.Transport == "" {
			own = append(own, s.Source)
		}
		paths[s.Name] = append(own, paths[s.Name]...)
	}
	findings := slices.Clone(r.Findings)
	server, file, lines := "", "", (*snapshot.Lines)(nil)
	for i, f := range findings {
		if f.Location != nil {
			continue
		}
		if f.Server != server {
			server, lines = f.Server, nil
			for _, path := range paths[server] {
				if data, err := files.ReadRegular(path, maxFile); err == nil {
					file, lines = path, snapshot.NewLines(data, server)
					break
				}
			}
		}
		if lines != nil {
			findings[i].Location = &finding.Location{File: file, Line: lines.Of(f.Item, f.Pointer())}
		}
	}
	return findings
}

// maxFile bounds a file that findings point into, in bytes.
const maxFile = 256 << 20
