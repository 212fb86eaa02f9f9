package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// attempt is one way around what docs/security.md promises: the input, the commands with their exit statuses, and
// what must hold afterwards, in the language of testdata/script. Each runs in a directory of its own with
// usualFiles; started.jsonl exists once the server one.yaml was started, and owned once code of the attacker ran.
type attempt struct {
	name     string
	files    string // in the format of txtar; replaces usualFiles of the same name
	commands string
	result   string
}

var usualFiles = map[string]string{
	".git/HEAD": "",
	".mcp.json": `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"]}}}` + "\n",
	"one.yaml":  "tools: [{name: a}]\nlog: started.jsonl\n",
	"echo.yaml": `tools: [{name: a}]
on:
  tools/list: [{result: {tools: [{name: t, description: 'with {{arg 0}}', inputSchema: {type: object}}]}}]
`,
	"fail.yaml": "on: {start: [{stderr: 'no {{arg 0}}'}, {exit: 1}]}\n",
}

const (
	notStarted = "! exists started.jsonl"
	asksAgain  = "stdout 'changed since it was trusted'\n" + notStarted
	trustIt    = "exits 0 mcpctl trust\n"
)

// edited are attempts to change a trusted entry so that the change is not asked about.
func edited(name, before, after, result string) attempt {
	return attempt{name, "-- .mcp.json --\n" + before + "\n-- edited.json --\n" + after + "\n",
		trustIt + "cp edited.json .mcp.json\nexits 2 mcpctl list --format json", result}
}

// echoed are attempts to have a value of the environment in what a server offers, or in an error.
func echoed(name, variable, value, script, written string) attempt {
	status := 0
	if script == "fail.yaml" {
		status = 3
	}
	return attempt{name, fmt.Sprintf("-- mcp.json --\n"+`{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "%s", "%s"]}}}`+"\n",
		script, written),
		fmt.Sprintf("env '%s=%s'\nexits %d mcpctl list s --config mcp.json --format json --verbose", variable, value, status),
		fmt.Sprintf("! stdout '%s'\n! stderr '%[1]s'\nstdout '(with|no) .*\\*\\*\\*'", value[4:])}
}

var attempts = map[string][]attempt{
	"trust": {
		{"list a found server", "", "exits 2 mcpctl list", notStarted},
		{"skip confirmations", "", "exits 2 mcpctl list --yes", notStarted},
		{"retry it", "", "exits 2 mcpctl list --retries 3", notStarted},
		{"complete its names", "", "exits 0 mcpctl call s --generate-bash-completion", notStarted},
		{"name its package in a diff", "-- .mcp.json --\n" + `{"mcpServers": {"s": {"command": "npx", "args": ["-y", "p@1.0.0"]}}}` + "\n",
			"env npm_config_registry=http://127.0.0.1:9/\nexits 2 mcpctl diff --upgrade", "! stdout 'looking up'"},
		edited("another argument", `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "two.yaml"]}}}`,
			`{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"]}}}`, asksAgain),
		edited("a variable more", `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"]}}}`,
			`{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"], "env": {"NODE_OPTIONS": "-r ./x"}}}}`, asksAgain),
		edited("a key that mcpctl does not know", `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"]}}}`,
			`{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"], "future": true}}}`, asksAgain),
		edited("another default of a variable", `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "${SCRIPT:-two.yaml}"]}}}`,
			`{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "${SCRIPT:-one.yaml}"]}}}`, asksAgain),
		edited("another directory", `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "../one.yaml"], "cwd": "a"}}}`,
			`{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"], "cwd": "."}}}`, asksAgain),
		edited("the name of a trusted server for another one",
			`{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "two.yaml"]}, "t": {"command": "fixture"}}}`,
			`{"mcpServers": {"t": {"command": "fixture", "args": ["stdio", "one.yaml"]}}}`, asksAgain),
		{"a trusted file in another directory", "", trustIt + "mkdir other\nmkdir other/.git\ncp .mcp.json other/.mcp.json\ncp one.yaml other/one.yaml\ncd other\nexits 2 mcpctl list",
			"stderr 'not trusted yet'\n" + notStarted},
		{"a link to a trusted file", "", "[!symlink] skip 'NOT TESTED: no symbolic links'\n" + trustIt +
			"mkdir other\nmkdir other/.git\nsymlink other/.mcp.json -> ../.mcp.json\ncp one.yaml other/one.yaml\ncd other\nexits 2 mcpctl list",
			"stderr 'changed since it was trusted'\n" + notStarted},
		{"a mcpctl.yaml that trusts", "-- mcpctl.yaml --\ntrust: true\ninclude: [.mcp.json]\n", "exits 2 mcpctl list", notStarted},
		{"a variable that trusts", "", "env MCPCTL_TRUST=true MCPCTL_YES=true\nexits 2 mcpctl list", notStarted},
		{"a mcpctl.yaml that looks into applications", "-- mcpctl.yaml --\ndiscover: true\n-- home/.cursor/mcp.json --\n{}\n", "exits 2 mcpctl list", "stderr 'discover'"},
		{"another default of an input", "-- .vscode/mcp.json --\n" + `{"servers": {"s": {"command": "fixture", "args": ["stdio", "${input:x}"]}},
"inputs": [{"id": "x", "type": "promptString", "default": "two.yaml"}]}` + "\n-- edited.json --\n" + `{"servers": {"s": {"command": "fixture", "args": ["stdio", "${input:x}"]}},
"inputs": [{"id": "x", "type": "promptString", "default": "one.yaml"}]}` + "\n", "rm .mcp.json\nenv MCPCTL_INPUT_X=one.yaml\n" + trustIt + "cp edited.json .vscode/mcp.json\nexits 2 mcpctl list --format json", asksAgain},
		{"another value of an anchor", "-- mcpctl.yaml --\nservers:\n  b: &b {command: fixture, args: [stdio, two.yaml], disabled: true}\n  s: {<<: *b, disabled: false}\n-- edited.yaml --\n" +
			"servers:\n  b: &b {command: fixture, args: [stdio, one.yaml], disabled: true}\n  s: {<<: *b, disabled: false}\n",
			"rm .mcp.json\n" + trustIt + "cp edited.yaml mcpctl.yaml\nexits 2 mcpctl list --format json", asksAgain},
		{"a grant for the sandbox", "-- mcpctl.yaml --\nservers:\n  s: {command: fixture, args: [stdio, one.yaml]}\n-- edited.yaml --\n" +
			"servers:\n  s: {command: fixture, args: [stdio, one.yaml], sandbox: {network: [h.example]}}\n",
			"rm .mcp.json\n" + trustIt + "cp edited.yaml mcpctl.yaml\nexits 2 mcpctl list --format json", asksAgain},
		{"a PATH of an envFile", "-- .mcp.json --\n" + `{"mcpServers": {"s": {"command": "tool", "envFile": ".env"}}}` + "\n-- .env --\nPATH=./bin\n-- bin/tool --\n#!/bin/sh\ntouch owned\n-- bin/tool.cmd --\n@>owned echo x\n",
			"[unix] chmod 755 bin/tool\nexits 3 mcpctl list --trust", "! exists owned\nstdout 'no such command in PATH'"},
		{"a relative PATH for npx", "-- .mcp.json --\n" + `{"mcpServers": {"s": {"command": "npx", "args": ["p"], "env": {"PATH": "bin"}}}}` + "\n-- bin/npx --\n#!/bin/sh\ntouch owned\n-- bin/npx.cmd --\n@>owned echo x\n",
			"[unix] chmod 755 bin/npx\nexits 3 mcpctl list --trust", "! exists owned\nstdout 'a relative entry of PATH'"},
		{"a command for headers", "-- .mcp.json --\n" + `{"mcpServers": {"s": {"url": "http://127.0.0.1:9/mcp", "headersHelper": "echo x >owned"}}}` + "\n", "exits 2 mcpctl list", "! exists owned"},
		{"a command for a token", "-- .mcp.json --\n" + `{"mcpServers": {"s": {"url": "http://127.0.0.1:9/mcp", "bearerToken": {"command": "echo x >owned"}}}}` + "\n", "exits 2 mcpctl list", "! exists owned"},
		{"a store that others can write", "", "[windows] skip 'NOT TESTED: modes of files'\n" + trustIt + "chmod 0666 $WORK/home/.local/state/mcpctl/trust.json\nexits 2 mcpctl list", "stderr 'not trusted'\n" + notStarted},
		{"a store that is a link", "", "[!symlink] skip 'NOT TESTED: no symbolic links'\n[windows] skip 'NOT TESTED: the state directory is another'\n" + trustIt +
			"mv $WORK/home/.local/state/mcpctl/trust.json mine.json\nsymlink $WORK/home/.local/state/mcpctl/trust.json -> $WORK/mine.json\nexits 2 mcpctl list", "stderr 'not trusted'\n" + notStarted},
		{"a store that is damaged", "-- broken.json --\n{\"mcpctl\": 3, \"trusted\": [{\"file\": \"\"}]}\n",
			"[windows] skip 'NOT TESTED: the state directory is another'\n" + trustIt + "cp broken.json $WORK/home/.local/state/mcpctl/trust.json\nexits 2 mcpctl list", "stderr 'not trusted'\n" + notStarted},
		{"an earlier commit for --base-ref", "-- good.json --\n" + `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "two.yaml"]}}}` + "\n-- two.yaml --\ntools: [{name: b}]\n",
			"[!exec:git] skip 'NOT TESTED: git is not installed'\nrm .git/HEAD\nexec git init -q .\nexec git add -A\nexec git commit -qm 1\ncp good.json .mcp.json\n" + trustIt + "exits 0 mcpctl diff --base-ref HEAD",
			notStarted + "\nstdout 'no changes'"},
	},
	"secrets": {
		echoed("a token of GitLab in a description", "GITLAB_PAT", "internal-cow-4712", "echo.yaml", "${GITLAB_PAT}"),
		echoed("a passcode in a description", "ADMIN_PASSCODE", "internal-pig-4713", "echo.yaml", "${ADMIN_PASSCODE}"),
		echoed("a short password in a description", "DB_PW", "cow4712x", "echo.yaml", "${DB_PW}"),
		echoed("a passphrase of words in a description", "PHRASE", "correct horse battery", "echo.yaml", "${PHRASE}"),
		echoed("a password within an address", "STORE", "postgres://me:pass-of-mine@db.example/x", "echo.yaml", "${STORE}"),
		echoed("a short value in stderr", "REGION", "northern", "fail.yaml", "${REGION}"),
		echoed("a value behind a flag in stderr", "COLOUR", "vermilion", "fail.yaml", "--colour=${COLOUR}"),
		{"the value in base64 in stderr", "-- mcp.json --\n" + `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "b.yaml", "${REGION}"]}}}` +
			"\n-- b.yaml --\non: {start: [{stderr: 'at bm9ydGhlcm4tcmVnaW9u and bm9ydGhl\n\n    cm4tcmVnaW9u.'}, {exit: 1}]}\n",
			"env REGION=northern-region\nexits 3 mcpctl list --config mcp.json --format json", "! stdout 'bm9ydGhl|cm4tcmVn'\nstdout 'at \\*\\*\\* and \\*\\*\\*'"},
		{"the value as a URL writes it", "-- mcp.json --\n" + `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "b.yaml", "${Q}"]}}}` +
			"\n-- b.yaml --\non: {start: [{stderr: 'at a%2fb%26c+d or a%2Fb%26c%20d'}, {exit: 1}]}\n",
			"env 'Q=a/b&c d'\nexits 3 mcpctl list --config mcp.json --format json", "stdout 'at \\*\\*\\* or \\*\\*\\*'"},
		{"the value as JSON writes it", "-- mcp.json --\n" + `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "b.yaml", "${Q}"]}}}` +
			"\n-- b.yaml --\non: {start: [{stderr: 'at ab\\u003ccd\\\"ef'}, {exit: 1}]}\n",
			"env 'Q=ab<cd\"ef'\nexits 3 mcpctl list --config mcp.json --format json", "stdout 'at \\*\\*\\*'\n! stdout 'u003ccd'"},
		{"a line of an envFile", "-- mcp.json --\n" + `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "e.yaml"], "envFile": ".env"}}}` +
			"\n-- .env --\nHEN=internal-hen-4714\n-- e.yaml --\ntools: 1\non:\n  tools/list: [{result: {tools: [{name: t, description: 'with {{env `HEN`}}', inputSchema: {type: object}}]}}]\n",
			"exits 0 mcpctl snapshot --config mcp.json", "! grep hen-4714 mcp-snapshots/s.json\ngrep 'with \\*\\*\\*' mcp-snapshots/s.json"},
		{"a literal secret in the question", "-- .mcp.json --\n" + `{"mcpServers": {"s": {"command": "fixture", "args": ["--token", "s3cret-of-them"], "env": {"API_KEY": "s3cret-of-them"}}}}` + "\n",
			"exits 0 mcpctl trust --dry-run", "! stdout s3cret\nstdout '\\*\\*\\*'"},
		{"an address beside a secret", "-- .mcp.json --\n" + `{"mcpServers": {"s": {"command": "npx", "args": ["p"], "env": {"K": "${K}", "BASE": "https://collector.example"}}}}` + "\n",
			"exits 0 mcpctl trust --dry-run", "stdout 'K, with BASE=https://collector.example'"},
	},
	"bounds": {
		{"a blob of 300 MiB in git", "", "[!exec:git] skip 'NOT TESTED: git is not installed'\n[!exec:truncate] skip 'NOT TESTED: there is no truncate'\nrm .git/HEAD\nmkdir mcp-snapshots\nexec git init -q .\n" +
			"exec truncate -s 300M mcp-snapshots/s.json\nexec git add mcp-snapshots\nexec git commit -qm 1\nrm mcp-snapshots/s.json\nexits 2 mcpctl list git:HEAD", "stderr 'larger than'"},
		{"a server in a session of its own", "-- server.sh --\n#!/bin/sh\n(setsid nohup setsid sleep 7779 >/dev/null 2>&1 &)\nexec fixture stdio one.yaml\n",
			"[!linux] skip 'NOT TESTED: only Linux finds descendants whose parents ended'\n[!exec:setsid] skip 'NOT TESTED: there is no setsid'\nchmod 755 server.sh\nexits 0 mcpctl list -- ./server.sh", "nochild"},
	},
}

// TestAttempts runs every attempt to get around docs/security.md.
func TestAttempts(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	for group, all := range attempts {
		for _, a := range all {
			script := "# " + group + ": " + a.name + "\n" + a.commands + "\n" + a.result + "\n! exists owned\n" + a.files
			if a.files == "" {
				script += "\n"
			}
			for name, text := range usualFiles {
				if !strings.Contains("\n"+a.files, "\n-- "+name+" --\n") {
					script += "-- " + name + " --\n" + text
				}
			}
			n++
			file := strings.ReplaceAll(group+"-"+a.name, " ", "-") + ".txtar"
			writeText(t, filepath.Join(dir, file), script)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.txtar")); len(files) != n || n < 35 {
		t.Fatalf("%d attempts in %d files, want at least 35", n, len(files))
	}
	testscript.Run(t, scripts(dir))
}
