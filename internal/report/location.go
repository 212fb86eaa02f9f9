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
