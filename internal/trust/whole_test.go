package trust

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// place is where a file can say what a server starts, contacts, sends or is set to: %s is a text in JSON.
type place struct{ name, file, text string }

func places() (all []place) {
	entry := func(file, shape string, members ...string) {
		for _, m := range members {
			all = append(all, place{file + " " + m, file, strings.Replace(shape, "ENTRY", m, 1)})
		}
	}
	entry(".mcp.json", `{"mcpServers": {"s": {ENTRY}}}`,
		`"command": %s`, `"command": "x", "args": [%s]`, `"command": "x", "args": ["-y", %s, "b"]`,
		`"command": "npx", "args": ["-y", "a", "--token", %s]`,
		`"command": "sh", "args": ["-c", %s]`, `"command": "x", "env": {"V": %s}`, `"command": "x", "env": {"API_KEY": %s}`,
		`"command": "x", "env": {"NODE_OPTIONS": %s}`, `"command": "x", "env": {"GIT_ASKPASS": %s}`, `"command": "x", "env": {%s: "y"}`,
		`"command": "x", "envFile": %s`, `"command": "x", "cwd": %s`,
		`"url": %s`, `"serverUrl": %s`, `"httpUrl": %s`, `"url": "https://h.example/mcp", "headersHelper": %s`,
		`"url": "https://h.example/mcp", "headers": {"X-A": %s}`, `"url": "https://h.example/mcp", "headers": {"Authorization": %s}`,
		`"url": "https://h.example/mcp", "headers": {"X-A": {"file": %s}}`, `"url": "https://h.example/mcp", "bearerToken": %s`,
		`"url": "https://h.example/mcp", "bearerToken": {"command": %s}`, `"url": "https://h.example/mcp", "bearerToken": {"file": %s}`,
		`"url": "https://h.example/mcp", "bearer_token_env_var": %s`, `"url": "https://h.example/mcp", "http_headers": {"X-A": %s}`,
		`"url": "https://h.example/mcp", "env_http_headers": {"X-A": %s}`,
		`"url": "https://h.example/mcp", "auth": {"CLIENT_ID": %s}`)
	for _, key := range []string{"clientId", "clientSecret", "authServerMetadataUrl", "authorizationUrl", "tokenUrl", "redirectUri",
		"clientMetadataUrl",
		"scope", "resource", "keyId"} {
		entry(".mcp.json", `{"mcpServers": {"s": {"url": "https://h.example/mcp", "oauth": {ENTRY}}}}`, fmt.Sprintf("%q: ", key)+"%s")
	}
	entry(".mcp.json", `{"mcpServers": {"s": {"url": "https://h.example/mcp", "oauth": {ENTRY}}}}`, `"scopes": [%s]`,
		`"clientSecret": {"file": %s}`,
		`"privateKey": {"file": %s}`, `"identityToken": {"file": %s}`)
	entry(".vscode/mcp.json", `{"servers": {"s": {ENTRY}}}`, `"command": %s`, `"command": "x", "args": [%s]`,
		`"command": "x", "env": {"PATH": %s}`)
	entry(".vscode/mcp.json", `{"servers": {"s": {"command": "x", "args": ["${input:q}"]}}, "inputs": [{"id": "q", ENTRY}]}`,
		`"default": %s`, `"password": true, "default": %s`, `"type": "pickString", "options": [{"label": "a", "value": %s}]`,
		`"type": "pickString", "options": [%s]`)
	entry("mcp.json", `{"context_servers": {"s": {ENTRY}}}`, `"command": {"path": %s}`, `"command": {"path": "x", "args": [%s]}`,
		`"command": {"path": "x", "env": {"V": %s}}`)
	entry("mcp.json", `{"mcp_servers": {"s": {ENTRY}}}`, `"command": %s`, `"command": "x", "env_vars": [%s]`)
	entry("mcp.json", `{"mcp": {"s": {ENTRY}}}`, `"type": "local", "command": [%s]`, `"type": "local", "command": ["x", %s]`,
		`"type": "local", "command": ["x"], "environment": {"V": %s}`, `"type": "remote", "url": %s`)
	entry("mcp.json", `{"mcpServers": [{"name": "s", ENTRY}]}`, `"command": %s`,
		`"type": "sse", "url": "https://h.example/", "requestOptions": {"headers": {"X-A": %s}}`)
	entry("mcp.json", `{"extensions": {"s": {ENTRY}}}`, `"type": "stdio", "cmd": %s`, `"type": "stdio", "cmd": "x", "envs": {"V": %s}`,
		`"type": "stdio", "cmd": "x", "env_keys": [%s]`, `"type": "sse", "uri": %s`)
	entry("mcpctl.yaml", `{"servers": {"s": {ENTRY}}}`, `"command": %s`, `"command": "x", "sandbox": {"write": [%s]}`,
		`"command": "x", "sandbox": {"network": [%s]}`)
	return all
}

// payloads are texts that a repository once had run, or sent to, without showing them.
var payloads = []string{
	"touch pwned; exec npx -y @acme/docs-mcp # -----BEGIN PRIVATE KEY-----",
	`require("fs").writeFileSync("pwned","")//-----BEGIN PRIVATE KEY-----`,
	`./auth --token "$(touch pwned)"`, `curl -H "Authorization: Bearer $(touch pwned)" https://h/`,
	"echo https://x/?a=b;touch${IFS}pwned", "API_KEY=$(touch${IFS}pwned) ./get", "echo {}#token:;touch pwned",
	"--import=data:text/javascript,import(%22fs%22).then(f=>f.writeFileSync(%22pwned%22,%22%22))",
	"sk-totally-evil-package-1", "./sk-totally-evil-program-1", "npx server https://docs.example/#;touch${PWD:-x}/tmp/pwned",
	"${BASE_URL:-https://collector.example}", "https://${U:-evil.example}/", "evil.example/x", "//evil.example/x", "[2001:db8::1]:443",
	"ZWNobyBwd25lZA==|base64 -d|sh", "-----BEGIN PRIVATE KEY-----\n/tmp/evil\n-----END PRIVATE KEY-----", "a\x1b[2Kb\u202ec\u200bd",
	"https://evil.example:443/x@good.example/", "https://user:p4ssw0rd@evil.example/?token=abc123def456",
	"Bearer $(touch pwned)", "*** (40 characters)", "node_modules/.bin/evil1x2y3", "漢字漢字漢字 evil", strings.Repeat("long ", 30) + "evil",
	strings.Repeat("x", 200) + "evil", strings.Repeat("a ", 3000) + "evil", strings.Repeat("\n", 40) + "evil", "PATH", "evil", "/tmp/evil",
}

// whole fails unless everything that can be answered with yes is printed whole above the question: a text in a place of a
// file. It reports whether the text was asked about.
func whole(t *testing.T, u user, p place, payload string) (asked bool) {
	t.Helper()
	for _, changed := range []string{"workspaceFolder", "userHome", "pathSeparator", "${/}", "CLAUDE_", "$${", "\ufffd"} {
		if strings.Contains(payload, changed) { // what the file means by it is shown
			return false
		}
	}
	if strings.HasPrefix(payload, "~") || strings.Contains(p.text, "command\": [") && strings.Contains(payload, "{") {
		return false
	}
	isPath := strings.Contains(p.name, `"cwd"`) || strings.Contains(p.name, `"write"`)
	if isPath && filepath.Clean(payload) != payload {
		return false
	}
	quoted, err := json.Marshal(payload)
	var same string
	if err != nil || json.Unmarshal(quoted, &same) != nil || same != payload {
		return false
	}
	for _, file := range []string{".mcp.json", "mcp.json", "mcpctl.yaml", ".vscode/mcp.json"} {
		_ = os.Remove(u.path("project/" + file))
	}
	u.writes("project/"+p.file, strings.Replace(p.text, "%s", string(quoted), 1))
	cfg, err := config.Load(config.Input{Dir: u.path("project"), Home: u.home, Root: u.home, OS: "linux"})
	if err != nil {
		return false
	}
	clean := strings.NewReplacer(" ", "", "\n", "", "'", "", `\`, "", "*", "", "\t", "").Replace
	if clean(payload) == "" {
		return false
	}
	for _, size := range [][2]int{{80, 24}, {40, 12}, {200, 50}} {
		for _, named := range []bool{false, true} {
			s := newScreen(size[0], size[1])
			s.heading = "Found in this project, not trusted yet:"
			if named {
				s.whole = namedWhole
			}
			for _, part := range s.parts(subjectsOf(cfg.Entries, config.Entry.OwnFile)) {
				if len(part.asked()) == 0 {
					continue
				}
				asked = true
				shown := strings.Join(part.rows, "\n")
				if !named && len(part.rows)+strings.Count(part.question, "\n")+1 > size[1] {
					t.Errorf("%s: %d rows on a screen of %d", p.name, len(part.rows), size[1])
				}
				text := strings.TrimSpace(payload)
				word := strings.NewReplacer("\n", `\x0a`, "\t", `\x09`, "\r", `\x0d`).Replace(text) // as a command line has it
				if strings.Contains(clean(shown), clean(printable.Message(text))) ||
					strings.Contains(clean(shown), clean(printable.Message(word))) {
					continue
				}
				isValue := !strings.Contains(p.name, "command") || strings.Contains(p.name, `"env`)
				hidden := func(key string) bool { // one whole secret, and the rest of the value is there
					declared := redact.Declared(key, strings.TrimSpace(payload))
					return declared != payload && strings.Contains(clean(shown), clean(printable.Message(declared)))
				}
				if isValue && !strings.Contains(p.name, "NODE_OPTIONS") && !strings.Contains(p.name, "GIT_") &&
					(hidden("V") || hidden("token")) {
					continue
				}
				t.Errorf("%s: %q is asked about and not shown whole:\n%s", p.name, payload, shown)
			}
		}
	}
	return asked
}

// TestWhatIsAskedAboutIsWhole puts every payload in every place of every form of file; in make test each third one, so that
// every payload and every place is still tried.
func TestWhatIsAskedAboutIsWhole(t *testing.T) {
	u := newUser(t)
	for i, p := range places() {
		asked := 0
		for j, payload := range payloads {
			if !full && (i+j)%3 != 0 {
				continue
			}
			if whole(t, u, p, payload) {
				asked++
			}
		}
		if asked == 0 && !strings.Contains(p.name, "resource") && !strings.Contains(p.name, "protocol") {
			t.Errorf("%s: nothing was asked about", p.name)
		}
	}
}

// FuzzWhatIsAskedAboutIsWhole does it with any text.
func FuzzWhatIsAskedAboutIsWhole(f *testing.F) {
	all := places()
	for i, payload := range payloads {
		f.Add(uint(i), payload)
	}
	f.Fuzz(func(t *testing.T, i uint, payload string) {
		whole(t, newUser(t), all[i%uint(len(all))], payload)
	})
}
