package seen

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

var update = flag.Bool("update", false, "write testdata/hints.txt")

// TestHints compares the hint of each failure in pkg/probe/testdata/codes.json with testdata/hints.txt. Each code of
// pkg/probe is in a failure, and has a hint unless it is excused here.
func TestHints(t *testing.T) {
	text, err := os.ReadFile("../../pkg/probe/testdata/codes.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Name, Server string
		Stage        probe.Stage
		Code         probe.Code
		Facts        probe.Facts
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	seen := map[probe.Code]bool{probe.Forbidden: true} // who forbids it says why
	known := strings.NewReplacer("${userHome}", "", "{network: [HOST], write: [FOLDER]}", "")
	for _, row := range rows {
		hint := hintOf(&probe.Error{Server: row.Server, Stage: row.Stage, Code: row.Code, Facts: row.Facts})
		if seen[row.Code] = true; strings.ContainsAny(known.Replace(hint), "{}") || hint == "" {
			t.Errorf("%s: hint %q", row.Name, hint)
		}
		fmt.Fprintf(&got, "%s\n  %s\n", row.Name, hint)
	}
	if *update {
		if err := os.WriteFile("testdata/hints.txt", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/hints.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
	source, err := os.ReadFile("../../pkg/probe/code.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^\t\w+ +Code = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	for _, code := range codes {
		if !seen[probe.Code(code[1])] {
			t.Errorf("no failure in codes.json has the code %s", code[1])
		}
	}
	for code := range hints {
		if !slices.ContainsFunc(codes, func(c []string) bool { return probe.Code(c[1]) == code }) {
			t.Errorf("no code %s in pkg/probe", code)
		}
	}
}

// TestHintsOfPlaces: what a path or a URL lacks is said by how it is written.
func TestHintsOfPlaces(t *testing.T) {
	for _, c := range []struct {
		code  probe.Code
		facts probe.Facts
		want  string
	}{
		{probe.CommandNotFound, probe.Facts{Command: "node"}, "check the spelling, install it, or "},
		{probe.CommandNotFound, probe.Facts{Command: ".venv/bin/python"}, "check the path of the program, or "},
		{probe.CommandNotFound, probe.Facts{Command: `C:\tools\server.exe`}, "this is a path of Windows: "},
		{probe.NoEndpoint, probe.Facts{URL: "http://localhost/mcp/"}, "try the URL without the slash at its end"},
		{probe.NoEndpoint, probe.Facts{URL: "http://localhost/mcp"}, "check the path of the URL: the server has no"},
		{probe.NoEndpoint, probe.Facts{URL: "http://localhost/"}, "check the path of the URL: try /mcp or /sse"},
	} {
		hint := hintOf(&probe.Error{Code: c.code, Facts: c.facts})
		if !strings.HasPrefix(hint, c.want) && !(runtime.GOOS == "windows" && strings.Contains(c.facts.Command, `\`)) {
			t.Errorf("%v: hint %q, want %q", c.facts, hint, c.want)
		}
	}
}
