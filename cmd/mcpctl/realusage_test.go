//go:build real

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRealUsage calls an old release of Playwright's server, which drives a browser, keeps of each call what was sent and whether the
// answer is an error, and judges the new release by these records: the story of docs/usage-records.md.
func TestRealUsage(t *testing.T) {
	if os.Getenv("MCPCTL_REAL_NODE") == "" {
		t.Skip("SKIPPED LOUDLY: the packages need Node, which this machine lacks")
	}
	browser := slices.IndexFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if browser < 0 {
		t.Skipf("SKIPPED LOUDLY: there is no browser: %s", strings.Join(browsers, ", "))
	}
	path, _ := exec.LookPath(browsers[browser])
	page := `data:text/html,<title>Shop</title><button>Submit order</button>`
	dir := t.TempDir()
	var records strings.Builder
	record := func(consumer string, calls func(call func(tool, arguments string) string)) {
		s := startOld(t, dir, path)
		calls(func(tool, arguments string) string {
			text, failed := s.call(t, tool, arguments)
			fmt.Fprintf(&records, `{"server":"@playwright/mcp","tool":%q,"arguments":%s,"isError":%t,"consumer":%q,"project":"shop"}`+"\n", tool, arguments, failed, consumer)
			return text
		})
		s.end(t)
	}
	record("buyer", func(call func(tool, arguments string) string) {
		call("browser_navigate", fmt.Sprintf(`{"url":%q}`, page))
		ref := regexp.MustCompile(`button "Submit order" \[ref=(\w+)\]`).FindStringSubmatch(call("browser_snapshot", `{}`))
		if ref == nil {
			t.Fatal("the page shows no button")
		}
		click := fmt.Sprintf(`{"element":"Submit order button","ref":%q}`, ref[1])
		call("browser_click", click)
		call("browser_click", click)
		call("browser_click", `{"selector":"#go"}`) // which the old release refuses, too
		call("browser_run_code", `{"code":"async (page) => { return await page.title(); }"}`)
		call("browser_take_screenshot", `{"type":"png"}`)
	})
	record("monitor", func(call func(tool, arguments string) string) {
		call("browser_navigate", fmt.Sprintf(`{"url":%q}`, page))
		call("browser_network_requests", `{"static":false,"requestBody":true,"requestHeaders":true}`)
		call("browser_network_requests", `{"static":true,"requestBody":false,"requestHeaders":false}`)
		call("browser_take_screenshot", `{"type":"jpeg","filename":"shop.jpeg"}`)
	})
	t.Logf("\n%s", records.String())
	file := filepath.Join(dir, "calls.jsonl")
	if err := os.WriteFile(file, []byte(records.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(variable, filepath.Join(dir, variable))
	}
	t.Chdir(dir)
	if said := string(runReal(t, 0, []string{"usage", "import", file})); !strings.Contains(said, "calls: 11 new") {
		t.Errorf("the import says %s", said)
	}
	said := string(runReal(t, 1, []string{"diff", "--yes", "--quiet", "--usage", "local", "--color", "never", "npm:@playwright/mcp@0.0.70", "npm:@playwright/mcp@0.0.83", "--format", "table"}))
	t.Log(said)
	for _, want := range []string{
		"browser_click: 2 recorded calls by 1 agent (buyer) in 1 project (shop) in 30 days would be refused",
		`2 recorded calls by 1 agent (monitor) in 1 project (shop) in 30 days would be refused`,
		`1 recorded call by 1 agent (buyer) in 1 project (shop) in 30 days would be refused, the last one of ` + time.Now().UTC().Format(time.DateOnly) + `; here is one: {"code": "<text of 41–50 characters>"}`,
		"no recorded call is affected: 0 of this tool, 11 of this server in 30 days",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %s", want)
		}
	}
}

// browsers are the programs that Playwright can drive, as this machine may have them.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// oldServer is a session with an old release.
type oldServer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	id  int
}

func startOld(t *testing.T, dir, browser string) *oldServer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	s := &oldServer{cmd: exec.CommandContext(ctx, "npx", "-y", "@playwright/mcp@0.0.70", "--headless", "--isolated", "--no-sandbox", "--executable-path", browser, "--output-dir", dir)}
	s.cmd.Dir, s.cmd.Env = dir, append(os.Environ(), "npm_config_ignore_scripts=true") // those of strangers
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 16<<20)
	s.ask(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"mcpctl-test","version":"1"}}`)
	s.write(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

func (s *oldServer) write(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// ask is the result of a request.
func (s *oldServer) ask(t *testing.T, method, params string) json.RawMessage {
	t.Helper()
	s.id++
	s.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.id, method, params))
	for s.out.Scan() {
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(s.out.Bytes(), &answer); err != nil || answer.Error != nil {
			t.Fatalf("%s: %v: %s", method, err, s.out.Bytes())
		}
		if answer.ID == s.id {
			return answer.Result
		}
	}
	t.Fatalf("%s is not answered: %v", method, s.out.Err())
	return nil
}

// call is what a tool answers, and whether it says that this is an error.
func (s *oldServer) call(t *testing.T, tool, arguments string) (text string, failed bool) {
	t.Helper()
	var result struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(s.ask(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)), &result); err != nil {
		t.Fatal(err)
	}
	for _, c := range result.Content {
		text += c.Text
	}
	return text, result.IsError
}

func (s *oldServer) end(t *testing.T) {
	t.Helper()
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	for s.out.Scan() { // so that it is not cut off
	}
	_ = s.cmd.Wait()
}
