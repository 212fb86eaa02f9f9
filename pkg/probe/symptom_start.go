package probe

import (
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/internal/process"
)

// Symptoms that hints look for: of mcpctl itself, and of servers that do not start or do not stay.

func (f facts) isBug() bool {
	_, ok := errors.AsType[*panicError](f.err)
	return ok
}

func (f facts) notTried() bool { return errors.Is(f.err, ErrNotTried) }

func (f facts) isUsage() bool { return usage.in(f.err) }

// start is the command that could not be started; the zero value when that is not what happened.
func (f facts) start() process.StartError {
	if failure, ok := errors.AsType[*process.StartError](f.err); ok {
		return *failure
	}
	return process.StartError{}
}

func (f facts) noFolder() bool {
	cause := f.start().Err
	return cause != nil && strings.HasPrefix(cause.Error(), "working folder")
}

func (f facts) noCommand() bool     { return f.start().NotFound }
func (f facts) notExecutable() bool { return errors.Is(f.start().Err, fs.ErrPermission) }

// program is the name of the command without folder and extension: npx for C:\nodejs\npx.cmd.
func (f facts) program() string {
	name := filepath.Base(f.start().Command)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

func (f facts) noRuntime() bool {
	_, known := runtimes[f.program()]
	return known && f.start().NotFound
}

// runtimes are the programs that servers are often started with, and how to get them.
var runtimes = map[string]string{
	"node":    "install Node.js (https://nodejs.org)",
	"npm":     "install Node.js (https://nodejs.org), which brings npm",
	"npx":     "install Node.js (https://nodejs.org), which brings npx",
	"bun":     "install Bun (https://bun.sh)",
	"bunx":    "install Bun (https://bun.sh), which brings bunx",
	"deno":    "install Deno (https://deno.com)",
	"python":  "install Python (https://www.python.org), or write python3",
	"python3": "install Python (https://www.python.org)",
	"uv":      "install uv (https://docs.astral.sh/uv)",
	"uvx":     "install uv (https://docs.astral.sh/uv), which brings uvx",
	"pipx":    "install pipx (https://pipx.pypa.io)",
	"docker":  "install Docker (https://docs.docker.com/get-docker), or write podman if you have that",
	"podman":  "install Podman (https://podman.io)",
	"go":      "install Go (https://go.dev)",
	"java":    "install a Java runtime (https://adoptium.net)",
	"dotnet":  "install .NET (https://dotnet.microsoft.com)",
}

func (f facts) howToGetRuntime() string {
	return runtimes[f.program()] + "; if it is installed, give its full path or set PATH under env in the configuration"
}

var (
	packageMissing  = regexp.MustCompile(`\bE404\b|404 Not Found - GET|No solution found when resolving|No matching distribution found`)
	variableMissing = regexp.MustCompile(`(?i)\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b.{0,40}(is required|not set|is missing|must be set|not provided|undefined)|` +
		`(missing|required|set|provide).{0,40}(environment variable|api key|access token)`)
)

func (f facts) exited() bool        { return exited(f.err) != "" }
func (f facts) noPackage() bool     { return f.exited() && packageMissing.MatchString(f.stderr) }
func (f facts) wantsVariable() bool { return f.exited() && variableMissing.MatchString(f.stderr) }
func (f facts) stdoutClosed() bool  { return lost(f.err) && f.server.Stdio != nil }

// shutIn tells whether a server ended that was started in a sandbox.
func (f facts) shutIn() bool {
	return f.exited() && f.server.Stdio != nil && filepath.Base(f.server.Stdio.Command) == "bwrap"
}
