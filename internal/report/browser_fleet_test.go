//go:build browser

package report

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestBrowserFleet draws a release of a real server and a fleet of three hundred, of which most have nothing to show: the page
// opens with the story, the rest is folded, and no one scrolls sideways.
func TestBrowserFleet(t *testing.T) {
	tab := openBrowser(t)
	for name, quiet := range map[string]int{"playwright": 0, "three-hundred": 297} {
		r := releaseAmong(t, quiet)
		file := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(file, []byte(written(t, "html", r, told(Options{}))), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s/%d/%s", name, width, scheme), func(t *testing.T) {
					tab.draw(t, file, width, scheme)
					if wide := evaluate[int](t, tab, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
						t.Errorf("the page is %d pixels wider than the window", wide)
					}
					if of := evaluate[int](t, tab, `[...document.querySelectorAll("h2, h3")].filter((e) => e.textContent.includes("of playwright")).length`); quiet > 0 && of < 9 {
						t.Errorf("%d causes say which server they are of", of)
					}
					if top := evaluate[float64](t, tab, `document.querySelector("header ul").getBoundingClientRect().top`); top > 500 {
						t.Errorf("the story begins %.0f pixels down", top)
					}
					if high := evaluate[float64](t, tab, `document.documentElement.scrollHeight`); high > 14_000 {
						t.Errorf("the page is %.0f pixels high", high)
					}
					if n := evaluate[int](t, tab, `[...document.querySelectorAll("body *")].filter((e) => e.children.length == 0 && e.checkVisibility() && /server-1(00|01|99)\b/.test(e.textContent)).length`); n > 0 {
						t.Errorf("%d servers that have nothing to show are shown", n)
					}
				})
			}
		}
	}
}

// releaseAmong is what changed between two releases of a real server, beside many others of which nothing is to be said, one
// that could not be asked and one that was never saved.
func releaseAmong(t *testing.T, quiet int) *Report {
	t.Helper()
	read := func(file string) *snapshot.Snapshot {
		raw, err := os.ReadFile("../../pkg/diff/testdata/real/playwright-0.0.83/" + file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old, now := read("old.json"), read("new.json")
	found, err := diff.Compare(t.Context(), old, now, diff.Options{Server: "playwright"})
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Command: "diff", Status: 1, Findings: found}
	server := func(name string) Server {
		return Server{Name: name, State: OK, Comparison: Comparison{Base: "mcp-snapshots/" + name + ".json"}, Source: "mcp.json"}
	}
	for i := range quiet {
		r.Servers = append(r.Servers, server(fmt.Sprintf("server-%d", i)))
		if i%3 == 0 {
			r.Findings = append(r.Findings, finding.Finding{
				Rule: "server-version-changed", Level: finding.Info, Server: fmt.Sprintf("server-%d", i), Path: "/serverInfo/version",
				Old: []byte(`"1.0.0"`), New: []byte(`"1.1.0"`), Message: `The server's version changed from "1.0.0" to "1.1.0".`,
			})
		}
	}
	changed := server("playwright")
	changed.Changed = SignatureChanges(old, now)
	r.Servers = append(r.Servers, changed)
	if quiet > 0 {
		failed, fresh := server("lost"), server("fresh")
		failed.State = Failed
		failed.Fail(Failure{Stage: "starting", Message: "server exited with status 1", Stderr: "Error: Cannot find module '/srv/lost/index.js'"})
		fresh.Unsaved = true
		r.Servers = append(r.Servers, failed, fresh)
	}
	finding.Sort(r.Findings)
	return r
}
