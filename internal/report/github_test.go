package report

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// command is the grammar of a line that the runner obeys, with the properties that we write.
var command = regexp.MustCompile(`^::(error|warning|notice) (?:file=([^,:]*),line=([0-9]+),)?title=([^,:]*)::(.*)$`)

// checkGitHub reads each line as the runner does: commands with our properties, then one line that is none.
func checkGitHub(t testing.TB, out string, commands int) {
	t.Helper()
	checkVisible(t, out)
	rows := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(rows) != commands+1 {
		t.Fatalf("%d lines instead of %d and one: %q", len(rows), commands, out)
	}
	for _, row := range rows[:commands] {
		if !command.MatchString(row) {
			t.Fatalf("no command: %q", row)
		}
	}
	if last := rows[commands]; !strings.HasPrefix(last, "mcpctl ") {
		t.Fatalf("the last line is %q", last)
	}
	if strings.Contains(out, "##[") {
		t.Fatalf("a command of the old kind: %q", out)
	}
	for i := range len(out) {
		if out[i] == '%' && !strings.HasPrefix(out[i:], "%25") && !strings.HasPrefix(out[i:], "%0A") && !strings.HasPrefix(out[i:], "%3A") && !strings.HasPrefix(out[i:], "%2C") {
			t.Fatalf("an escape that is not ours: %q", out[i:])
		}
	}
}

func FuzzGitHub(f *testing.F) {
	for _, s := range hostileTexts() {
		f.Add(s, `{"a":[1,"##[x]"]}`)
	}
	f.Fuzz(func(t *testing.T, s, raw string) {
		value := json.RawMessage(raw)
		if !json.Valid(value) {
			value, _ = json.Marshal(s)
		}
		r := filled(s, s, value)
		r.Servers[1].Unsaved = true
		r.Findings[0].Location = &finding.Location{File: s + ".json", Line: 7}
		checkGitHub(t, written(t, "github", r, Options{Waived: true}), 2+1+len(r.Problems)+len(r.Findings))
	})
}

// TestBreaksComeBeforeFailures: of each level GitHub shows ten annotations for a step, which ten failed servers once used up.
func TestBreaksComeBeforeFailures(t *testing.T) {
	r := &Report{Command: "diff", Findings: Findings{{Rule: "a", Server: "s0", Item: "tool/x", Level: finding.Breaking}}}
	for i := range 100 {
		r.Servers = append(r.Servers, Server{Name: fmt.Sprint("s", i), State: Failed, Error: &Failure{Stage: "connecting", Message: "refused\nat once", Hint: "start it"}})
	}
	for _, s := range r.Servers {
		s.Name, s.Tolerated = "may-"+s.Name, &finding.Tolerance{Reason: "old"}
		r.Servers = append(r.Servers, s)
	}
	rows := strings.Split(written(t, "github", r, Options{}), "\n")
	for i, want := range []string{"^::error .*title=breaking", "^::error title=100 failures of servers::s0: connecting: refused%0As1: .*%0A… and 80 more,",
		"^::warning title=100 failures of servers::may-s0: connecting: refused%0A", "^mcpctl "} {
		if !regexp.MustCompile(want).MatchString(rows[i]) {
			t.Errorf("line %d is %q, want %s", i, rows[i], want)
		}
	}
}

// unescape reads a text as the runner does.
func unescape(s string) string {
	return strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",").Replace(s)
}

// TestWorkflowCommand reads a command back.
func TestWorkflowCommand(t *testing.T) {
	line := workflowCommand("error", finding.Location{File: "a,b:c%25.json", Line: 3}, "x::y,z", "100%\n::error::b")
	got := command.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
	if got == nil {
		t.Fatalf("no command: %q", line)
	}
	for i := range got {
		got[i] = unescape(got[i])
	}
	want := []string{"error", "a,b:c%25.json", "3", "x::y,z", "100%\n::error::b"}
	if diff := cmp.Diff(want, got[1:]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPlace(t *testing.T) {
	servers := []Server{{Name: "saved", Comparison: Comparison{Base: "mcp-snapshots/saved.json"}, Source: ".mcp.json:4"}, {Name: "live", Source: `C:\x\.mcp.json:12`},
		{Name: "ref", Comparison: Comparison{Base: "git:main"}, Source: "new.json"}, {Name: "url", Source: "https://h.example:80"}, {Name: "argv", Source: "command line"}}
	for _, test := range []struct {
		f    finding.Finding
		want finding.Location
	}{
		{finding.Finding{Server: "saved", Location: &finding.Location{File: "f", Line: 9}}, finding.Location{File: "f", Line: 9}},
		{finding.Finding{Server: "saved"}, finding.Location{File: "mcp-snapshots/saved.json", Line: 1}},
		{finding.Finding{Server: "live"}, finding.Location{File: `C:\x\.mcp.json`, Line: 12}},
		{finding.Finding{Server: "ref"}, finding.Location{File: "new.json", Line: 1}},
		{finding.Finding{Server: "url"}, finding.Location{}},
		{finding.Finding{Server: "argv"}, finding.Location{}},
		{finding.Finding{Server: "unknown"}, finding.Location{}},
	} {
		if got := (&Report{Servers: servers}).roster().place(test.f); got != test.want {
			t.Errorf("%s: %v, want %v", test.f.Server, got, test.want)
		}
	}
}
