package report

import (
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
		if out[i] == '%' && !strings.HasPrefix(out[i:], "%25") && !strings.HasPrefix(out[i:], "%0A") &&
			!strings.HasPrefix(out[i:], "%3A") && !strings.HasPrefix(out[i:], "%2C") {
			t.Fatalf("an escape that is not ours: %q", out[i:])
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
