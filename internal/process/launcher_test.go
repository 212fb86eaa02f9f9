package process

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLauncherEnv: each launcher gets its own variables and those of the network, and other programs get none.
func TestLauncherEnv(t *testing.T) {
	environ := []string{
		"GOCACHE=/c", "npm_config_registry=https://r", "UV_CACHE_DIR=/u", "PIP_INDEX_URL=https://i", "https_proxy=http://p",
		"SSL_CERT_FILE=/cert", "AWS_SECRET_ACCESS_KEY=x", "GOFLAGS=-toolexec=x", "NODE_OPTIONS=--require x", "HTTP_PROXY=() { :; }",
	}
	network := []string{"https_proxy=http://p", "SSL_CERT_FILE=/cert"}
	for command, want := range map[string][]string{
		"go": {"GOCACHE=/c"}, "/usr/bin/npx": {"npm_config_registry=https://r"}, "npm": {"npm_config_registry=https://r"},
		"uvx": {"UV_CACHE_DIR=/u"}, "uv": {"UV_CACHE_DIR=/u"}, "pipx": {"PIP_INDEX_URL=https://i"}, "pip": {"PIP_INDEX_URL=https://i"},
	} {
		if diff := cmp.Diff(append(want, network...), LauncherEnv(command, environ)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", command, diff)
		}
	}
	for _, command := range []string{"node", "bwrap", "gopls", "npx-server", ""} {
		if got := LauncherEnv(command, environ); got != nil {
			t.Errorf("%q gets %q", command, got)
		}
	}
}

// TestLauncherEnvIsDocumented: docs/reference.md names every variable.
func TestLauncherEnvIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(networkNames, goNames, npmNames, uvNames, pipNames) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("%s is not in docs/reference.md", name)
		}
	}
}

// TestIsLauncher knows launchers as each system spells them; one in a directory is what it is.
func TestIsLauncher(t *testing.T) {
	for command, want := range map[string]bool{
		"npx": true, "npx.cmd": true, "NPX.EXE": true, "docker": true, "git.exe": true,
		"node": false, "./npx": false, `tools\npx.cmd`: false, "npx-server": false, "": false,
	} {
		if got := IsLauncher(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}
