package report

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// located returns the findings with their line in the saved snapshot or the file that was looked at, where
// there is one. It holds one file at a time: findings of one server follow each other.
func located(r *Report) Findings {
	paths := map[string][]string{} // that findings may point into, by name of the server
	for _, s := range r.Servers {
		paths[s.Name] = append(filesOf(s), paths[s.Name]...)
	}
	findings, server, at := slices.Clone(r.Findings), "", snapshotLines{}
	for i, f := range findings {
		if f.Location != nil {
			continue
		}
		if f.Server != server {
			server, at = f.Server, snapshotLinesOf(f.Server, paths[f.Server])
		}
		findings[i].Location = at.of(f)
	}
	return findings
}

// snapshotLines are those of the file that findings of one server point into; the zero value has none.
type snapshotLines struct {
	path string
	*snapshot.Lines
}

// snapshotLinesOf returns the lines of the first file that can be read.
func snapshotLinesOf(server string, paths []string) snapshotLines {
	for _, path := range paths {
		if data, err := files.ReadRegular(path, maxFile); err == nil {
			return snapshotLines{path, snapshot.NewLines(data, server)}
		}
	}
	return snapshotLines{}
}

func (l snapshotLines) of(f finding.Finding) *finding.Location {
	if l.Lines == nil {
		return nil
	}
	return &finding.Location{File: l.path, Line: l.Of(f.Item, f.Pointer())}
}

// filesOf returns what findings may point into, the best first: the tree's file of the old side, that
// itself, the new side.
func filesOf(s Server) []string {
	paths := []string{s.BaseFile, s.Base}
	if s.Transport == "" {
		paths = append(paths, s.Source)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// maxFile bounds a file that findings point into, in bytes.
const maxFile = 256 << 20
