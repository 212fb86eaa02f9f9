package report

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// fleetReport is what diff says of n servers: three in four want an argument that they did not want, one in seven has another
// description, one in forty lost a tool of its own, and one in twenty could not be asked, for one of three causes.
func fleetReport(n int) *Report {
	r := &Report{Command: "diff", Status: 3, Findings: Findings{}}
	add := func(f finding.Finding) { r.Findings = append(r.Findings, f) }
	for i := range n {
		name := fmt.Sprintf("server-%05d", i)
		s := Server{Name: name, State: OK, Transport: "stdio", Base: "mcp-snapshots/" + name + ".json", Source: "mcp.json"}
		if i%20 == 19 {
			s.State = Failed
			s.Fail(fleetFailure(name, i/20))
		} else {
			if i%4 != 0 {
				add(finding.Finding{Rule: "input-property-became-required", Level: finding.Breaking, Server: name, Item: "tool/search", Path: "/inputSchema/required",
					Message: "`limit` is now required.", Cause: "`limit` is now required", Witness: []byte(`{"query":"a"}`)})
			}
			if i%7 == 0 {
				add(finding.Finding{Rule: "tool-description-changed", Level: finding.Warning, Server: name, Item: "tool/fetch", Path: "/description",
					Old: []byte(`"Fetches a record."`), New: []byte(`"Fetches a record, and all that it links to."`), Message: "The description of `fetch` changed.", Cause: "Descriptions changed"})
			}
			if i%40 == 3 {
				tool := fmt.Sprintf("export_%d", i)
				add(finding.Finding{Rule: "input-property-removed", Level: finding.Breaking, Server: name, Item: "tool/" + tool, Path: "/inputSchema/properties/" + tool,
					Message: fmt.Sprintf("`format_%d` was removed.", i), Cause: fmt.Sprintf("`format_%d` was removed", i)})
			}
		}
		r.Servers = append(r.Servers, s)
	}
	finding.Sort(r.Findings)
	return r
}

// fleetFailure is one of three causes for which a server cannot be asked.
func fleetFailure(name string, i int) Failure {
	return []Failure{
		{Stage: "connecting", Message: `HTTP 401 Unauthorized: "no"`, Hint: "log in with mcpctl login " + name + ", or pass a token"},
		{Stage: "connecting", Message: `HTTP 503 Service Unavailable: "upstream is down"`, Hint: "the server, or a gateway before it, failed: look into its log, or allow --retries"},
		{Stage: "starting", Message: "the server ended: exit status 1", Stderr: fmt.Sprintf("Error: cannot find module 'x'\n    at main.js (process %d)", 1000+i)},
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
