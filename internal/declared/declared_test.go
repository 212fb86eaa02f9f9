package declared_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/declared"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const manifest = `{"dxt_version": "0.1", "name": "t", "version": "1.0.0", "display_name": "T", "tools_generated": true,
"tools": [{"name": "a", "description": "A."}], "prompts": [{"name": "p", "arguments": ["x"]}]}`

// TestForms reads each form that says what a server is.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		holds func(check.Declared) bool
	}{
		"registry": {`{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": "a.b/c", "description": "x", "version": "1.0.0",
"packages": [{"registryType": "npm", "identifier": "c", "version": "1.0.0", "transport": {"type": "stdio"}}], "remotes": [{"type": "sse", "url": "https://x/"}]}`,
			func(d check.Declared) bool {
				return d.Name.Text == "a.b/c" && len(d.Faults) == 0 && len(d.Transports) == 2 && d.Packages[0] == (check.DeclaredPackage{Type: check.Said{Text: "npm", Line: 2}, Name: check.Said{Text: "c", Line: 2}, Version: check.Said{Text: "1.0.0", Line: 2}})
			}},
		"an answer of the registry": {`{"server": {"name": "a.b/c", "version": "1.0.0", "remotes": []}, "_meta": {}}`,
			func(d check.Declared) bool { return d.Version.Text == "1.0.0" && len(d.Faults) == 2 }},
		"before 2025-09-16": {`{"name": "a.b/c", "version": "1.0.0", "description": "x", "status": "active", "packages": [{"registry_type": "npm", "identifier": "c"}]}`,
			func(d check.Declared) bool {
				return d.Packages[0].Type.Text == "npm" && d.Transports[0].Text == "stdio" && len(d.Faults) == 4
			}},
		"faults": {`{"$schema": "x", "name": "acme", "version": "^1.2", "description": "` + strings.Repeat("é", 101) + `", "packages": [
{"registryType": "npm", "identifier": "a b", "transport": {}}, {"registryType": "npm", "identifier": "a", "version": "1.x", "transport": {}},
{"registryType": "mcpb", "identifier": "https://x/mcp.mcpb", "transport": {}}, {"registryType": "oci", "identifier": "x/y:1", "version": "1", "transport": {}}]}`,
			func(d check.Declared) bool { return len(d.Faults) == 8 && d.Faults[len(d.Faults)-1].Line == 3 }},
		"bundle": {manifest, func(d check.Declared) bool {
			return d.AtLeast[snapshot.Tools] && !d.AtLeast[snapshot.Prompts] && d.Items[snapshot.Tools][0].Description.Text == "A." && d.Items[snapshot.Prompts][0].Arguments[0] == "x" && len(d.Faults) == 3
		}},
		"card": {`{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "a/b", "version": "2.0.0", "remotes": [{"type": "streamable-http"}]}`,
			func(d check.Declared) bool {
				return d.Version.Text == "2.0.0" && d.Transports[0].Text == "streamable-http"
			}},
		"old card": {`{"serverInfo": {"name": "t", "version": "3.0.0", "title": "T"}, "tools": [{"name": "a"}]}`,
			func(d check.Declared) bool { return d.Version.Text == "3.0.0" && len(d.Items[snapshot.Tools]) == 1 }},
		"package": {`{"name": "c", "version": "1.0.0", "mcpName": "a.b/c"}`,
			func(d check.Declared) bool { return d.Version.Text == "1.0.0" && d.Packages[0].Version.Text == "1.0.0" }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "it.json"), []byte(c.text))
			all, err := declared.Load(dir, "it.json")
			if err != nil || !c.holds(all[0]) {
				t.Errorf("%v: %+v", err, all)
			}
		})
	}
}

// TestBundle reads the manifest in a bundle, signed or not, and nothing that is no bundle.
func TestBundle(t *testing.T) {
	dir := t.TempDir()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("manifest.json")
	if err == nil {
		_, err = w.Write([]byte(manifest))
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "t.mcpb"), archive.Bytes())
	write(t, filepath.Join(dir, "signed.mcpb"), append(archive.Bytes(), "MCPB_SIG_V1\x04\x00\x00\x00abcdMCPB_SIG_END"...))
	write(t, filepath.Join(dir, "broken.mcpb"), []byte("no archive"))
	for name, fine := range map[string]bool{"t.mcpb": true, "signed.mcpb": true, "broken.mcpb": false, "none.mcpb": false} {
		all, err := declared.Load(dir, name)
		if fine != (err == nil) || fine && all[0].Version.Text != "1.0.0" {
			t.Errorf("%s: %v, %+v", name, err, all)
		}
	}
}

// TestAuto takes the files of a project that say something of a server, and leaves the others out.
func TestAuto(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "package.json"), []byte(`{"name": "c", "version": "1.0.0"}`))
	if all, err := declared.Load(dir, declared.Auto); err == nil {
		t.Errorf("found %+v", all)
	}
	write(t, filepath.Join(dir, "manifest.json"), []byte(manifest))
	if all, err := declared.Load(dir, declared.Auto); err != nil || len(all) != 1 || all[0].File != "manifest.json" {
		t.Errorf("%v: %+v", err, all)
	}
	write(t, filepath.Join(dir, "server.json"), []byte("{"))
	if _, err := declared.Load(dir, declared.Auto); err == nil {
		t.Error("a broken file was passed over")
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
