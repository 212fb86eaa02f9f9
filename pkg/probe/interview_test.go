package probe

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"

	"github.com/mcpctl/mcpctl/internal/conformance"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestInterview asks servers of mcp-go's over each transport: in both eras where they speak both, every question that concerns them,
// and nothing that ends them. A request without the id of its session gets 404 there, where the specification has 400, and a session
// that was ended lives on in the one that keeps no sessions.
func TestInterview(t *testing.T) {
	both := servertest.NewTestStreamableHTTPServer(mcpGo())
	old := servertest.NewTestStreamableHTTPServer(mcpGo(), server.WithStateful(true), server.WithStreamableHTTPProtocolVersions(legacy))
	sse := servertest.NewTestServer(mcpGo())
	for _, s := range []interface{ Close() }{both, old, sse} {
		defer s.Close()
	}
	for name, test := range map[string]struct {
		server Server
		about  *snapshot.Snapshot
		eras   []string
		faults []string
	}{
		"stdio":    {Server{Stdio: played("mcp-go")}, &snapshot.Snapshot{Protocol: modern, Supported: []string{modern, legacy}}, []string{modern, legacy}, nil},
		"HTTP":     {Server{HTTP: &HTTP{URL: both.URL + "/mcp"}}, &snapshot.Snapshot{Protocol: modern, Supported: []string{modern, legacy}}, []string{modern, legacy}, []string{"no-session", "deleted-session"}},
		"old HTTP": {Server{HTTP: &HTTP{URL: old.URL + "/mcp"}}, &snapshot.Snapshot{Protocol: legacy}, []string{legacy}, []string{"no-session"}},
		"HTTP+SSE": {Server{HTTP: &HTTP{URL: sse.URL + "/sse"}}, &snapshot.Snapshot{Protocol: legacy}, []string{legacy}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := Interview(t.Context(), test.server, Options{Environ: os.Environ(), Timeout: time.Minute}, test.about)
			if err != nil {
				t.Fatal(err)
			}
			var eras, faults []string
			for _, e := range all {
				if !slices.Contains(eras, e.Protocol) {
					eras = append(eras, e.Protocol)
				}
				if _, found := conformance.Judge(e); found {
					faults = append(faults, e.Question)
				}
				if e.Problem == "" && e.Status == 0 && len(e.Messages) == 0 && e.ID != nil {
					t.Errorf("%s, %s: nothing came of it", e.Protocol, e.Question)
				}
			}
			if !slices.Equal(faults, test.faults) {
				t.Errorf("%q are against the specification, want %q", faults, test.faults)
			}
			if !slices.Equal(eras, test.eras) || len(all) < 8*len(eras) {
				t.Errorf("%d questions in the eras %v, want those of %v", len(all), eras, test.eras)
			}
		})
	}
}

// TestInterviewOfNobody says why a server was not asked.
func TestInterviewOfNobody(t *testing.T) {
	server := Server{Name: "gone", Stdio: &Stdio{Command: "mcpctl-no-such-program"}}
	all, err := Interview(t.Context(), server, Options{Environ: os.Environ()}, &snapshot.Snapshot{Protocol: legacy})
	if err == nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}
