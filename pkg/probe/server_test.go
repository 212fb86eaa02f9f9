package probe

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const oddSchema = `{"type":"object","properties":{"n":{"type":["integer","null"],"maximum":12345678901234567890}},"x-unknown":1e400}`

// mcpGo is a server by other hands: three tools on two pages, a prompt, a resource and a template.
func mcpGo() *server.MCPServer {
	s := server.NewMCPServer("by-mcp-go", "1.2.3", server.WithInstructions("Ask."), server.WithPaginationLimit(2),
		server.WithToolCapabilities(true), server.WithPromptCapabilities(true), server.WithResourceCapabilities(true, true))
	for _, name := range []string{"alpha", "beta", "gamma"} {
		s.AddTool(mcp.NewToolWithRawSchema(name, "", json.RawMessage(oddSchema)), nil)
	}
	s.AddPrompt(mcp.NewPrompt("greet"), nil)
	s.AddResource(mcp.NewResource("test://one", "one"), nil)
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://{id}", "many"), nil)
	return s
}

// TestMCPGo reaches a server of mcp-go's over each transport and in each era, and gets the same surface.
func TestMCPGo(t *testing.T) {
	modernHTTP := servertest.NewTestStreamableHTTPServer(mcpGo())
	legacyHTTP := servertest.NewTestStreamableHTTPServer(mcpGo(), server.WithStateful(true), server.WithStreamableHTTPProtocolVersions(legacy))
	sse := servertest.NewTestServer(mcpGo())
	for _, s := range []interface{ Close() }{modernHTTP, legacyHTTP, sse} {
		defer s.Close()
	}
	tests := map[string]struct {
		server    Server
		pin       string
		protocol  string
		transport string
	}{
		"stdio":        {Server{Stdio: played("mcp-go")}, "", modern, "stdio"},
		"stdio pinned": {Server{Stdio: played("mcp-go")}, "2025-03-26", "2025-03-26", "stdio"},
		"HTTP":         {Server{HTTP: &HTTP{URL: modernHTTP.URL + "/mcp"}}, "", modern, "streamable-http"},
		"HTTP pinned":  {Server{HTTP: &HTTP{URL: modernHTTP.URL + "/mcp"}}, legacy, legacy, "streamable-http"},
		"old HTTP":     {Server{HTTP: &HTTP{URL: legacyHTTP.URL + "/mcp"}}, "", legacy, "streamable-http"},
		"HTTP+SSE":     {Server{HTTP: &HTTP{URL: sse.URL + "/sse"}}, legacy, legacy, "sse"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			session, err := Open(t.Context(), test.server, Options{Protocol: test.pin, Environ: os.Environ(), Timeout: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			shot, err := session.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if session.Protocol() != test.protocol || session.Transport() != test.transport {
				t.Errorf("%s over %s, want %s over %s", session.Protocol(), session.Transport(), test.protocol, test.transport)
			}
			want := map[string][]string{
				"tools": {"alpha", "beta", "gamma"}, "prompts": {"greet"}, "resources": {"test://one"}, "resourceTemplates": {"test://{id}"},
			}
			if diff := cmp.Diff(want, keysOf(shot)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got := string(shot.Tools.Items()[0].Field("inputSchema")); got != oddSchema {
				t.Errorf("schema %s, want it byte for byte", got)
			}
			if notices := session.Notices(); len(notices) > 0 {
				t.Errorf("notices %v", notices)
			}
		})
	}
}

func keysOf(shot *snapshot.Snapshot) map[string][]string {
	keys := map[string][]string{}
	for _, kind := range snapshot.Kinds() {
		for _, item := range shot.List(kind).Items() {
			keys[string(kind)] = append(keys[string(kind)], item.Key)
		}
	}
	return keys
}

// TestOpensOnce reaches a server that refuses initialize after it answered discover.
func TestOpensOnce(t *testing.T) {
	for result := range All(t.Context(), []Server{{Name: "once", Stdio: played("once")}}, Options{Timeout: 20 * time.Second}) {
		if result.Err != nil {
			t.Fatal(result.Err)
		}
		if result.Snapshot.Protocol != "2025-06-18" || len(result.Snapshot.Tools.Items()) != 1 {
			t.Errorf("snapshot %+v", result.Snapshot)
		}
		if len(result.Notices) != 1 || result.Notices[0].Code != NoticeRestarted {
			t.Errorf("notices %v, want one of the restart", result.Notices)
		}
	}
}
