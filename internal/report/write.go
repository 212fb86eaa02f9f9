package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// formats is the one place where a format is added.
func formats() map[string]func(io.Writer, *Report, Options) error {
	return map[string]func(io.Writer, *Report, Options) error{
		"github":   writeGitHub,
		"gitlab":   writeGitLab,
		"html":     writeHTML,
		"json":     writeJSON,
		"junit":    writeJUnit,
		"markdown": writeMarkdown,
		"sarif":    writeSARIF,
		"table":    writeTable,
		"yaml":     writeYAML,
	}
}

// Formats are the names that Write knows, sorted.
func Formats() []string { return slices.Sorted(maps.Keys(formats())) }

// Write writes r in a format of Formats. The report itself is not changed.
func Write(w io.Writer, format string, r *Report, o Options) error {
	write, ok := formats()[format]
	if !ok {
		return fmt.Errorf("unknown format %q: %s exist", format, strings.Join(Formats(), ", "))
	}
	if err := write(w, r.complete(), o); err != nil {
		return fmt.Errorf("writing the report as %s: %w", format, err)
	}
	return nil
}

// complete is a copy of r in which everything that follows from the rest is filled in.
func (r *Report) complete() *Report {
	full := *r
	full.Mcpctl = Version
	full.Verdict = cmp.Or(r.Verdict, VerdictOf(r.Status))
	full.Summary = Summarize(r.Findings, r.Servers)
	if full.Servers == nil {
		full.Servers = []Server{}
	}
	return &full
}
