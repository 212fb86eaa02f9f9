package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
)

func process(t *testing.T) (_ host.Process, out, said *bytes.Buffer) {
	out, said = new(bytes.Buffer), new(bytes.Buffer)
	return host.Process{Out: out, Err: said, Dir: t.TempDir()}, out, said
}

func TestMistakesAreFoundBeforehand(t *testing.T) {
	p, _, _ := process(t)
	for name, o := range map[string]report.Output{
		"format":   {Format: "xml"},
		"color":    {Color: "sometimes"},
		"folder":   {File: filepath.Join(p.Dir, "none", "x")},
		"one file": {File: filepath.Join(p.Dir, "x"), Reports: []report.OutputFile{{Format: "json", Path: filepath.Join(p.Dir, "x")}}},
		"a folder": {Reports: []report.OutputFile{{Format: "json", Path: p.Dir}}},
		"two files": {Reports: []report.OutputFile{{Format: "json", Path: filepath.Join(p.Dir, "x")},
			{Format: "yaml", Path: filepath.Join(p.Dir, "x")}}},
	} {
		if err := o.Check(p); exit.CodeOf(err) != exit.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (report.Output{}).Check(p); err != nil {
		t.Errorf("nothing: %v", err)
	}
}

// TestEmit writes the answer, reports failures where people look, and gives the status.
func TestEmit(t *testing.T) {
	p, out, said := process(t)
	r := &report.Report{Command: "list", Status: exit.Incomplete, Body: &report.Listing{Servers: []report.Server{
		{Server: seen.Server{Name: "a", State: seen.Failed, Error: &seen.Failure{Stage: "starting", Message: "no such file"}}}}}}
	err := report.Emit(t.Context(), p, report.Output{Format: "json",
		Reports: []report.OutputFile{{Format: "yaml", Path: filepath.Join(p.Dir, "r.yaml")}}}, r, report.Options{})
	if exit.CodeOf(err) != exit.Incomplete || !json.Valid(out.Bytes()) ||
		!strings.Contains(said.String(), "error: a: starting: no such file\n") {
		t.Errorf("%v, %s, %s", err, out, said)
	}
	if text, err := os.ReadFile(filepath.Join(p.Dir, "r.yaml")); err != nil || !strings.Contains(string(text), "verdict: incomplete") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestStandardErrorIsNoCopy: beside a table in a pipe it is one line, and none of the table; beside other formats it has each
// error with its hint.
func TestStandardErrorIsNoCopy(t *testing.T) {
	one := report.DiffServer{Server: seen.Server{Name: "a", State: seen.OK}}
	two := []report.DiffServer{one, {Server: seen.Server{Name: "b", State: seen.Failed, Error: &seen.Failure{
		Stage: "starting", Message: "no such file", Hint: "install it"}}}}
	for _, r := range []*report.Report{
		{Command: "list", Status: exit.Incomplete, Body: &report.Listing{Servers: []report.Server{
			{Server: one.Server}, {Server: two[1].Server}}}},
		{Command: "diff", Status: exit.Incomplete, Body: &report.Diff{Servers: two[:1]}, Problems: []string{"part 2 of 2 is missing"}},
		{Command: "diff", Status: exit.Incomplete, Body: &report.Diff{Servers: two}, Problems: []string{"part 2 of 2 is missing"}},
	} {
		for _, format := range report.Formats() {
			p, out, said := process(t)
			_ = report.Emit(t.Context(), p, report.Output{Format: format}, r, report.Options{})
			isTable := format == "table"
			if strings.Contains(said.String(), "error: b: starting: no such file\nhint: install it\n") != (!isTable &&
				len(r.Seen()) == 2) {
				t.Errorf("%s of %s: standard error is %s", format, r.Command, said)
			}
			for line := range strings.Lines(said.String()) {
				words := strings.TrimSpace(strings.TrimPrefix(line, "mcpctl: "))
				if isTable && (line != said.String() || strings.Contains(out.String(), words) && !strings.HasSuffix(words, "failed")) {
					t.Errorf("%s: standard error is %s beside %s", r.Command, said, out)
				}
			}
		}
	}
}

// TestFailuresAreGroupedByCause: standard error once got a line for each of a thousand servers. JSON has them all.
func TestFailuresAreGroupedByCause(t *testing.T) {
	body := new(report.Listing)
	r := &report.Report{Command: "list", Status: exit.Incomplete, Body: body}
	for i := range 1000 {
		message := "no such file"
		if i%10 == 0 {
			message = "of its own " + strconv.Itoa(i)
		}
		body.Servers = append(body.Servers, report.Server{Server: seen.Server{Name: "s" + strconv.Itoa(i), State: seen.Failed,
			Error: &seen.Failure{Stage: "starting", Message: message, Hint: "mend it"}}})
	}
	for _, verbose := range []bool{false, true} {
		p, out, said := process(t)
		p.Verbose = verbose
		_ = report.Emit(t.Context(), p, report.Output{Format: "json"}, r, report.Options{})
		if got := strings.Count(out.String(), `"stage": "starting"`); got != 1000 {
			t.Errorf("JSON has %d failures", got)
		}
		lines := strings.Split(said.String(), "\n")
		switch {
		case verbose && (len(lines) != 103 || !strings.Contains(said.String(), " s999: ")):
			t.Errorf("%d lines with --verbose", len(lines))
		case !verbose && (len(lines) > 25 || !strings.HasPrefix(said.String(),
			"error: s1, s2, s3, s4, s5, s6, s7, s8 and 892 more: starting: no such file\nhint: mend it\n") ||
			!strings.Contains(said.String(), "… and 81 more failures; --verbose shows all")):
			t.Errorf("%d lines: %s", len(lines), said)
		}
	}
}

// TestInterrupted is a report of a run that a signal ended: it never passes for one that came to an end.
func TestInterrupted(t *testing.T) {
	p, out, _ := process(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(exit.Interrupted{Signal: os.Interrupt})
	err := report.Emit(ctx, p, report.Output{Format: "json"}, diffOf(0, nil), report.Options{})
	if exit.CodeOf(err) != 130 || !strings.Contains(out.String(), `"verdict": "interrupted"`) ||
		!strings.Contains(out.String(), `"status": 130`) {
		t.Errorf("%v, %s", err, out)
	}
}
