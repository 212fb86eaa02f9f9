package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
)

// reportFile is a file that a run writes beside its answer, and its format.
type reportFile struct{ format, path string }

// reportFiles is the value of --report, which may be given several times.
type reportFiles []reportFile

// Set reads "sarif=out.sarif".
func (all *reportFiles) Set(text string) error {
	format, path, ok := strings.Cut(text, "=")
	switch {
	case !ok || path == "":
		return fmt.Errorf("%q is not a format and a file such as sarif=out.sarif", text)
	case !slices.Contains(report.Formats(), format):
		return fmt.Errorf("there is no format %q%s: %s exist", format, match.DidYouMean(format, report.Formats()), strings.Join(report.Formats(), ", "))
	case slices.ContainsFunc(*all, func(f reportFile) bool { return f.path == path }):
		return fmt.Errorf("%s is named twice", path)
	}
	*all = append(*all, reportFile{format, path})
	return nil
}

// String is the value as it would be typed.
func (all *reportFiles) String() string {
	if all == nil {
		return ""
	}
	var words []string
	for _, f := range *all {
		words = append(words, f.format+"="+f.path)
	}
	return strings.Join(words, " ")
}

// reportFlags choose what is written beside the answer.
func (inv *invocation) reportFlags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "report", Usage: "write the same report as `FORMAT=FILE` too (repeatable)", Value: &inv.reports, TakesFile: true},
	}
}

// checkReports finds files that cannot be written before any server is contacted for nothing.
func (inv *invocation) checkReports() error {
	for _, f := range inv.reports {
		if f.path == inv.output {
			return exit.Usagef("--report and --output both name %s", f.path)
		}
		if err := inv.checkFile("--report "+f.format+"=", f.path); err != nil {
			return err
		}
	}
	return nil
}

// writeReports writes the files of --report, each whole or not at all. A file that fails keeps no other from being written.
func (inv *invocation) writeReports(r *report.Report, o report.Options) error {
	o.Width, o.Color = 0, false
	var errs []error
	for _, f := range inv.reports {
		var out bytes.Buffer
		err := report.Write(&out, f.format, r, o)
		if err == nil {
			err = files.WriteOutput(inv.Dir, f.path, out.Bytes())
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("writing --report %s=%s: %w", f.format, f.path, err))
		}
	}
	return errors.Join(errs...)
}

// summaryLimit is how many bytes GitHub takes in the summary of a step.
const summaryLimit = 1 << 20

// writeStepSummary adds a comment on the run to the file that GitHub Actions shows on the page of the job, when one of the
// formats is github.
func (inv *invocation) writeStepSummary(format string, r *report.Report, o report.Options) error {
	path, _ := inv.Lookup("GITHUB_STEP_SUMMARY")
	if path == "" || format != "github" && !slices.ContainsFunc(inv.reports, func(f reportFile) bool { return f.format == "github" }) {
		return nil
	}
	o.Limit = summaryLimit
	var out bytes.Buffer
	if err := report.Write(&out, "markdown", r, o); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("writing the summary of the step (GITHUB_STEP_SUMMARY): %w", err)
	}
	_, err = file.Write(append(out.Bytes(), '\n'))
	return errors.Join(err, file.Close())
}
