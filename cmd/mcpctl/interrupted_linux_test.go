package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/fixture"
)

// TestInterruptedRequests stops mcpctl while a server never ends its answer to one request of a login, a renewal or a
// logout: it ends at once and says so. Only a renewal, which could lose the login, is waited for, until a second signal.
func TestInterruptedRequests(t *testing.T) {
	t.Parallel()
	const known, tenant = "/.well-known/", "/tenant"
	const machine = `"oauth": {"grantType": "client_credentials", "clientId": "known", "clientSecret": "s3cret"}`
	for _, c := range []struct {
		name, path, command string
		before              string // a command that ends well
		client              string // a key of the entry
	}{
		{"challenge", "/mcp", "login s --device", "", ""},
		{"resource", known + "oauth-protected-resource/mcp", "login s --device", "", ""},
		{"metadata", known + "oauth-authorization-server" + tenant, "login s --device", "", ""},
		{"registration", tenant + "/register", "login s --device", "", ""},
		{"registration for a browser", tenant + "/register", "login s", "", ""},
		{"device", tenant + "/device", "login s --device", "", ""},
		{"device code", tenant + "/token", "login s --device", "", ""},
		{"code", tenant + "/token", "login s", "", ""},
		{"revocation", tenant + "/revoke", "logout s", "login s --device", ""},
		{"renewal", tenant + "/token", "list", "login s --device", ""},
		{"renewal while watching", tenant + "/token", "watch", "login s --device", ""},
		{"credentials", tenant + "/token", "list", "", machine},
		{"metadata for credentials", known + "oauth-authorization-server" + tenant, "list", "", machine},
		{"list", "/mcp", "list", "login s --device", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeText(t, filepath.Join(dir, "server.yaml"), "tools: 1\n")
			script, err := fixture.Load(filepath.Join(dir, "server.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			s := authtest.New(fixture.HTTP(script), authtest.Quirks{Life: 1})
			defer s.Close()
			entry := strings.Trim(fmt.Sprintf(`"url": %q, %s`, s.URL, c.client), ", ")
			writeText(t, filepath.Join(dir, "mcp.json"), `{"mcpServers": {"s": {`+entry+`}}}`)
			mcpctl := func(line string) *exec.Cmd {
				cmd := exec.Command("mcpctl", append(strings.Fields(line), "--config", "mcp.json")...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+dir, "MCPCTL_TOKEN_STORE=file", "BROWSER=follow")
				return cmd
			}
			if c.before != "" {
				if out, err := mcpctl(c.before).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			arrived := make(chan struct{})
			once := sync.OnceFunc(func() { close(arrived) })
			drips := func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the server sees the client leave
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				once()
				<-r.Context().Done()
			}
			s.Change(func(q *authtest.Quirks) { q.Answers = map[string]http.HandlerFunc{c.path: drips} })
			cmd := mcpctl(c.command)
			stderr, err := cmd.StderrPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
			<-arrived
			begun := time.Now()
			_ = cmd.Process.Signal(os.Interrupt)
			said, waited := "", false
			for lines := bufio.NewScanner(stderr); lines.Scan(); said += lines.Text() + "\n" {
				if strings.Contains(lines.Text(), "finishing the renewal of a login, at most 5s; a second signal ends it") {
					waited = true
					_ = cmd.Process.Signal(os.Interrupt)
				}
			}
			_ = cmd.Wait()
			if took := time.Since(begun); took > 3*time.Second || waited != strings.HasPrefix(c.name, "renewal") ||
				cmd.ProcessState.ExitCode() != 130 {
				t.Errorf("status %d after %v", cmd.ProcessState.ExitCode(), took)
			}
			if !strings.Contains(said, "ed by a signal (interrupt)") || strings.Contains(said, "hint: register") {
				t.Errorf("it said:\n%s", said)
			}
		})
	}
}
