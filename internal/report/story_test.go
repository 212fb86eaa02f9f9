package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// release is the report of what changed between two releases of a real server.
func release(t *testing.T, name string) *report.Report {
	t.Helper()
	read := func(file string) *snapshot.Snapshot {
		raw, err := os.ReadFile(filepath.Join("../../pkg/diff/testdata/real", name, file))
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old, now := read("old.json"), read("new.json")
	found, err := diff.Compare(t.Context(), old, now, diff.Options{Server: name})
	if err != nil {
		t.Fatal(err)
	}
	return diffOf(1, found, report.DiffServer{Server: seen.Server{Name: name, State: seen.OK, Source: "new.json"},
		Comparison: seen.Comparison{Base: "old.json", Changed: seen.SignatureChanges(old, now)}})
}

// diffOf returns a report of diff.
func diffOf(status int, found seen.Findings, servers ...report.DiffServer) *report.Report {
	return &report.Report{Command: "diff", Status: status, Body: &report.Diff{Servers: servers,
		Assessed: report.Assessed{Findings: found}}}
}

func table(t *testing.T, r *report.Report, o report.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Write(&out, "table", r, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestStoryOfARelease compares pages about real releases with files: read them. Everything is on the page by its
// fingerprint, and with --verbose by its place.
func TestStoryOfARelease(t *testing.T) {
	for _, name := range []string{"playwright", "playwright-0.0.83", "chrome-devtools-1.6"} {
		t.Run(name, func(t *testing.T) { storyOf(t, name) })
	}
}

func storyOf(t *testing.T, name string) {
	r := release(t, name)
	page := table(t, r, report.Options{Width: 100})
	file := "testdata/" + name + ".golden"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	groups := finding.Groups(r.Assessed().Findings)
	whole := table(t, r, report.Options{Width: 100, Verbose: true})
	for _, g := range groups {
		if !strings.Contains(page, g.Fingerprint) || !strings.Contains(whole, g.Fingerprint) {
			t.Errorf("%s is missing: %s", g.Fingerprint, g.Title)
		}
	}
	for _, f := range r.Assessed().Findings {
		if !strings.Contains(whole, f.Fingerprint()) ||
			f.Pointer() != "" && !strings.Contains(strings.Join(strings.Fields(whole), ""), f.Pointer()) {
			t.Errorf("--verbose lacks %s at %s", f.Fingerprint(), f.Pointer())
		}
	}
}

// TestChangedCalls: arguments have no places. Those of a saved side are sorted by name; only what came, went or became
// optional makes a call another one.
func TestChangedCalls(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{`"b":{},"a":{}`, `"a":{},"b":{}`, ""},
		{`"a":{},"gone":{},"z":{}`, `"z":{},"a":{},"new":{}`, "t(z?, a?, gone?) → t(z?, a?, new?)"},
		{`"gone":{},"a":{}`, `"a":{}`, "t(gone?, a?) → t(a?)"},
		{``, `"a":{}`, "t() → t(a?)"},
	} {
		read := func(properties string) *snapshot.Snapshot {
			s, err := snapshot.Parse(
				[]byte(fmt.Sprintf(`{"mcpctl":1,"tools":[{"name":"t","inputSchema":{"type":"object","properties":{%s}}}]}`, properties)))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		var got string
		for _, one := range seen.SignatureChanges(read(c.old), read(c.now)) {
			got += one.Old + " → " + one.New
		}
		if got != c.want {
			t.Errorf("{%s} → {%s} gives %q, want %q", c.old, c.now, got, c.want)
		}
	}
}

// TestAddedLinesAreLines reads a description that got lines, and what speaks of one word in it.
func TestAddedLinesAreLines(t *testing.T) {
	says := func(s string) json.RawMessage { raw, _ := json.Marshal(s); return raw }
	text := finding.Finding{Rule: "tool-description-changed", Level: finding.Warning, Server: "a", Item: "tool/t", Path: "/description",
		Message: "The description changed.", Old: says("Approve this PR."),
		New: says("Approve this PR.\n\nLine two. See https://evil.example/x. Line three.\n<script>alert(1)</script>")}
	host := text
	host.Rule, host.Old, host.Message = "text-url-added", nil, "The text now names the host evil.example."
	host.Passage = "evil.example"
	r := diffOf(0, seen.Findings{host, text}, report.DiffServer{Server: seen.Server{Name: "a", State: seen.OK}})
	for format, want := range map[string][]string{
		"table": {"Approve this PR.{+\n",
			"\n  Line two. See https://evil.example/x. Line three.\n  ⚠ script: <script>alert(1)</script>+}\n"},
		"markdown": {"\nLine two. See https://evil.example/x. Line three.\n", "⚠ script: <script>alert(1)</script>+}\n"},
		"junit":    {"Line two. See https://evil.example/x. Line three.\n⚠ script", "See https://{+evil.example+}/x."},
	} {
		var out bytes.Buffer
		if err := report.Write(&out, format, r, report.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: %q is not in\n%s", format, part, out.String())
			}
		}
		if strings.Contains(out.String(), `\n`) {
			t.Errorf("%s: a line break is spelled out in\n%s", format, out.String())
		}
	}
}

// TestAWaiverHasNoCallers checks that an expired waiver fails the run and affects no caller.
func TestAWaiverHasNoCallers(t *testing.T) {
	r := diffOf(1, seen.Findings{
		{Rule: "waiver-expired", Level: finding.Warning, Item: "waiver/tool-removed", Message: "The waiver of tool-removed expired."},
		{Rule: "tool-removed", Level: finding.Breaking, Server: "s", Item: "tool/d", Message: "`d` was removed."},
		{Rule: "tool-added", Level: finding.Info, Server: "s", Item: "tool/e", Message: "`e` is new."},
	}, report.DiffServer{Server: seen.Server{Name: "s", State: seen.OK}})
	if page := table(t, r, report.Options{}); !strings.Contains(page, "affects callers of d\n") {
		t.Error(page)
	}
}
