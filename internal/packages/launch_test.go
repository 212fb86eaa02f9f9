package packages_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/packages"
)

// installed returns a directory with these programs.
func installed(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCommand names the launcher that is there, and says what to install or allow where none may run.
func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the launchers are shell scripts")
	}
	for _, c := range []struct {
		word, tools, want string
		scripts           bool
	}{
		{"npm:@a/b@1.0.0", "npx", "npx -y @a/b@1.0.0 --all", false},
		{"npm:a", "node npx", "npx -y a --all", false},
		{"npm:a", "node", "npx is not installed (it comes with Node.js, https://nodejs.org)", false},
		{"pypi:a@1.0", "uvx pipx", "uvx a@1.0 --all", false},
		{"pypi:a@1.0", "pipx", "pipx may run code of packages while it installs them", false},
		{"pypi:a@1.0", "pipx", "pipx run a==1.0 --all", true},
		{"pypi:a", "python3", "uvx is not installed", true},
		{"oci:a/b:1", "docker podman", "docker run -i --rm a/b:1 --all", false},
		{"oci:a/b", "podman", "podman run -i --rm a/b --all", false},
		{"oci:a/b", "", "docker is not installed", false},
	} {
		bin := installed(t, strings.Fields(c.tools)...)
		ref, _, err := packages.Parse(c.word)
		if err != nil {
			t.Fatal(err)
		}
		l := packages.Launcher{Dir: filepath.Join(t.TempDir(), "packages"), Environ: []string{"PATH=" + bin}, Scripts: c.scripts}
		got, err := l.Command(ref, []string{"--all"})
		line := strings.Join(append([]string{filepath.Base(got.Path)}, got.Args...), " ")
		if err != nil {
			line = err.Error()
		}
		if err != nil && !strings.Contains(line, c.want) || err == nil && line != c.want {
			t.Errorf("%s with %q: got %q, want %q", c.word, c.tools, line, c.want)
		}
	}
}

// TestEnvironment: the user's settings of a launcher reach it, those that are pinned win in every spelling, and PATH has no relative
// entry.
func TestEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the launchers are shell scripts")
	}
	bin := installed(t, "npx", "uvx", "git")
	environ := []string{"PATH=bin:" + bin + "::./x", "NPM_CONFIG_GIT=./evil", "npm_config_node-options=-r ./evil.js",
		"npm_config_registry=https://r.example", "NPM_CONFIG_IGNORE_SCRIPTS=false", "UV_NO_BUILD=0", "UV_INDEX_URL=https://i.example",
		"https_proxy=http://p.example", "NODE_OPTIONS=-r ./evil.js", "AWS_SECRET_ACCESS_KEY=x"}
	npm := map[string]string{
		"PATH": bin, "UV_NO_CONFIG": "1", "https_proxy": "http://p.example", "npm_config_registry": "https://r.example",
		"npm_config_git": filepath.Join(bin, "git"), "npm_config_node_options": " ", "npm_config_script_shell": "/bin/sh",
	}
	closed := map[string]string{"npm_config_ignore_scripts": "true", "UV_NO_BUILD": "1"}
	pypi := map[string]string{"UV_INDEX_URL": "https://i.example"}
	for _, name := range []string{"PATH", "UV_NO_CONFIG", "https_proxy", "npm_config_git", "npm_config_node_options",
		"npm_config_script_shell"} {
		pypi[name] = npm[name]
	}
	for _, c := range []struct {
		word    string
		scripts bool
		want    []map[string]string
	}{
		{"npm:a", false, []map[string]string{npm, closed}},
		{"npm:a", true, []map[string]string{npm, {"NPM_CONFIG_IGNORE_SCRIPTS": "false"}}}, // the user's own counts then
		{"pypi:a", false, []map[string]string{pypi, closed}},
		{"pypi:a", true, []map[string]string{pypi, {"UV_NO_BUILD": "0"}}},
	} {
		want := map[string]string{}
		for _, part := range c.want {
			for name, value := range part {
				want[name] = value
			}
		}
		ref, _, _ := packages.Parse(c.word)
		l := packages.Launcher{Dir: t.TempDir(), Environ: environ, Scripts: c.scripts}
		if c.scripts {
			want["npm_config_cache"] = filepath.Join(l.Dir, "npm-with-scripts")
		}
		got, err := l.Command(ref, nil)
		if diff := cmp.Diff(want, got.Env); err != nil || diff != "" {
			t.Errorf("%s, %v: %v (-want +got):\n%s", c.word, c.scripts, err, diff)
		}
	}
}
