package report

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// fleetReport is what diff says of n servers: three in four want an argument that they did not want, one in seven has another
// description, one in forty lost a tool of its own, and one in twenty could not be asked, for one of three causes.
func fleetReport(n int) *Report {
	found, servers := seen.Findings{}, []DiffServer(nil)
	add := func(f finding.Finding) { found = append(found, f) }
	for i := range n {
		name := fmt.Sprintf("server-%05d", i)
		s := DiffServer{Server: seen.Server{Name: name, State: seen.OK, Source: "mcp.json",
			Answer: seen.Answer{Connection: seen.Connection{Transport: "stdio"}}},
			Comparison: seen.Comparison{Base: "mcp-snapshots/" + name + ".json", Movable: true}}
		if i%20 == 19 {
			s.State = seen.Failed
			s.Fail(fleetFailure(name, i/20))
		} else {
			if i%4 != 0 {
				add(finding.Finding{Rule: "input-property-became-required", Level: finding.Breaking, Server: name, Item: "tool/search",
					Path:    "/inputSchema/required",
					Message: "`limit` is now required.", Cause: "`limit` is now required", Witness: []byte(`{"query":"a"}`)})
			}
			if i%7 == 0 {
				add(finding.Finding{Rule: "tool-description-changed", Level: finding.Warning, Server: name, Item: "tool/fetch",
					Path: "/description",
					Old:  []byte(`"Fetches a record."`), New: []byte(`"Fetches a record, and all that it links to."`),
					Message: "The description of `fetch` changed.", Cause: "Descriptions changed"})
			}
			if i%40 == 3 {
				tool := fmt.Sprintf("export_%d", i)
				add(finding.Finding{Rule: "input-property-removed", Level: finding.Breaking, Server: name, Item: "tool/" + tool,
					Path:    "/inputSchema/properties/" + tool,
					Message: fmt.Sprintf("`format_%d` was removed.", i), Cause: fmt.Sprintf("`format_%d` was removed", i)})
			}
		}
		servers = append(servers, s)
	}
	finding.Sort(found)
	return diffOf(3, found, servers...)
}

// fleetFailure is one of three causes for which a server cannot be asked.
func fleetFailure(name string, i int) seen.Failure {
	return []seen.Failure{
		{Stage: "connecting", Message: `HTTP 401 Unauthorized: "no"`, Hint: "log in with mcpctl login " + name + ", or pass a token"},
		{Stage: "connecting", Message: `HTTP 503 Service Unavailable: "upstream is down"`,
			Hint: "the server, or a gateway before it, failed: look into its log, or allow --retries"},
		{Stage: "starting", Message: "server exited with status 1",
			Stderr: fmt.Sprintf("Error: cannot find module 'x'\n    at main.js (process %d)", 1000+i)},
	}[i%3]
}

// TestGrowth checks that no format looks at all findings once more for each server: twice the servers take about twice the memory.
func TestGrowth(t *testing.T) {
	for _, format := range Formats() {
		if small, large := spent(t, format, 500), spent(t, format, 1000); large > 3*small {
			t.Errorf("%s: %d bytes of 500 servers, %d of 1000", format, small, large)
		}
	}
}

// spent is how many bytes are allocated while a report of n servers is written.
func spent(t *testing.T, format string, n int) uint64 {
	r := fleetReport(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Write(io.Discard, format, r, Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// listed is the same fleet as list reports of it, or another command that judges nothing.
func listed(r *Report, command string) *Report {
	all := &Report{Command: command, Body: bodyNamed(command), Status: r.Status}
	for _, s := range r.Seen() {
		saved := &seen.Saved{Action: seen.Unchanged, File: "mcp-snapshots/" + s.Name + ".json"}
		if s.State == seen.Failed {
			saved.Action = seen.Skipped
		}
		switch b := all.Body.(type) {
		case *Listing:
			b.Servers = append(b.Servers, Server{Server: s})
		case *Ping:
			b.Servers = append(b.Servers, PingServer{Server: s})
		case *Save:
			b.Servers = append(b.Servers, SaveServer{Server: s, Saved: saved})
		}
	}
	return all
}

// TestFleet compares what people are shown of a fleet, in a terminal and as a comment, with a file: read it.
func TestFleet(t *testing.T) {
	var b strings.Builder
	r := fleetReport(60)
	for _, one := range []*Report{r, listed(r, "list"), listed(r, "snapshot")} {
		fmt.Fprintf(&b, "=== %s in a terminal\n%s", one.Command, written(t, "table", one, Options{Width: 100}))
	}
	fmt.Fprintf(&b, "=== diff as a comment of 8,000 bytes\n%s", written(t, "markdown", r, Options{Limit: 8000}))
	file := "testdata/fleet.golden"
	checkGolden(t, file, b.String())
}

// TestFleetIsWhole checks that a table, a pipe and --verbose name every server, and that a terminal is short about findings.
func TestFleetIsWhole(t *testing.T) {
	r := fleetReport(300)
	for _, one := range []*Report{listed(r, "list"), listed(r, "snapshot"), listed(r, "ping")} {
		checkNames(t, one, written(t, "table", one, Options{Width: 100}))
	}
	for _, whole := range []Options{{Width: 100, Verbose: true}, {}} {
		checkNames(t, r, written(t, "table", r, whole))
	}
	text := written(t, "table", r, Options{Width: 100})
	if high := strings.Count(text, "\n"); high > 100 {
		t.Errorf("findings of 300 servers take %d lines of a terminal:\n%s", high, text)
	}
	if all := r.complete().Summary; !strings.Contains(text, fmt.Sprintf("%d breaking", all.Breaking)) {
		t.Errorf("%d breaking findings are not counted:\n%s", all.Breaking, text)
	}
}

func checkNames(t *testing.T, r *Report, text string) {
	t.Helper()
	for _, s := range r.Seen() {
		if !strings.Contains(text, s.Name) {
			t.Errorf("%s leaves out %s", r.Command, s.Name)
			return
		}
	}
}

// TestFleetComment checks that no number of servers that could not be asked or were never saved pushes what breaks out of a comment.
func TestFleetComment(t *testing.T) {
	r := fleetReport(3000)
	servers := r.Body.(*Diff).Servers
	for i := range servers {
		s := &servers[i]
		if s.State == seen.Failed {
			s.Error.Message = fmt.Sprintf("cause %d: %s", i, strings.Repeat("x", 900))
		}
		s.Unsaved = s.State == seen.Failed || i%20 == 0
	}
	text := written(t, "markdown", r, Options{})
	for _, want := range []string{"<summary>breaking: ", "`limit` is now required", "150 servers failed"} {
		if !strings.Contains(text, want) {
			t.Errorf("the comment lacks %q:\n%.3000s", want, text)
		}
	}
}
