package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const manifest = `{"dxt_version": "0.1", "name": "t", "version": "1.0.0", "display_name": "T", "tools_generated": true,
"tools": [{"name": "a", "description": "A."}], "prompts": [{"name": "p", "arguments": ["x"]}]}`

// TestDeclarations reads each format that describes a server.
func TestDeclarations(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		holds func(check.Declared) bool
	}{
		"registry": {
			`{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": "a.b/c", "description": ` +
				`"x", "version": "1.0.0",
"packages": [{"registryType": "npm", "identifier": "c", "version": "1.0.0", "transport": {"type": "stdio"}}], "remotes": [{"type": ` +
				`"sse", "url": "https://x/"}]}`,
			func(d check.Declared) bool {
				return d.Name.Text == "a.b/c" && len(d.Faults) == 0 && len(d.Transports) == 2 &&
					d.Packages[0] == (check.DeclaredPackage{Type: check.DeclaredText{Text: "npm", Line: 2},
						Name: check.DeclaredText{Text: "c", Line: 2}, Version: check.DeclaredText{Text: "1.0.0", Line: 2}})
			}},
		"faults": {`{"$schema": "x", "name": "acme", "version": "^1.2", "description": "` + strings.Repeat("é", 101) + `", "packages": [
{"registryType": "npm", "identifier": "a b", "transport": {}}, {"registryType": "npm", "identifier": "a", "version": "1.x", "transport": ` +
			`{}},
{"registryType": "mcpb", "identifier": "https://x/mcp.mcpb", "transport": {}}, {"registryType": "oci", "identifier": "x/y:1", "version": ` +
			`"1", "transport": {}}]}`,
			func(d check.Declared) bool { return len(d.Faults) == 8 && d.Faults[len(d.Faults)-1].Line == 3 }},
		"variables": {
			`{"name": "a.b/c", "version": "1.0.0", "packages": [{"registryType": "npm", "identifier": "c", "environmentVariables": ` +
				`[{"name": "A", "isRequired": true}, {"name": "B"}]}]}`,
			func(d check.Declared) bool {
				return len(d.Variables) == 2 && d.Variables[0].Required && !d.Variables[1].Required
			}},
		"variables of a bundle": {
			`{"manifest_version": "0.3", "server": {"mcp_config": {"env": {"A": "${user_config.a}", "B": "${user_config.b}", "C": ` +
				`"plain"}}}, "user_config": {"a": {"required": true}, "b": {}}}`,
			func(d check.Declared) bool {
				return len(d.Variables) == 2 && d.Variables[0].Required && !d.Variables[1].Required
			}},
		"bundle": {manifest, func(d check.Declared) bool {
			return d.AtLeast[snapshot.Tools] && !d.AtLeast[snapshot.Prompts] && d.Items[snapshot.Tools][0].Description.Text == "A." &&
				d.Items[snapshot.Prompts][0].Arguments[0] == "x" && len(d.Faults) == 3
		}},
		"package": {`{"name": "c", "version": "1.0.0", "mcpName": "a.b/c"}`,
			func(d check.Declared) bool { return d.Version.Text == "1.0.0" && d.Packages[0].Version.Text == "1.0.0" }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "it.json"), []byte(c.text))
			d, err := new(CheckOptions).readDeclared(dir, "it.json")
			if err != nil || !c.holds(d.Declared) {
				t.Errorf("%v: %+v", err, d)
			}
		})
	}
}

// TestLinksOut reads nothing outside of the project, whether a file or a folder is the link. One within is followed.
func TestLinksOut(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	server := `{"name": "a.b/c", "version": "9.9.9", "packages": []}`
	write(t, filepath.Join(outside, "server.json"), []byte(server))
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	link(outside, "away")
	link(filepath.Join(outside, "server.json"), "server.json")
	for _, name := range []string{"away/server.json", "server.json"} {
		if all, err := new(CheckOptions).readDeclared(dir, name); err == nil ||
			!strings.Contains(err.Error(), "a link out of the project") {
			t.Errorf("%s: %v, %+v", name, err, all)
		}
	}
	write(t, filepath.Join(dir, "real.json"), []byte(server))
	link("real.json", "near.json")
	if d, err := new(CheckOptions).readDeclared(dir, "near.json"); err != nil || d.Version.Text != "9.9.9" {
		t.Errorf("%v, %+v", err, d)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
