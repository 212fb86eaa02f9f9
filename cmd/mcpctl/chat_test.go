package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChatScript runs the script of docs/watch.md that posts to a chat as --exec of a watch, for Slack and for Teams, with a
// server in the place of the chat. An outage is not posted.
func TestChatScript(t *testing.T) {
	for _, program := range []string{"jq", "curl"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS == "windows" {
			t.Skipf("NOT TESTED: the script for chats needs %s and a POSIX shell", program)
		}
	}
	_, script, _ := strings.Cut(readText(t, "../../docs/watch.md"), "```sh\n")
	script, _, found := strings.Cut(script, "\n```")
	if !found || strings.Count(script, `| $slack"`) != 1 {
		t.Fatalf("docs/watch.md: the script is not as expected:\n%s", script)
	}
	const text = "fixture: `b` was removed. `c` was removed."
	for chat, want := range map[string]string{
		"slack": `{"text": "` + text + `"}`,
		"teams": `{"type": "message", "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content":
			{"type": "AdaptiveCard", "version": "1.4", "body": [{"type": "TextBlock", "wrap": true, "text": "` + text + `"}]}}]}`,
	} {
		t.Run(chat, func(t *testing.T) {
			t.Parallel()
			posted := make(chan string, 8)
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				posted <- r.Method + " " + r.Header.Get("Content-Type") + " " + string(body)
			}))
			defer site.Close()
			dir := t.TempDir()
			writeText(t, filepath.Join(dir, "notify.sh"), strings.Replace(script, "| $slack", "| $"+chat, 1))
			writeText(t, filepath.Join(dir, "server.yaml"),
				`{tools: [{name: a}, {name: b}, {name: c}], capabilities: {tools: {listChanged: true}}, on: {
				tools/list#1: [answer, {sleep: 50ms}, {send: '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'}],
				tools/list: [{result: {tools: [{name: a}]}}]}}`)
			if err := os.Chmod(filepath.Join(dir, "notify.sh"), 0o755); err != nil {
				t.Fatal(err)
			}
			run := func(program string, args ...string) string {
				cmd := exec.Command(program, args...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "CHAT_URL="+site.URL, "MCPCTL_EVENT=stale")
				out, _ := cmd.CombinedOutput() // watch ends with status 1
				return string(out)
			}
			run("./notify.sh")
			out := run("mcpctl", "watch", "--fail-on", "any", "--exec", "./notify.sh", "--", "fixture", "stdio", "server.yaml")
			close(posted)
			got := ""
			for post := range posted {
				got += post
			}
			body, isJSON := strings.CutPrefix(got, "POST application/json ")
			if diff := cmp.Diff(asAny(t, want), asAny(t, body)); !isJSON || diff != "" {
				t.Errorf("posted %s (-want +got):\n%s\nthe watch wrote\n%s", got, diff, out)
			}
		})
	}
}

func asAny(t *testing.T, text string) (value any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Errorf("%v in %q", err, text)
	}
	return value
}
