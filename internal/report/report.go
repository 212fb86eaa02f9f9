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
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Report is everything one run of one command has to say.
type Report struct {
	Command  string       // in titles: "list", "show", "snapshot", "diff", "config", …
	Status   int          // exit status of the run
	Verdict  exit.Verdict // Status in one word; empty = exit.VerdictOf(Status)
	Problems []string     // what is wrong but belongs to no server, such as an unreadable file
	Body     Body         // what only documents of its kind say
}

// Seen returns what was seen of the servers of a report.
func (r *Report) Seen() []seen.Server { return seenOf(r.Body.shown()) }

// Assessed returns the findings of a report, nil if it judges nothing, and their threshold.
func (r *Report) Assessed() (j Assessed) {
	if b, is := r.Body.(interface{ judging() *Assessed }); is {
		return *b.judging()
	}
	if b, is := r.Body.(interface{ found() *seen.Findings }); is {
		j.Findings = *b.found()
	}
	return j
}

// Shard returns the shard that a report is over, nil if there is none.
func (r *Report) Shard() *seen.Shard {
	if b, is := r.Body.(interface{ sharded() *Sharded }); is {
		return b.sharded().Shard
	}
	return nil
}

// Join returns the report of all shards in an empty body: their servers in an order of names, their problems,
// and the findings of all.
func Join(shards []*Report, body Body, findings seen.Findings, order func(a, b string) int) *Report {
	r := &Report{Command: shards[0].Command, Body: body}
	for _, shard := range shards {
		r.Problems = append(r.Problems, shard.Problems...)
	}
	body.join(kit.Map(shards, func(shard *Report) Body { return shard.Body }), order)
	if b, is := body.(interface{ judging() *Assessed }); is {
		b.judging().Findings, b.judging().FailOn = findings, shards[0].Assessed().FailOn
	}
	if b, is := body.(*Listing); is {
		b.Fleet = true
	}
	return r
}

// reported is a report as formats take it, with what follows from it.
type reported struct {
	Report
	Assessed
	Servers []server // in configuration order
	Shard   *seen.Shard
	Groups  []finding.Group // the findings by their causes, the worst first
	Summary seen.Summary    // how many of what
}

// meaning returns why the exit status of a report is not 0.
func (r *reported) meaning() string {
	failing := kit.Filter(r.Findings, r.failing())
	untolerated := kit.Filter(r.Servers, func(s server) bool { return s.Tolerated == nil })
	breaking, asked := seen.Summarize(failing, nil).Breaking, seen.Summarize(nil, seenOf(untolerated))
	if r.Status == exit.Findings {
		switch r.Body.(type) {
		case *Replay:
			return kit.Counted(len(failing), "result") + " not as recorded or expected"
		case *Check:
			if breaking == 0 {
				return "check fails on " + string(cmp.Or(r.FailOn, finding.FailOnWarning)) +
					"; --fail-on breaking to allow"
			}
		case *Diff:
			if breaking > 0 {
				found := kit.Counted(breaking, "breaking change") + " found"
				return kit.Join(", ", found, undecided(r.Findings))
			}
		}
	}
	switch {
	case r.Status == 1 && len(failing) > 0: // those of watch are not part of the report
		return kit.Counted(len(failing), "finding") + " at or above the threshold"
	case r.Status == 3 && asked.Failed > 0: // else a problem of the run, or a server that is stale
		return "incomplete: " + asked.Incomplete(len(r.Servers))
	}
	return exit.VerdictOf(r.Status).Meaning()
}

// undecided returns how many findings could not be decided, nothing for none.
func undecided(found seen.Findings) string {
	if unknown := seen.Summarize(found, nil).Unknown; unknown > 0 {
		return fmt.Sprintf("%d undecided", unknown)
	}
	return ""
}

// Options are the ways to write a report. The zero value writes plain text of unlimited width.
type Options struct {
	Width   int  // columns to wrap at; 0 = unlimited
	Whole   bool // whether no text or list is shortened, as in a pipe
	Color   bool // whether to colour
	Verbose bool // table of diff and check: every finding with its pointer and its values as they stand

	Waived bool // those that people read: findings that are waived as well

	Run Repeat // what advised commands repeat

	// markdown: the most bytes it may have; 0 = as many as GitHub takes in a comment
	Limit   int
	Version string // sarif: version of the program that writes
}

// Fails reports whether a finding makes the run fail.
func (r *Report) Fails() bool {
	full := r.taken()
	return slices.ContainsFunc(full.Findings, full.failing())
}

// failing returns a function that reports whether a finding fails the run. The threshold of the server comes
// before that of the report; without either it is breaking.
func (r *reported) failing() func(finding.Finding) bool {
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
	write func(io.Writer, *reported, Options) error
	printable.Spelling
}

// Formats returns the names that Write knows, sorted.
func Formats() []string { return kit.SortedKeys(formats()) }

// Write writes r in a format of Formats. The report itself is not changed.
func Write(w io.Writer, format string, r *Report, o Options) error {
	return r.complete().write(w, format, o)
}

func (r *reported) write(w io.Writer, format string, o Options) error {
	if err := checkFormat(format, Formats()); err != nil {
		return err
	}
	f := formats()[format]
	if f.Spelling != (printable.Spelling{}) {
		w = printable.Guard(w, f.Spelling)
	}
	if err := f.write(w, r, o); err != nil {
		return fmt.Errorf("writing the report as %s: %w", format, err)
	}
	return nil
}

// writeTable writes the view of a command that people read.
func writeTable(w io.Writer, r *reported, o Options) error {
	p := &page{Options: o}
	r.Body.table(p, r)
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

// taken returns a report with what its body holds.
func (r *Report) taken() *reported {
	return &reported{Report: *r, Assessed: r.Assessed(), Servers: r.Body.shown(), Shard: r.Shard()}
}

// complete returns a report with everything that follows from it.
func (r *Report) complete() *reported {
	full := r.taken()
	full.Verdict = cmp.Or(r.Verdict, exit.VerdictOf(r.Status))
	all := seenOf(full.Servers)
	full.Summary, full.Groups = seen.Summarize(full.Findings, all), finding.Groups(full.Findings)
	if full.Shard != nil {
		shard := *full.Shard
		shard.Findings = seen.FindingsDigest(full.Findings, all)
		full.Shard = &shard
	}
	return full
}

// ruleNamed returns the rule of an id, or one that says nothing.
func ruleNamed(id string) finding.Rule {
	all := seen.AllRules()
	if i := slices.IndexFunc(all, func(known finding.Rule) bool { return known.ID == id }); i >= 0 {
		return all[i]
	}
	return finding.Rule{ID: id, Title: id}
}
