// Package report turns what a command found into bytes: a table for people, JSON and YAML for programs, and
// what CI reads.
//
// A command fills one Report and gives it to Emit, which writes it to the terminal or a file, to files beside
// it and to the summary of a CI job, as Output says; Write writes one format. docs/report.schema.json
// describes the JSON form; every other format is a view of the same value. No text that comes from elsewhere
// is printed as it is: the page, the text type, the markup and the JSON encoder are the only ways out, and
// each escapes on the way.
package report

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Report is everything one run of one command has to say.
type Report struct {
	Mcpctl  int    `json:"mcpctl"`  // version of this form; Write sets it
	Command string `json:"command"` // in titles: "list", "show", "snapshot", "diff", "config", …
	Kind    Kind   `json:"-"`       // what sets the document apart
	Status  int    `json:"status"`  // exit status of the run
	// Status in one word; empty = exit.VerdictOf(Status), set by Write
	Verdict exit.Verdict `json:"verdict"`
	Servers []Server     `json:"servers"` // in configuration order
	// nil = the command does not judge; empty = nothing found
	Findings seen.Findings `json:"findings,omitzero"`
	// the findings by their causes, the worst first; Write sets it
	Groups []finding.Group `json:"groups,omitempty"`
	// from this level on a finding fails the run; empty = breaking
	FailOn finding.Threshold `json:"failOn,omitempty"`
	// rules: the catalogue, or the rules that were asked for
	Rules []finding.Rule `json:"rules,omitempty"`
	// config --discover: the files of applications that were looked at
	Files []config.File `json:"files,omitempty"`
	// what is wrong but belongs to no server, such as an unreadable file
	Problems []string     `json:"problems,omitempty"`
	Summary  seen.Summary `json:"summary"` // how many of what; Write sets it
	// of a run over a part of the servers; nil = it was over all that were chosen
	Shard *seen.Shard `json:"shard,omitempty"`
}

// meaning returns why the exit status of a report is not 0.
func (r *Report) meaning() string {
	failing := kit.Filter(r.Findings, r.failing())
	untolerated := kit.Filter(r.Servers, func(s Server) bool { return s.Tolerated == nil })
	breaking, asked := seen.Summarize(failing, nil).Breaking, seen.Summarize(nil, seenOf(untolerated))
	switch {
	case r.Status == 1 && r.Kind.results:
		return kit.Counted(len(failing), "result") + " not as recorded or expected"
	case r.Status == 1 && r.Kind.oneSide && breaking == 0:
		return "check fails on " + string(cmp.Or(r.FailOn, finding.FailOnWarning)) +
			"; --fail-on breaking to allow"
	case r.Status == 1 && r.Kind.changes && breaking > 0:
		says := kit.Counted(breaking, "breaking change") + " found"
		if unknown := seen.Summarize(r.Findings, nil).Unknown; unknown > 0 {
			says += fmt.Sprintf(", %d undecided", unknown)
		}
		return says
	case r.Status == 1 && len(failing) > 0: // those of watch are not part of the report
		return kit.Counted(len(failing), "finding") + " at or above the threshold"
	case r.Status == 3 && asked.Failed > 0: // else a problem of the run, or a server that is stale
		return "incomplete: " + asked.Incomplete(len(r.Servers))
	}
	return exit.VerdictOf(r.Status).Meaning()
}

// Options are the ways to write a report. The zero value writes plain text of unlimited width.
type Options struct {
	Width  int  // columns to wrap at; 0 = unlimited
	Whole  bool // whether no text or list is shortened, as in a pipe
	Color  bool // whether to colour
	Items  bool // table of list: a row per item even when there are several servers
	Fleet  bool // table of list: a row per server, unless Items is set
	Raw    bool // table of show: the raw JSON of every item as well
	Chosen bool // show: items were chosen, so that nothing is said about their server
	AdHoc  bool // show: the server has no name in the configuration, and takes the only marks of a file

	Sort    string         // table of list: order of items: "tokens", "name", or empty = as sent
	Pattern *regexp.Regexp // table of list: only the lines of items that match, with their places

	History bool // table of diff: a row for each release of one package, unless Verbose is set
	// table of diff: a row for each configured package and its newest version, unless there is only one
	Upgrades bool
	Verbose  bool // table of diff and check: every finding with its pointer and its values as they stand

	Waived bool // those that people read: findings that are waived as well

	Nothing string // table of trust: what it says of no server; empty = none needs trust

	Run Repeat // what advised commands repeat

	// markdown: the most bytes it may have; 0 = as many as GitHub takes in a comment
	Limit   int
	Version string // sarif: version of the program that writes
}

// Fails reports whether a finding makes the run fail.
func (r *Report) Fails() bool { return slices.ContainsFunc(r.Findings, r.failing()) }

// failing returns a function that reports whether a finding fails the run. The threshold of the server comes
// before that of the report; without either it is breaking.
func (r *Report) failing() func(finding.Finding) bool {
	own := map[string]finding.Threshold{}
	for i := range r.Servers {
		own[r.Servers[i].Name] = r.Servers[i].FailOn
	}
	return func(f finding.Finding) bool {
		return cmp.Or(own[f.Server], r.FailOn, finding.FailOnBreaking).FailsOn(f)
	}
}

// formats returns the formats: how each is written, and how it spells out orders to a runner.
func formats() map[string]formatWriter {
	return map[string]formatWriter{
		"github":   {write: writeGitHub},
		"gitlab":   {write: writeGitLab},
		"html":     {writeHTML, printable.References},
		"json":     {write: writeJSON},
		"junit":    {writeJUnit, printable.References},
		"markdown": {writeMarkdown, printable.References},
		"sarif":    {write: writeSARIF},
		"table":    {writeTable, printable.SpelledOut},
		"yaml":     {writeYAML, printable.SpelledOut},
	}
}

type formatWriter struct {
	write func(io.Writer, *Report, Options) error
	printable.Spelling
}

// Formats returns the names that Write knows, sorted.
func Formats() []string { return kit.SortedKeys(formats()) }

// Write writes r in a format of Formats. The report itself is not changed.
func Write(w io.Writer, format string, r *Report, o Options) error {
	if err := checkFormat(format, Formats()); err != nil {
		return err
	}
	f := formats()[format]
	if f.Spelling != (printable.Spelling{}) {
		w = printable.Guard(w, f.Spelling)
	}
	if err := f.write(w, r.complete(), o); err != nil {
		return fmt.Errorf("writing the report as %s: %w", format, err)
	}
	return nil
}

// writeTable writes the view of a command that people read.
func writeTable(w io.Writer, r *Report, o Options) error {
	p := &page{Options: o}
	r.Kind.write(p, r)
	p.gap()
	for _, problem := range r.Problems {
		p.text(0, 2, span{problem, red})
	}
	if r.Shard != nil {
		p.below(span{r.Shard.String() + " of the configured servers; mcpctl merge adds the rules " +
			"about all of them", dim})
	}
	_, err := io.WriteString(w, strings.TrimRight(p.String(), "\n")+"\n")
	return err
}

// complete returns a copy of r in which everything that follows from the rest is filled in.
func (r *Report) complete() *Report {
	full := *r
	full.Mcpctl = seen.FormVersion
	full.Verdict = cmp.Or(r.Verdict, exit.VerdictOf(r.Status))
	full.Summary, full.Groups = seen.Summarize(r.Findings, seenOf(r.Servers)), finding.Groups(r.Findings)
	if full.Servers == nil {
		full.Servers = []Server{}
	}
	if r.Shard != nil {
		shard := *r.Shard
		shard.Findings = seen.FindingsDigest(r.Findings, seenOf(r.Servers))
		full.Shard = &shard
	}
	return &full
}

// ruleNamed returns the rule of an id, or one that says nothing.
func ruleNamed(id string) finding.Rule {
	all := seen.AllRules()
	if i := slices.IndexFunc(all, func(known finding.Rule) bool { return known.ID == id }); i >= 0 {
		return all[i]
	}
	return finding.Rule{ID: id, Title: id}
}
