package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/packages"
)

// TestProgramOfAPackage starts nothing but what npm has put into its directory of programs, whatever a package calls it.
func TestProgramOfAPackage(t *testing.T) {
	folder := t.TempDir()
	at := filepath.Join(folder, "node_modules", "@acme", "tickets")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, bin, want string }{
		{"npx @acme/tickets", `"dist/run.js"`, "tickets"},
		{"npx @acme/tickets", `{"@acme/run": "dist/run.js"}`, "run"},
		{"npx @acme/tickets@1.0.0", `{"other": "x", "tickets": "x"}`, "tickets"},
		{"npx -p @acme/tickets other", `{"other": "x", "tickets": "x"}`, "other"},
		{"npx -p @acme/tickets ../../../run", `"x"`, "run"},
		{"npx @acme/tickets", `{"../../../../usr/bin/id": "dist/run.js"}`, "id"},
		{"npx @acme/tickets", `{"C:\\id": "dist/run.js"}`, "id"},
		{"npx @acme/tickets", `{"..": "x"}`, ""},
		{"npx @acme/tickets@2.0.0", `"dist/run.js"`, "not installed"},
	} {
		manifest := `{"name": "@acme/tickets", "version": "1.0.0", "bin": ` + c.bin + `}`
		if err := os.WriteFile(filepath.Join(at, "package.json"), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		launch, _ := packages.Launched(strings.Fields(c.line))
		want := filepath.Join(folder, "node_modules", ".bin", c.want)
		if c.want == "not installed" {
			want = ""
		}
		if got := (Box{Home: folder}).fromNPM(launch, folder); got != want {
			t.Errorf("%s of %s: got %q, want %q", c.line, c.bin, got, want)
		}
	}
}
