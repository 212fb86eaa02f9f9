package main

import (
	"os"
	"slices"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// located are the findings of a report with the line of the file that each is about: the saved snapshot's, or that of the
// file that was looked at. A finding about something that is in no file is left as it is.
func located(r *report.Report) report.Findings {
	type file struct {
		path  string
		lines *snapshot.Lines
	}
	files := map[string]file{} // what could be read, by name of the server
	for _, s := range r.Servers {
		if data := readWhole(fileOf(s)); data != nil {
			files[s.Name] = file{fileOf(s), snapshot.NewLines(data)}
		}
	}
	findings := slices.Clone(r.Findings)
	for i, f := range findings {
		if file, ok := files[f.Server]; ok && f.Location == nil {
			findings[i].Location = &finding.Location{File: file.path, Line: file.lines.Of(f.Item, f.Pointer())}
		}
	}
	return findings
}

// fileOf is the file that findings about a server point into: what it was compared with, else what it was read from.
func fileOf(s report.Server) string {
	if s.Base == "" && s.Transport == "" {
		return s.Source
	}
	return s.Base
}

// readWhole is a regular file of bearable size; nil when it is anything else.
func readWhole(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSnapshot {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}
