package process

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Variables for the network that every launcher may need.
var networkNames = []string{
	"ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE", "XDG_CACHE_HOME",
}

// Variables with the registries, caches, proxies and certificates of the package managers.
var (
	npmNames = []string{
		"NODE_EXTRA_CA_CERTS", "NPM_CONFIG_CACHE", "NPM_CONFIG_CAFILE", "NPM_CONFIG_HTTPS_PROXY",
		"NPM_CONFIG_NOPROXY",
		"NPM_CONFIG_PROXY", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG",
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
	names := LauncherNames(command)
	var kept []string
	for _, pair := range environ {
		variable, value, ok := strings.Cut(pair, "=")
		if ok && slices.Contains(names, strings.ToUpper(variable)) && !strings.HasPrefix(value, "()") {
			kept = append(kept, pair)
		}
	}
	return kept
}

// LauncherNames returns the names, in capitals, of the variables that LauncherEnv looks for; nil for other
// commands.
func LauncherNames(command string) []string {
	name := filepath.Base(command)
	if runtime.GOOS == "windows" {
		name = strings.TrimSuffix(strings.ToLower(name), filepath.Ext(name))
	}
	if names := launcherNames[name]; names != nil {
		return slices.Concat(names, networkNames)
	}
	return nil
}
