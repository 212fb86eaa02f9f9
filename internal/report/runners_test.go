package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/watchrun"
)

// orders are texts that a runner would obey, in the places in which one looks for them.
func orders() []string {
	return []string{
		"::error::x", "  ::stop-commands::t", "\t::add-mask::a", "\u00a0\u2003::warning::x", "a\n   ::error file=a,line=1::x\nb",
		"- ::error::x", ":::error::x",
		"word word word word word word word word word word word word word word ::error::x",
		strings.Repeat("x", 74) + "::set-output name=a::b",
		"##[error]x", "a ##[group]b", "##vso[task.setvariable variable=a]b", "a##VSO[task.complete]b", "x\r\n##[section]y", "###[error]x",
		"\\##[error]x", "#\u200b#[error]",
		"\x1b[0Ksection_start:1560896352:x[collapsed=true]\r\x1b[0Kx", "section_end:1560896353:x\r\x1b[0K",
	}
}

var (
	coloured = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	section  = regexp.MustCompile(`section_(start|end):[0-9]+:[^\r]*\r\x1b\[0K`)
)

// checkRunners reads a text as the runners of GitHub (which trims a line before it looks for ::), Azure (which looks for
// its marks anywhere in a line, as GitHub does for the older form) and GitLab do. ours reports which lines are commands of
// our own.
func checkRunners(t testing.TB, what, out string, ours func(string) bool) {
	t.Helper()
	for line := range strings.Lines(out) {
		bare := coloured.ReplaceAllString(line, "")
		if strings.HasPrefix(strings.TrimLeftFunc(bare, unicode.IsSpace), "::") && !ours(bare) {
			t.Fatalf("%s: GitHub obeys %q", what, line)
		}
		if lower := strings.ToLower(bare); strings.Contains(lower, "##[") || strings.Contains(lower, "##vso[") {
			t.Fatalf("%s: Azure or GitHub obeys %q", what, line)
		}
	}
	if section.MatchString(out) {
		t.Fatalf("%s: GitLab obeys %q", what, out)
	}
}

func nothing(string) bool { return false }

// TestRunnersObeyNothing puts orders in every place of a report and writes it in every format and at every width; in make test
// each order in the reports of three commands, and those of each command with five orders.
func TestRunnersObeyNothing(t *testing.T) {
	for i, s := range orders() {
		raw, _ := json.Marshal(map[string]any{"name": s, "description": s, s: s,
			"inputSchema": map[string]any{"properties": map[string]any{s: map[string]any{"description": s, "enum": []string{s}}}}})
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			commands := []string{"list", "show", "snapshot", "diff", "accept", "config", "trust", "ping", "login", "rules", "check", s}
			if !full {
				at := 3 * i % len(commands)
				commands = commands[at : at+3]
			}
			checkOrders(t, fmt.Sprint(i), s, raw, commands...)
		})
	}
}

// full makes seeded and corpus-wide properties run in full: make test-full sets it, make test runs a part of them.
var full = os.Getenv("MCPCTL_FULL") != ""

// part returns seeds of a fuzz test, and each fifth of them in make test.
func part(seeds []string) []string {
	if full {
		return seeds
	}
	var some []string
	for i := 0; i < len(seeds); i += 5 {
		some = append(some, seeds[i])
	}
	return some
}

func FuzzRunners(f *testing.F) {
	for _, s := range part(append(orders(), hostileTexts()...)) {
		f.Add(s, `{"description":"##[error]"}`)
	}
	f.Fuzz(func(t *testing.T, s, raw string) {
		value := json.RawMessage(raw)
		if !json.Valid(value) {
			value, _ = json.Marshal(s)
		}
		checkOrders(t, "fuzz", s, value, "show", "diff", s)
	})
}

func checkOrders(t testing.TB, name, s string, value json.RawMessage, commands ...string) {
	t.Helper()
	annotations := regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]*,line=[0-9]+,)?title=[^,:]*::[^\r\n]*\n$`)
	for _, command := range commands {
		r := filled(command, s, value)
		for _, format := range Formats() {
			ours := nothing
			if format == "github" {
				ours = annotations.MatchString
			}
			for i, o := range []Options{{}, {Width: 80, Color: true}, {Width: 40, Waived: true}, {Width: 61}} {
				o.Version = s
				switch b := r.Body.(type) {
				case *Listing:
					b.Items = i == 2
				case *Show:
					b.Raw = i%2 == 1
				}
				checkRunners(t, name+" "+command+" as "+format, written(t, format, r, o), ours)
				if format != "table" {
					break
				}
			}
		}
	}
	events(t, s, func(out string) { checkRunners(t, name+" event", out, nothing) })
	checkRunners(t, name+" visible", printable.Message(s), nothing)
	checkRunners(t, name+" result", blocks(s, value), nothing)
}

// events are events with s in every place.
func events(t testing.TB, s string, check func(string)) {
	for _, kind := range []string{"state", "changed", "build", "summary", s} {
		e := watchrun.WatchEvent{Time: time.Unix(0, 0), Event: kind, Server: s, State: s, Cause: s, Note: s, Files: []string{s},
			Error:    &seen.Failure{Stage: s, Message: s, Hint: s, Stderr: s},
			Findings: filled("diff", s, []byte(`1`)).Assessed().Findings,
			Servers:  []watchrun.Watched{{Name: s, State: s}}, Summary: &seen.Summary{}}
		check(string(e.JSON()))
		for _, width := range []int{0, 50} {
			line := seen.EventLine{Time: e.Time, Server: s, Word: kind, Remark: s, Error: e.Error, Findings: e.Findings}
			check(EventText(line, Options{Width: width}))
		}
	}
}

// blocks is a result with s in every place.
func blocks(s string, value json.RawMessage) string {
	var out bytes.Buffer
	WriteBlocks(&out, []Block{{Text: s}, {Role: s, Label: s, Text: s}, {Label: s, Failure: true}}, Options{Width: 80})
	return out.String() + printable.Indented(value) + "\n" + printable.OneLine(value)
}
