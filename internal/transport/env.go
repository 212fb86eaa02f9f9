package transport

import (
	"runtime"
	"slices"
	"strings"
)

// MinimalEnv is the part of an environment ("K=V", as os.Environ gives it) that a stdio server inherits unasked: the
// variables that Claude Desktop and the TypeScript SDK hand on, per operating system, without shell functions.
func MinimalEnv(environ []string) []string { return minimalEnv(runtime.GOOS, environ) }

func minimalEnv(goos string, environ []string) []string {
	names, fold := []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}, false
	if goos == "windows" {
		names, fold = windowsNames(), true
	}
	var kept []string
	for _, pair := range environ {
		name, value, ok := strings.Cut(pair, "=")
		if fold {
			name = strings.ToUpper(name)
		}
		if ok && slices.Contains(names, name) && !strings.HasPrefix(value, "()") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// windowsNames has PATHEXT and COMSPEC beside the TypeScript SDK's own list: without them npx.cmd is not found or run.
func windowsNames() []string {
	return []string{
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
		"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE",
	}
}

// sameVariable compares names as the operating system does.
func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}
