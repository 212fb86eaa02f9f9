package config

import (
	"path/filepath"
	"regexp"
	"testing"
)

func TestFileName(t *testing.T) {
	for name, want := range map[string]string{
		"github":           "github.json",
		"GitHub_2.0-beta":  "GitHub_2.0-beta.json",
		"@scope/name":      "%40scope%2Fname.json",
		"../../x":          "%2E.%2F..%2Fx.json",
		"..":               "%2E..json",
		".":                "%2E.json",
		".hidden":          "%2Ehidden.json",
		`a\b:c*?"<>|`:      "a%5Cb%3Ac%2A%3F%22%3C%3E%7C.json",
		"con":              "%63on.json",
		"CON.tools":        "%43ON.tools.json",
		"Lpt1":             "%4Cpt1.json",
		"console":          "console.json",
		"a b":              "a%20b.json",
		"azAZ09":           "azAZ09.json",
		"`a{@A[/0:":        "%60a%7B%40A%5B%2F0%3A.json",
		"trailing.":        "trailing..json",
		"100%":             "100%25.json",
		"%63on":            "%2563on.json",
		"🦊":                "%F0%9F%A6%8A.json",
		"nul\x00\n":        "nul%00%0A.json",
		"localhost:3000":   "localhost%3A3000.json",
		"mcp.example.com":  "mcp.example.com.json",
		"invalid \xff utf": "invalid%20%FF%20utf.json",
	} {
		if got := FileName(name); got != want {
			t.Errorf("FileName(%q) = %q, want %q", name, got, want)
		}
		if back, ok := ServerName(filepath.Join("mcp-snapshots", want)); !ok || back != name {
			t.Errorf("ServerName(%q) = %q, %v, want %q", want, back, ok, name)
		}
	}
}

func TestServerNameOfOtherFiles(t *testing.T) {
	for _, file := range []string{"", ".json", "README.md", "github", "a b.json", "%zz.json", "con.json", "%61.json", "..json",
		"%c3.json"} {
		if name, ok := ServerName(file); ok {
			t.Errorf("ServerName(%q) = %q, want none", file, name)
		}
	}
}

var safeFile = regexp.MustCompile(`^[A-Za-z0-9%_-][A-Za-z0-9%_.-]*\.json$`)

func FuzzFileName(f *testing.F) {
	for _, name := range []string{"github", "../../x", "con", "a/b", "🦊", "%2F"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		file := FileName(name)
		if name == "" {
			return
		}
		if !safeFile.MatchString(file) || reserved().MatchString(file) || filepath.Base(file) != file {
			t.Errorf("FileName(%q) = %q is not safe", name, file)
		}
		if back, ok := ServerName(file); !ok || back != name {
			t.Errorf("ServerName(FileName(%q)) = %q, %v", name, back, ok)
		}
	})
}
