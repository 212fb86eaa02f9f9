package report

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// Output says where the report of a command goes, and in which format. Emit and WriteOutput write it there;
// Options say how a format shows it.
type Output struct {
	// Format is one of Formats; empty = a table, which in a pipe or a file has neither colour nor a limit of
	// its width.
	Format  string
	Formats []string     // those that the command has; nil = all of Formats
	File    string       // where the answer goes; empty = standard output
	Ending  string       // the format that the ending of File is for, if a table is written to it
	Reports []OutputFile // files that are written beside the answer
	Color   string       // "auto", "always" or "never"; empty = auto

	ExitZero bool // exit 0 even if there are findings or failed servers
}

// OutputFile is a file that a run writes beside its answer, and its format.
type OutputFile struct{ Format, Path string }

// ParseOutputFile reads FORMAT=PATH, such as "sarif=out.sarif".
func ParseOutputFile(text string) (OutputFile, error) {
	format, path, ok := strings.Cut(text, "=")
	if !ok || path == "" {
		return OutputFile{}, fmt.Errorf("%q is not FORMAT=FILE, such as sarif=out.sarif", text)
	}
	return OutputFile{format, path}, checkFormat(format, Formats())
}

func checkFormat(format string, all []string) error {
	if !slices.Contains(all, format) {
		return fmt.Errorf("unknown format %q%s: use one of %s", format, kit.DidYouMean(format, all),
			strings.Join(all, ", "))
	}
	return nil
}

// Check finds mistakes, and files that cannot be written, before any server is contacted for nothing.
func (o Output) Check(p host.Process) error {
	if err := o.checkFormats(); err != nil {
		return exit.Misuse(err)
	}
	if err := o.CheckColor(); err != nil {
		return err
	}
	if err := checkPath(p, "--output ", o.File); err != nil {
		return err
	}
	taken := map[string]bool{filepath.Clean(o.File): o.File != ""}
	for _, f := range o.Reports {
		if taken[filepath.Clean(f.Path)] {
			return exit.Usagef(
				"%s is named twice: each --report, and --output, writes a file of its own", f.Path)
		}
		taken[filepath.Clean(f.Path)] = true
		if err := checkPath(p, "--report "+f.Format+"=", f.Path); err != nil {
			return err
		}
	}
	return nil
}

// checkFormats finds formats that the command does not have.
func (o Output) checkFormats() error {
	asked := []string{o.format()}
	for _, f := range o.Reports {
		asked = append(asked, f.Format)
	}
	all := Formats()
	if o.Formats != nil {
		all = o.Formats
	}
	for _, format := range asked {
		if slices.Contains(Formats(), format) && !slices.Contains(all, format) {
			return fmt.Errorf("this command does not write %s: use one of %s", format,
				strings.Join(all, ", "))
		}
		if err := checkFormat(format, all); err != nil {
			return err
		}
	}
	return nil
}

// CheckFile finds a mistake in File alone, for commands that have formats of their own.
func (o Output) CheckFile(p host.Process) error { return checkPath(p, "--output ", o.File) }

// CheckColor finds a mistake in Color alone.
func (o Output) CheckColor() error {
	if !slices.Contains([]string{"", "auto", "always", "never"}, o.Color) {
		return exit.Usagef("--color is auto, always or never, not %q", o.Color)
	}
	return nil
}

// checkPath finds a file that cannot be written; flag is what stands before it on the command line.
func checkPath(p host.Process, flag, path string) error {
	if path == "" {
		return nil
	}
	if err := files.CheckOutput(p.Dir, path); err != nil {
		return exit.Usagef("%s%w", flag, err)
	}
	return nil
}

// Colored reports whether to use colours: on request, or on a terminal unless NO_COLOR is set
// (https://no-color.org).
func (o Output) Colored(p host.Process) bool {
	switch o.Color {
	case "always":
		return true
	case "never":
		return false
	}
	no, _ := p.Lookup("NO_COLOR")
	term, _ := p.Lookup("TERM")
	return o.File == "" && host.IsTerminal(p.Out) && no == "" && term != "dumb"
}

// IsTable reports whether the answer is text for people on standard output.
func (o Output) IsTable() bool { return o.format() == "table" && o.File == "" }

func (o Output) format() string { return cmp.Or(o.Format, "table") }

// Emit writes the report everywhere that o says, explains on standard error a status that is not 0 unless a
// person sees the table, and returns the report's status as the command's error.
func Emit(ctx context.Context, p host.Process, o Output, r *Report, view Options) error {
	if b, is := r.Body.(interface{ judging() *Assessed }); is { // what was accepted is no longer there
		late, done := host.ForLastPages(ctx)
		defer done()
		findings, err := host.AwaitFor(late, 0,
			func() (seen.Findings, error) { return r.taken().located(), nil })
		if err != nil {
			return err
		}
		b.judging().Findings = findings
	}
	if interrupted, ok := errors.AsType[exit.Interrupted](context.Cause(ctx)); ok {
		r.Status = interrupted.Status()
	}
	if err := WriteOutput(ctx, p, o, r, view); err != nil {
		return err
	}
	PrintStatus(p, o, r, view)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if o.ExitZero {
		return nil
	}
	return exit.Reported(r.Status)
}

// WriteOutput writes the report everywhere that o says, and to the summary of a GitHub Actions job when one
// of the formats is github. A file that cannot be written keeps no other from being written.
func WriteOutput(ctx context.Context, p host.Process, o Output, r *Report, view Options) error {
	late, done := host.ForLastPages(ctx)
	defer done()
	view.Version, view.Verbose = p.Version, p.Verbose
	content := func(format string, view Options) files.Content {
		return func(w io.Writer) error {
			_, err := host.AwaitFor(late, 0, func() (any, error) {
				all := r.complete()
				if slices.Contains(ciFormats, format) {
					all = all.seenFrom(repositoryOf(p))
				}
				return nil, all.write(w, format, view)
			})
			return err
		}
	}
	answer := view
	answer.Color = o.Colored(p)
	if o.IsTable() {
		answer.Width, answer.Whole = widthFor(p)
	}
	documented, err := false, error(nil)
	if b, is := r.Body.(*Show); is {
		documented, err = b.writeDocs(ctx, p, o)
	}
	if !documented {
		err = o.answer(ctx, p, content(o.format(), answer))
	}
	errs := []error{err}
	github := o.format() == "github"
	for _, f := range o.Reports {
		github = github || f.Format == "github"
		if err := files.WriteOutput(ctx, p.Dir, f.Path, content(f.Format, view)); err != nil {
			errs = append(errs, fmt.Errorf("writing --report %s=%s: %w", f.Format, f.Path, err))
		}
	}
	if path, _ := p.Lookup("GITHUB_STEP_SUMMARY"); path != "" && github {
		errs = append(errs, writeStepSummary(p, path, func(room int) files.Content {
			short := view
			short.Limit = room
			return content("markdown", short)
		}))
	}
	return errors.Join(errs...)
}

// widthFor returns the columns to wrap a table at: those of a terminal, which shows long texts in part, else
// COLUMNS, at which whole texts are wrapped.
func widthFor(p host.Process) (columns int, whole bool) {
	if columns = host.Width(p.Out); columns > 0 {
		return columns, false
	}
	text, _ := p.Lookup("COLUMNS")
	columns, err := strconv.Atoi(text)
	if err != nil || columns < 0 {
		return 0, true
	}
	return columns, true
}

// Bytes puts an answer where File says, or on standard output.
func (o Output) Bytes(ctx context.Context, p host.Process, data []byte) error {
	return o.answer(ctx, p, files.Bytes(data))
}

// answer writes to the file that --output names, or to standard output without one.
func (o Output) answer(ctx context.Context, p host.Process, content files.Content) error {
	if o.File == "" {
		return content(p.Out)
	}
	if err := files.WriteOutput(ctx, p.Dir, o.File, content); err != nil {
		return fmt.Errorf("writing --output %s: %w", o.File, err)
	}
	if o.Ending != "" {
		p.Note("%s got a table: for its ending, add --format %s", o.File, o.Ending)
	}
	return nil
}

// summaryLimit is how many bytes GitHub takes in the summary of a step; it drops all of a larger one.
const summaryLimit = 1 << 20

// writeStepSummary appends to the summary of a step what fits beside that which other commands of the step
// wrote. content returns a report of at most so many bytes, which says what it leaves out.
func writeStepSummary(p host.Process, path string, content func(room int) files.Content) error {
	room := summaryLimit - 1 // for the line break
	if info, err := os.Stat(path); err == nil {
		room -= int(min(info.Size(), summaryLimit))
	}
	var out bytes.Buffer
	if err := content(max(room, 1))(&out); err != nil {
		return err
	}
	if out.Len() > room {
		p.Note("the summary of the step has no room left (1,024 KiB): this report is not in it")
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("writing the summary of the step (GITHUB_STEP_SUMMARY): %w", err)
	}
	_, err = file.Write(append(out.Bytes(), '\n'))
	return errors.Join(err, file.Close())
}

// PrintStatus explains on standard error a status that is not 0, and failed servers. A person who sees the
// table reads all of it there; beside a table that goes elsewhere one line says that there is something to
// read, and beside other formats each error is written with its hint.
func PrintStatus(p host.Process, o Output, of *Report, view Options) {
	if o.IsTable() && (host.IsTerminal(p.Out) || host.SameFile(p.Out, p.Err)) {
		return
	}
	r, print := of.taken(), p.Reason
	if r.Status == exit.OK {
		print = p.Note
	}
	sum := seen.Summarize(nil, seenOf(r.Servers))
	explained := sum.Failed > 0
	switch {
	case !o.IsTable():
		for _, note := range failureNotes(r.Servers, p.Verbose) {
			if r.Status != exit.OK || !p.Quiet {
				fmt.Fprintln(p.Err, Message(note, host.Width(p.Err)))
			}
		}
		for _, problem := range r.Problems {
			print("%s", printable.Message(problem))
		}
		explained = len(r.Problems) > 0 || slices.ContainsFunc(r.Servers,
			func(s server) bool { return s.Error != nil && s.Tolerated == nil })
	case sum.Failed > 0:
		print("%s", sum.Incomplete(len(r.Servers)))
	}
	switch {
	case r.Status == exit.NoBaseline:
		_, advice := view.Run.unsaved(r.Servers)
		print("exit status %d: %s: %s", r.Status, r.meaning(), printable.Message(advice))
	case r.Status == exit.Findings, r.Status != exit.OK && !explained:
		print("exit status %d: %s", r.Status, r.meaning())
	}
}
