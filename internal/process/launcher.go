package process

import (
	"slices"
	"strings"
)

// ProgramName returns the name of a program in lower case, without its directory and without .exe, .cmd or
// .bat.
func ProgramName(command string) string {
	name := strings.ToLower(command[strings.LastIndexAny(command, `/\`)+1:])
	for _, extension := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}

// packageLaunchers fetch what they start, as the .npmrc and the like of the working directory say.
var packageLaunchers = []string{
	"npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "deno", "uvx", "uv", "pipx", "dnx",
}

// FetchesPackages reports whether a program fetches what it starts.
func FetchesPackages(command string) bool {
	return slices.Contains(packageLaunchers, ProgramName(command))
}

// IsLauncher reports whether a command without a directory starts other programs, which relative entries of
// PATH must not choose.
func IsLauncher(command string) bool {
	return !strings.ContainsAny(command, `/\`) && (FetchesPackages(command) ||
		slices.Contains([]string{"docker", "podman", "git", "bwrap"}, ProgramName(command)))
}

// Variables for the network that every launcher may need.
var networkNames = []string{
	"ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE", "XDG_CACHE_HOME",
}

// Variables with the registries, caches, proxies and certificates of the package managers.
var (
	npmNames = []string{
		"NODE_EXTRA_CA_CERTS", "NPM_CONFIG_CACHE", "NPM_CONFIG_CAFILE", "NPM_CONFIG_FETCH_RETRIES",
		"NPM_CONFIG_FETCH_RETRY_MAXTIMEOUT", "NPM_CONFIG_FETCH_RETRY_MINTIMEOUT", "NPM_CONFIG_HTTPS_PROXY",
		"NPM_CONFIG_NOPROXY", "NPM_CONFIG_PROXY", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG",
	}
	uvNames = []string{
		"UV_CACHE_DIR", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_INDEX_URL", "UV_NATIVE_TLS",
		"UV_SYSTEM_CERTS",
	}
	pipNames = []string{
		"PIPX_HOME", "PIP_CACHE_DIR", "PIP_CERT", "PIP_CONFIG_FILE", "PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL",
		"PIP_PROXY",
		"PIP_TRUSTED_HOST", "REQUESTS_CA_BUNDLE",
	}
	goNames = []string{
		"GOCACHE", "GOENV", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB", "GOPATH", "GOPRIVATE",
		"GOPROXY", "GOSUMDB",
	}
)

// launcherNames are the variables that a launcher gets beside the minimum: proxies, certificates, registries
// and caches. docs/reference.md has the same list.
var launcherNames = map[string][]string{
	"go": goNames, "npm": npmNames, "npx": npmNames, "uv": uvNames, "uvx": uvNames, "pip": pipNames,
	"pipx": pipNames,
}

// LauncherEnv returns the part of an environment ("K=V") that a launcher of programs gets beside MinimalEnv;
// nothing for other commands. Names in small letters count, too, as http_proxy does.
func LauncherEnv(command string, environ []string) []string {
	return withNames(environ, LauncherNames(command), true)
}

// LauncherNames returns the names, in capitals, of the variables that LauncherEnv looks for; nil for other
// commands.
func LauncherNames(command string) []string {
	if names := launcherNames[ProgramName(command)]; names != nil {
		return slices.Concat(names, networkNames)
	}
	return nil
}

// IsLauncherSetting reports whether a variable sets up a launcher: its value is a secret only if its name or
// its looks say so.
func IsLauncherSetting(command, variable string) bool {
	name := strings.ToUpper(variable)
	return slices.Contains(LauncherNames(command), name) || FetchesPackages(command) &&
		slices.ContainsFunc([]string{"NPM_CONFIG_", "UV_", "PIP_", "PIPX_"},
			func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// RetryPauses returns the variables ("K=V") that make npm wait 1 and 3 seconds before it asks a registry
// again, where its own 10 and 60 hide a refused connection; nothing for other commands, or if the environment
// says how long. How often npm asks, and how long it waits for an answer, stays its own.
func RetryPauses(command string, environ []string) []string {
	set := slices.ContainsFunc(environ, func(pair string) bool {
		return strings.HasPrefix(strings.ReplaceAll(strings.ToLower(pair), "-", "_"), "npm_config_fetch_retr")
	})
	if set || !slices.Contains([]string{"npm", "npx", "pnpm", "pnpx"}, ProgramName(command)) {
		return nil
	}
	return []string{"npm_config_fetch_retry_mintimeout=1000", "npm_config_fetch_retry_maxtimeout=3000"}
}
