package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
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

// CommandLine is the Source of servers on the command line.
const CommandLine = "argv"

// Declare returns the entry of a server that no file declares, but the command line or a variable. It has a
// problem if it is not allowed.
func Declare(server probe.Server, allow Allow) Entry {
	e := Entry{Server: server, File: server.Source}
	allow.refuse(&e)
	return e
}

// FromCommand returns the stdio server that a command line starts in the working directory, named after what
// it runs.
func FromCommand(dir string, command []string) (probe.Server, error) {
	if len(command) == 0 || strings.TrimSpace(command[0]) == "" {
		return probe.Server{}, errors.New("no command after --")
	}
	server := probe.Server{Name: commandName(dir, command), Source: CommandLine,
		Stdio: &probe.Stdio{Command: command[0], Args: slices.Clone(command[1:])}}
	server.Secrets = SecretsIn(server)
	return server, nil
}

// launchers run the package or file in their first argument that is neither an option nor a subcommand.
var (
	launchers = strings.Fields("npx bunx uvx pipx pnpm yarn npm bun deno node tsx ts-node uv python " +
		"python3 py go java")
	subcommands = strings.Fields("run dlx exec x tool")
)

// wrappers run all of their arguments together.
var wrappers = strings.Fields("sh bash zsh cmd powershell pwsh env sudo docker podman ssh wsl")

// IsProgram reports whether a word is the name of a program that runs others, such as node, npx or docker.
func IsProgram(word string) bool {
	others := []string{"cargo", "ruby", "php", "dotnet", "perl", "uvicorn", "poetry", "rye", "tsc"}
	return slices.Contains(slices.Concat(launchers, wrappers, others), word)
}

// commandName returns the name of what a command runs, in letters, digits, ".", "-" and "_". It is the same
// on every machine for the same path below dir, and has no arguments of a program and nothing that looks
// secret.
func commandName(dir string, command []string) string {
	name, shown := base(command[0]), redact.MaskArgs(command)
	switch {
	case slices.Contains(wrappers, name) && len(command) > 1:
		return withHash(name, strings.Join(shown, "\x00"))
	case !slices.Contains(launchers, name):
		return programName(dir, command[0])
	}
	for i, arg := range command[1:] {
		if strings.HasPrefix(arg, "-") || slices.Contains(subcommands, arg) {
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
// One elsewhere gets a hash of its path.
func programName(dir, arg string) string {
	name := cmp.Or(base(arg), "command")
	if filepath.IsAbs(arg) && files.Below(arg, dir) {
		arg, _ = filepath.Rel(dir, arg)
	}
	whole := path.Clean(strings.ReplaceAll(arg, `\`, "/"))
	if path.Dir(whole) == "node_modules/.bin" { // the program of a package
		return name
	}
	first, _, _ := strings.Cut(whole, "/")
	if first == "" || first == ".." || strings.Contains(first, ":") {
		return withHash(name, whole)
	}
	return PlainName(path.Join(path.Dir(whole), name))
}

func withHash(name, whole string) string {
	return fmt.Sprintf("%s-%.3x", name, sha256.Sum256([]byte(whole)))
}

// base returns the last element of a path or package, without extension and version, as a name.
func base(arg string) string {
	b := path.Base(strings.TrimRight(strings.ReplaceAll(arg, `\`, "/"), "/"))
	b, _, _ = strings.Cut(b, "@")
	for _, extension := range []string{".exe", ".cmd", ".bat", ".ps1", ".js", ".mjs", ".cjs", ".ts", ".py",
		".go", ".jar", ".sh"} {
		b = strings.TrimSuffix(b, extension)
	}
	return PlainName(b)
}

// PlainName replaces all but letters, digits, ".", "-" and "_".
func PlainName(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return r > 0x7f || !plainByte(byte(r)) })
	name := strings.Trim(strings.Join(words, "-"), ".-")
	return name[:min(len(name), 60)]
}

// FromURL returns the HTTP server at a URL, named after its host and port, with a hash of the path unless
// that is a usual one: a path can hold a secret. User info becomes an Authorization header. The error does
// not quote the URL.
func FromURL(raw string) (probe.Server, error) {
	clean, auth, err := splitURL(raw)
	if err != nil {
		return probe.Server{}, fmt.Errorf("reading the server's address: %w", err)
	}
	u, err := url.Parse(clean)
	if err != nil {
		return probe.Server{}, errors.New("reading the server's address: not a URL")
	}
	server := probe.Server{Name: cmp.Or(PlainName(strings.ToLower(u.Host)), "server"), Source: CommandLine,
		HTTP: &probe.HTTP{URL: clean}}
	if way := strings.Trim(u.Path, "/"); !usualPath().MatchString(way) {
		server.Name = withHash(server.Name, way)
	}
	if auth != "" {
		server.HTTP.Headers = map[string]probe.Secret{authorization: auth}
	}
	server.Secrets = SecretsIn(server)
	return server, nil
}

// usualPath matches the paths of servers that have a host of their own.
var usualPath = kit.Pattern(`^(?:api/)?(?:v\d+/)?(?:mcp|sse|api|v\d+)?$`)

const snapshotExtension = ".json"

// reserved matches device names of Windows, with any extension, and the lock file beside snapshots.
var reserved = kit.Pattern(`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(\.|$)|^mcpctl\.lock$`)

// FileName returns the name of a server's snapshot file: valid on every system, and different for different
// servers. ASCII letters, digits, "-", "_" and "." stay; other bytes become %XX.
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

// ServerName returns the server with a snapshot file of this name; ok is false if there is none.
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

// Plain returns environment variables as a server takes them.
func Plain(env map[string]string) map[string]probe.Secret {
	all := make(map[string]probe.Secret, len(env))
	for name, value := range env {
		all[name] = probe.Secret(value)
	}
	return all
}
