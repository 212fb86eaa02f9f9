package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// CommandLine is the Source of servers that the command line names.
const CommandLine = "argv"

// FromCommand is the ad-hoc stdio server that a command line starts in the current folder, dir, named after
// what it runs.
func FromCommand(dir string, command []string) (probe.Server, error) {
	if len(command) == 0 || strings.TrimSpace(command[0]) == "" {
		return probe.Server{}, errors.New("no command after --")
	}
	return probe.Server{
		Name: commandName(dir, command), Source: CommandLine,
		Stdio:   &probe.Stdio{Command: command[0], Args: slices.Clone(command[1:])},
		Secrets: SecretsIn(command),
	}, nil
}

// launchers run the package or file that their first argument names, after subcommands.
var (
	launchers = strings.Fields("npx bunx uvx pipx pnpm yarn npm bun deno node tsx ts-node uv python " +
		"python3 py go java")
	runs = strings.Fields("run dlx exec x tool")
)

// wrappers run all of their arguments together.
var wrappers = strings.Fields("sh bash zsh cmd powershell pwsh env sudo docker podman ssh wsl")

// commandName returns the name of what a command runs, in letters, digits, ".", "-" and "_". It is the same
// on every machine for the same place below dir, and has no arguments of a program and nothing that looks
// secret.
func commandName(dir string, command []string) string {
	name, shown := base(command[0]), redact.MaskArgs(command)
	switch {
	case slices.Contains(wrappers, name) && len(command) > 1:
		return marked(name, strings.Join(shown, "\x00"))
	case !slices.Contains(launchers, name):
		return programName(dir, command[0])
	}
	for i, arg := range command[1:] {
		if strings.HasPrefix(arg, "-") || slices.Contains(runs, arg) {
			continue
		}
		if shown[i+1] == arg && base(arg) != "" {
			return programName(dir, arg)
		}
		break
	}
	return name
}

// programName returns the name of a program with its directories below dir, or of a package with its scope.
// One elsewhere gets a mark.
func programName(dir, arg string) string {
	name := cmp.Or(base(arg), "command")
	if filepath.IsAbs(arg) && files.Below(arg, dir) {
		arg, _ = filepath.Rel(dir, arg)
	}
	whole := path.Clean(strings.ReplaceAll(arg, `\`, "/"))
	if path.Dir(whole) == "node_modules/.bin" { // a package's own program, whose name is known
		return name
	}
	first, _, _ := strings.Cut(whole, "/")
	if first == "" || first == ".." || strings.Contains(first, ":") {
		return marked(name, whole)
	}
	return plainName(path.Join(path.Dir(whole), name))
}

func marked(name, whole string) string {
	return fmt.Sprintf("%s-%.3x", name, sha256.Sum256([]byte(whole)))
}

// base is the last element of a path or package without extension and version, as a name.
func base(arg string) string {
	b := path.Base(strings.TrimRight(strings.ReplaceAll(arg, `\`, "/"), "/"))
	b, _, _ = strings.Cut(b, "@")
	for _, extension := range []string{".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs", ".ts", ".py",
		".go", ".jar", ".sh"} {
		b = strings.TrimSuffix(b, extension)
	}
	return plainName(b)
}

// plainName keeps letters, digits, ".", "-" and "_".
func plainName(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r > 0x7f || !plainByte(byte(r)) })
	name := strings.Trim(strings.Join(words, "-"), ".-")
	return name[:min(len(name), 60)]
}

// FromURL is the ad-hoc HTTP server at raw, named after its host and port, with a mark for a path that is not
// a usual one: a path can hold a secret. User info becomes an Authorization header. The error never quotes
// the URL.
func FromURL(raw string) (probe.Server, error) {
	clean, auth, err := splitURL(raw)
	if err != nil {
		return probe.Server{}, fmt.Errorf("reading the server's address: %w", err)
	}
	u, err := url.Parse(clean)
	if err != nil {
		return probe.Server{}, errors.New("reading the server's address: not a URL")
	}
	server := probe.Server{Name: plainName(strings.ToLower(u.Host)), Source: CommandLine,
		HTTP: &probe.HTTP{URL: clean}}
	server.Secrets = secretsOf(redact.OfURL(raw))
	if server.Name == "" {
		server.Name = "server"
	}
	if way := strings.Trim(u.Path, "/"); !usualPath().MatchString(way) {
		server.Name = marked(server.Name, way)
	}
	if auth != "" {
		server.HTTP.Headers = map[string]probe.Secret{"Authorization": auth}
	}
	return server, nil
}

// usualPath is where servers are that have a host to themselves.
var usualPath = kit.Pattern(`^(?:api/)?(?:v\d+/)?(?:mcp|sse|api|v\d+)?$`)

// ParseHeaders reads "Name: value" flags. The error never quotes a value.
func ParseHeaders(flags []string) (map[string]probe.Secret, error) {
	headers := make(map[string]probe.Secret, len(flags))
	for _, flag := range flags {
		name, value, ok := strings.Cut(flag, ":")
		value = strings.TrimSpace(value)
		if !ok || !headerName(name) || !headerValue(value) {
			return nil, fmt.Errorf(`reading the header %q: write it as "Name: value"`, safeHeader(name))
		}
		headers[http.CanonicalHeaderKey(name)] = probe.Secret(value)
	}
	return headers, nil
}

// ParseEnv reads "NAME=value" flags. The error never quotes a value.
func ParseEnv(flags []string) (map[string]probe.Secret, error) {
	env := make(map[string]probe.Secret, len(flags))
	for i, flag := range flags {
		name, value, ok := strings.Cut(flag, "=")
		if !ok || !envName(name) || strings.Contains(value, "\x00") {
			return nil,
				fmt.Errorf("reading environment variable %d of the flags: write it as NAME=value", i+1)
		}
		env[name] = probe.Secret(value)
	}
	return env, nil
}

const snapshotExtension = ".json"

// reserved are device names of Windows, which hold with every extension, and that of the file beside
// snapshots.
var reserved = kit.Pattern(`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(\.|$)|^mcpctl\.lock$`)

// FileName is the name of the file in the snapshots folder for a server: safe on every system, without
// separators, and different for different names. ASCII letters, digits, "-", "_" and "." stay; other bytes
// become %XX.
func FileName(server string) string {
	var b strings.Builder
	escapeFirst := server == "" || server[0] == '.' || reserved().MatchString(server)
	for i := range len(server) {
		if c := server[i]; i == 0 && escapeFirst || !plainByte(c) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + snapshotExtension
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' ||
		c == '.'
}

// ServerName is the server whose FileName is the last element of file; ok is false when there is none.
func ServerName(file string) (server string, ok bool) {
	base := filepath.Base(file)
	name, ok := strings.CutSuffix(base, snapshotExtension)
	if !ok {
		return "", false
	}
	server, err := url.PathUnescape(name)
	if err != nil || server == "" || FileName(server) != base {
		return "", false
	}
	return server, true
}

// Plain returns variables as a server takes them.
func Plain(env map[string]string) map[string]probe.Secret {
	all := make(map[string]probe.Secret, len(env))
	for name, value := range env {
		all[name] = probe.Secret(value)
	}
	return all
}
