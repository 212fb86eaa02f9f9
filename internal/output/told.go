package output

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// tellStatus is one line on standard error for each server that failed, with what to do unless the line before said so, and
// one that says what any other status means.
func tellStatus(p host.Process, r *report.Report) {
	advised, told := "", false
	for _, s := range r.Servers {
		if s.Error == nil {
			continue
		}
		advice := ""
		if hint := s.Error.Hint; hint != "" && hint != advised {
			advised, advice = hint, ": "+report.Visible(hint)
		}
		p.Note("%s: %s: %s%s%s", report.Visible(s.Name), s.Error.Stage, report.Visible(s.Error.Message), advice, toleratedNote(s))
		told = told || s.Tolerated == nil
	}
	for _, problem := range r.Problems {
		p.Note("%s", report.Visible(problem))
	}
	if told = told || len(r.Problems) > 0; r.Status == exit.Findings || r.Status == exit.NoBaseline || r.Status != exit.OK && !told {
		p.Note("exit status %d: %s", r.Status, report.Meaning(r))
	}
}

// toleratedNote says why a failure does not count.
func toleratedNote(s report.Server) string {
	switch {
	case s.Tolerated == nil:
		return ""
	case s.Tolerated.Expires == "":
		return fmt.Sprintf(" (tolerated: %s)", report.Visible(s.Tolerated.Reason))
	}
	return fmt.Sprintf(" (tolerated until %s: %s)", s.Tolerated.Expires, report.Visible(s.Tolerated.Reason))
}

// located are the findings of a report with the line of the file that each is about: the saved snapshot's, or that of the
// file that was looked at. A finding about something that is in no file is left as it is.
func located(r *report.Report) report.Findings {
	type file struct {
		path  string
		lines *snapshot.Lines
	}
	read := map[string]file{} // what could be read, by name of the server
	for _, s := range r.Servers {
		for _, path := range filesOf(s) {
			if data, err := files.ReadRegular(path, maxFile); err == nil {
				read[s.Name] = file{path, snapshot.NewLines(data, s.Name)}
				break
			}
		}
	}
	findings := slices.Clone(r.Findings)
	for i, f := range findings {
		if file, ok := read[f.Server]; ok && f.Location == nil {
			findings[i].Location = &finding.Location{File: file.path, Line: file.lines.Of(f.Item, f.Pointer())}
		}
	}
	return findings
}

// filesOf are what findings about a server may point into, the best first: the file of the tree that holds what it was compared
// with, that itself, and what it was read from. What is live is none.
func filesOf(s report.Server) []string {
	paths := []string{s.BaseFile, s.Base}
	if s.Transport == "" {
		paths = append(paths, s.Source)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// maxFile bounds a file that findings point into, in bytes.
const maxFile = 256 << 20
