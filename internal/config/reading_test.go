package config

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// loadOne returns the only entry of a project's file.
func loadOne(t *testing.T, file, text string, lookup func(string) (string, bool)) Entry {
	t.Helper()
	dir := t.TempDir()
	place(t, dir+"/"+file, []byte(text))
	c, err := Load(Input{Dir: dir, Root: dir, OS: "linux", Lookup: lookup})
	if err != nil || len(c.Entries) != 1 {
		t.Fatalf("%s: %v", text, err)
	}
	return c.Entries[0]
}

// TestAddressesOfEveryReading: an address is found whether the variables of the entry are set or not, and in what programs
// take for the host of a URL.
func TestAddressesOfEveryReading(t *testing.T) {
	for text, want := range map[string]string{
		"https://${SUB:-api}.a.example/":                                          "api.a.example",
		"https://${HOST:-a.example}/":                                             "a.example",
		"https://x:${T:-@localhost/}@a.example/":                                  "a.example",
		"https://${SET:-localhost/}.a.example/":                                   "${SET}.a.example",
		"${A:-http://localhost/${B:-?}}@a.example":                                "a.example",
		"https:${E:-}//a.example/":                                                "a.example",
		"http://${SHLVL:-127.}1.2.3/":                                             "${SHLVL}1.2.3",
		"https://a.example${PATH}@localhost/":                                     "a.example",
		"https://a.example${PWD}@localhost/":                                      "a.example",
		"https://a.example${XDG_CONFIG_HOME}@localhost/":                          "a.example",
		"https://${USER}:${T}@a.example/":                                         "a.example",
		"https://localhost,@a/":                                                   "a",
		"https://localhost(@a/":                                                   "a",
		"https://localhost'@a/":                                                   "a",
		"https://localhost;@a/":                                                   "a",
		"https://ok.example,https://localhost@a.example":                          "ok.example a.example",
		"http://localhost:${PORT:-8080}/":                                         "",
		"http://localhost/?u=https%3A%2F%2Fa.example%2F":                          "a.example",
		"http://localhost/?u=%zz&v=https%253a%252f%252fa.example":                 "a.example",
		"http://localhost/?u=100%25":                                              "",
		"https://${HOST}/":                                                        "",
		"file:///etc/hosts":                                                       "",
		"https://" + strings.Repeat("${V:-x}", 12) + ".z/":                        "xxxxxxxxxxxx.z",
		"http://${A:-}${B:-}${C:-}${D:-}${E:-}${F:-}${G:-}${H:-}${I:-}localhost/": anyAddress,
	} {
		for _, entry := range []string{`{"command": "x", "env": {"BASE": "` + text + `", "K": "${K}"}}`,
			`{"url": "` + text + `", "headers": {"K": "${K}"}}`} {
			e := loadOne(t, ".mcp.json", `{"mcpServers": {"s": `+entry+`}}`, nil)
			x := e.Effects()
			if got := strings.Join(x.Addresses, " "); got != want && !(want == "ok.example a.example" && e.Server.HTTP != nil) {
				t.Errorf("%s: %q, want %q", entry, got, want)
			}
			if x.Marked() != (want != "") {
				t.Errorf("%s: asked about alone: %v", entry, x.Marked())
			}
		}
	}
	inputs := `"inputs": [{"id": "h", "type": "pickString", "default": "localhost", "options": ["localhost", "a.example"]}]`
	e := loadOne(t, ".vscode/mcp.json",
		`{`+inputs+`, "servers": {"s": {"url": "https://${input:h}/", "headers": {"K": "${K}"}}}}`, nil)
	if got := e.Effects().Addresses; !slices.Equal(got, []string{"a.example"}) {
		t.Errorf("of an option: %q", got)
	}
}

// TestNoAddressIsHidden: an entry with a secret is asked about alone unless its URL really leads to this machine or to what is
// only the user's own, for URLs and environments at random.
func TestNoAddressIsHidden(t *testing.T) {
	pieces := []string{"https://", "localhost", "127.0.0.1", "a.example", "b", "@", "/", ",", ":80", "?", "#", ";", ".", "${A}",
		"${A:-localhost}", "${A:-@localhost/}", "${B:-b.example}", "${B:-${A:-a.example}@}", "${PATH}", "${E:-}", "user:", "${HOME:-/}"}
	random := rand.New(rand.NewPCG(1, 2))
	var servers []string
	for i := range 500 {
		text := "https://"
		for range 1 + random.IntN(6) {
			text += pieces[random.IntN(len(pieces))]
		}
		servers = append(servers, fmt.Sprintf(`"s%d": {"url": "%s", "headers": {"K": "${K}"}}`, i, text))
	}
	dir, found := t.TempDir(), 0
	place(t, dir+"/.mcp.json", []byte(`{"mcpServers": {`+strings.Join(servers, ", ")+`}}`))
	for set := range 8 {
		c, err := Load(Input{Dir: dir, Root: dir, OS: "linux", Lookup: func(name string) (string, bool) {
			i := strings.Index("ABE", name)
			value := map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/root", "K": "k", "A": "own", "B": "own", "E": "own"}[name]
			return value, value != "" && (len(name) > 1 || i < 0 || set&(1<<i) != 0)
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range c.Entries {
			if e.Err() != nil {
				continue
			}
			u, err := url.Parse(e.Server.HTTP.URL)
			if err != nil || kit.ThisMachine(u.Host) || strings.Trim(strings.ReplaceAll(u.Host, "own", ""), ".:80") == "" {
				continue
			}
			found++
			if !e.Effects().Marked() {
				t.Errorf("%s is not asked about alone, and contacts %s with %03b", e.address(), u.Host, set)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d URLs had a host", found)
	}
}

// TestUnverifiedHostsAreThoseContacted: the host of a URL that comes from the environment, as the client has it.
func TestUnverifiedHostsAreThoseContacted(t *testing.T) {
	for text, want := range map[string]string{
		"https://${A}/":                    "127.0.0.1",
		"https://${A}:/":                   "127.0.0.1:",
		"https://${A:-a.example}:80/":      "127.0.0.1:80",
		"https://${B:-a.example}/":         "",
		"https://a.example/${A}":           "",
		"https://a.example@${A}/":          "127.0.0.1",
		"https://a.example${P}@b.example/": "a.example",
	} {
		e := loadOne(t, ".mcp.json", `{"mcpServers": {"s": {"url": "`+text+`"}}}`, func(name string) (string, bool) {
			value, ok := map[string]string{"A": "127.0.0.1", "P": "/x"}[name]
			return value, ok
		})
		if got := strings.Join(e.Login.UnverifiedHosts, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestCodeInDefaults: a shell or an interpreter that a default names is one, and a launcher there has its settings.
func TestCodeInDefaults(t *testing.T) {
	for entry, want := range map[string]string{
		`{"command": "${S:-sh}", "args": ["-c", "x"]}`:              shellLine,
		`{"command": "/usr/bin/${N:-no}de", "args": ["-e", "x"]}`:   inlineText,
		`{"command": "env", "args": ["${S:-sh}", "-c", "x"]}`:       shellLine,
		`{"command": "sh", "args": ["${C:--c}", "x"]}`:              shellLine,
		`{"command": "python3.13t", "args": ["-c", "x"]}`:           inlineText,
		`{"command": "python3-dbg", "args": ["-c", "x"]}`:           inlineText,
		`{"command": "${S:-x}", "args": ["${A:-server.js}"]}`:       "",
		`{"command": "${S}", "args": ["-c", "x"]}`:                  "",
		`{"command": "node", "args": ["${F:-index.js}", "-e", ""]}`: "",
	} {
		if got := loadOne(t, ".mcp.json", `{"mcpServers": {"s": `+entry+`}}`, nil).Effects().Code; got != want {
			t.Errorf("%s: %q, want %q", entry, got, want)
		}
	}
	asked := loadOne(t, ".vscode/mcp.json", `{"inputs": [{"id": "x", "type": "pickString", "options": ["node", "sh"]}],
		"servers": {"s": {"command": "${input:x}", "args": ["-c", "x"]}}}`, nil)
	if got := asked.Effects().Code; got != shellLine {
		t.Errorf("an option of an input: %q", got)
	}
	for line, want := range map[string]string{
		"npx x": "npx", "env npx x": "npx", "env A=b npx x": "npx", "cmd /c npx x": "npx", "timeout 5s uvx x": "uvx",
		"node npx": "node", "env node npx": "env",
	} {
		if got := launched(strings.Fields(line))[0]; got != want {
			t.Errorf("%s starts %s, want %s", line, got, want)
		}
	}
}
