package main

import (
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// advise adds to each server of a diff the version that its findings ask for.
func advise(r *report.Report, pairs []pair) {
	for i, p := range pairs {
		if p.old.snapshot == nil || p.now.snapshot == nil {
			continue
		}
		var own []finding.Finding
		for _, f := range r.Findings {
			if f.Server == p.now.Name {
				own = append(own, f)
			}
		}
		r.Servers[i].Version = finding.Advise(versionOf(p.old.snapshot), versionOf(p.now.snapshot), own)
	}
}

// versionOf is the version that a server gives itself.
func versionOf(s *snapshot.Snapshot) string { return snapshot.Item{Raw: s.Server}.Text("version") }
