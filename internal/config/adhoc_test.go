package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

func TestFromCommand(t *testing.T) {
	for line, name := range map[string]string{
		"npx -y @modelcontextprotocol/server-everything@2.0 stdio": "modelcontextprotocol-server-everything",
		"node ./dist/index.js":                "dist-index",
		"node_modules/.bin/mcp-server-x --y":  "mcp-server-x",
		"./bin/my-server.exe --flag":          "bin-my-server",
		`C:\tools\server.exe`:                 "server-e1354b",
		"go run ./examples/server":            "examples-server",
		"node a/cli.js":                       "a-cli",
		"node b/dist/cli.js":                  "b-dist-cli",
		"node /home/me/b/cli.js":              "cli-cf83fc",
		"node /home/me/project/b/cli.js":      "b-cli",
		"go run ./examples/tickets":           "examples-tickets",
		"node packages/a/dist/tool.js":        "packages-a-dist-tool",
		"npx @scope/server":                   "scope-server",
		"a/bin/server":                        "a-bin-server",
		"uvx mcp-server-git":                  "mcp-server-git",
		"python -m mcp_server":                "mcp_server",
		"docker run -i ghcr.io/x/y":           "docker-2b2eb5",
		"npx":                                 "npx",
		"npx --api-key sk-abcdefgh12345 name": "npx",
		"../../..":                            "command-297823",
		"🦊":                                   "command",
		"npm exec @scope/pkg":                 "scope-pkg",
		"python " + strings.Repeat("x", 100):  strings.Repeat("x", 60),
	} {
		argv := strings.Fields(line)
		got, err := FromCommand("/home/me/project", argv)
		want := probe.Server{Name: name, Source: "argv", Stdio: &probe.Stdio{Command: argv[0], Args: argv[1:]}}
		if name == "npx" && len(argv) > 1 {
			want.Secrets = []probe.Secret{"sk-abcdefgh12345"}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("FromCommand(%q) (-want +got):\n%s%v", line, diff, err)
		}
	}
	for _, argv := range [][]string{nil, {""}, {" ", "x"}} {
		if _, err := FromCommand("", argv); err == nil {
			t.Errorf("FromCommand(%q) is no error", argv)
		}
	}
}

// TestNamesDistinguishPrograms is what keeps one program from taking the snapshot file of another.
func TestNamesDistinguishPrograms(t *testing.T) {
	for _, pair := range [][2]string{
		{"a/tool.sh", "b/tool.sh"}, {"x/a/tool.sh", "y/a/tool.sh"}, {"node /x/tool.js", "node /y/tool.js"}, {"../tool", "tool"},
		{"npx @a/mcp", "npx @b/mcp@2"}, {"sh -c one", "sh -c two"}, {"docker run -i a", "docker run -i b"},
	} {
		one, err := FromCommand("/p", strings.Fields(pair[0]))
		other, otherErr := FromCommand("/p", strings.Fields(pair[1]))
		if one.Name == other.Name || err != nil || otherErr != nil {
			t.Errorf("%q and %q are both %s: %v, %v", pair[0], pair[1], one.Name, err, otherErr)
		}
	}
	for _, pair := range [][2]string{{"npx @a/mcp@1", "npx -y @a/mcp@latest --flag"}, {"./dist/tool", "/p/dist/tool --flag"}} {
		one, _ := FromCommand("/p", strings.Fields(pair[0]))
		if other, _ := FromCommand("/p", strings.Fields(pair[1])); one.Name != other.Name {
			t.Errorf("%q is %s and %q %s", pair[0], one.Name, pair[1], other.Name)
		}
	}
}

func TestFromURL(t *testing.T) {
	for raw, want := range map[string]probe.Server{
		"https://mcp.example.com/mcp":   {Name: "mcp.example.com", HTTP: &probe.HTTP{URL: "https://mcp.example.com/mcp"}},
		"HTTP://LOCALHOST:3000/sse?k=v": {Name: "localhost-3000", HTTP: &probe.HTTP{URL: "HTTP://LOCALHOST:3000/sse?k=v"}},
		"https://h/mcp?region=eu&api_key=v": {Name: "h", Secrets: []probe.Secret{"v"},
			HTTP: &probe.HTTP{URL: "https://h/mcp?region=eu&api_key=v"}},
		"http://[::1]:8080/":    {Name: "1-8080", HTTP: &probe.HTTP{URL: "http://[::1]:8080/"}},
		"https://h/api/v1/mcp/": {Name: "h", HTTP: &probe.HTTP{URL: "https://h/api/v1/mcp/"}},
		"https://me:pw@h.example/s3cr3t/x": {Name: "h.example-94f2f4", Secrets: []probe.Secret{"bWU6cHc=", "Basic bWU6cHc="},
			HTTP: &probe.HTTP{URL: "https://h.example/s3cr3t/x", Headers: map[string]probe.Secret{"Authorization": "Basic bWU6cHc="}}},
	} {
		want.Source = "argv"
		got, err := FromURL(raw)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("FromURL(%q) (-want +got):\n%s%v", raw, diff, err)
		}
	}
	for _, raw := range []string{"", "s3cr3t", "ftp://s3cr3t@h", "http://", "https://u:s3cr3t/@h", "http://h s3cr3t"} {
		if _, err := FromURL(raw); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("FromURL(%q) = %v, want an error without the URL", raw, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	got, err := Input{}.Headers([]string{"authorization: Bearer a:b", "X-Empty:"})
	want := map[string]probe.Secret{"Authorization": "Bearer a:b", "X-Empty": ""}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Headers (-want +got):\n%s%v", diff, err)
	}
	for _, flag := range []string{"", "Authorization Bearer s3cr3t", ": s3cr3t", "A: b\r\nC: s3cr3t", "Bearer=s3cr3t"} {
		if _, err := (Input{}).Headers([]string{flag}); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("Headers(%q) = %v, want an error without the value", flag, err)
		}
	}
}

func TestParseEnv(t *testing.T) {
	got, err := ParseEnv([]string{"A=b=c", "EMPTY="})
	want := map[string]probe.Secret{"A": "b=c", "EMPTY": ""}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("ParseEnv (-want +got):\n%s%v", diff, err)
	}
	for _, flag := range []string{"", "s3cr3t", "=s3cr3t", "A=s3cr3t\x00"} {
		if _, err := ParseEnv([]string{flag}); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("ParseEnv(%q) = %v, want an error without the value", flag, err)
		}
	}
}
