package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// wrapped is the command line of a server in the sandbox, and what stands before the server's own part of it.
func wrapped(t *testing.T, b Box, s probe.Stdio, may config.Grants, projects ...string) (out probe.Stdio, walls string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: bubblewrap is for Linux")
	}
	out, _, err := b.Wrap(s, projects, may)
	if err != nil {
		t.Fatal(err)
	}
	end := slices.Index(out.Args, "--")
	if out.Command != b.Bwrap || end < 0 || !slices.Equal(out.Args[len(out.Args)-len(s.Args)-1:], append([]string{s.Command}, s.Args...)) {
		t.Fatalf("%q %q does not end with the server's command", out.Command, out.Args)
	}
	return out, strings.Join(out.Args[:end], " ")
}

var box = Box{Bwrap: "/usr/bin/bwrap", Home: "/home/me", Path: "/usr/bin", Dir: "/home/me/project", sized: true, processes: true}

func TestWrapShutsIn(t *testing.T) {
	out, walls := wrapped(t, box, probe.Stdio{Command: "npm", Args: []string{"-y", "--bind", "/"}}, config.Grants{}, "/home/me/project")
	for _, want := range []string{
		"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop ALL", "--seccomp 3", "--tmpfs /tmp", "--chdir /home/me/project",
		"--remount-ro /",
		"--tmpfs /home/me --ro-bind-try /home/me/project /home/me/project", // in this order, or the project is not seen
	} {
		if !strings.Contains(walls, want) {
			t.Errorf("no %s in %s", want, walls)
		}
	}
	for _, never := range []string{"--share-net", "--bind ", "--dev-bind", "/run", "/var", "/opt", "/etc/shadow", "/etc/ssl ", "/etc/pki ",
		"/etc/hosts", "--ro-bind-try / "} {
		if strings.Contains(walls, never) {
			t.Errorf("%s in %s", never, walls)
		}
	}
	if out.Dir != "" || out.Env != nil || out.Files == nil {
		t.Errorf("other things changed: %+v", out)
	}
}

// TestWrapRefusesFoldersOutside shows no folder that is none of the project, whatever a configuration says.
func TestWrapRefusesFoldersOutside(t *testing.T) {
	outside := t.TempDir()
	for _, dir := range []string{outside, filepath.Dir(outside), "/etc", "/tmp", "/home", "/home/me/other", "/home/me/project2"} {
		if out, _, err := box.Wrap(probe.Stdio{Command: "s", Dir: dir}, []string{"/home/me/project"}, config.Grants{}); err == nil ||
			!strings.Contains(err.Error(), "outside of the project") {
			t.Errorf("%s: %v, %q", dir, err, out.Args)
		}
	}
	for project, want := range map[string]string{"/home/me": "/home/me/project", "/": "/home/me/project",
		"/home/me/project": "/home/me/project"} {
		_, walls := wrapped(t, box, probe.Stdio{Command: "s"}, config.Grants{}, project)
		if !strings.Contains(walls, "--ro-bind-try "+want+" "+want) || strings.Contains(walls, "-try /home/me ") ||
			strings.Contains(walls, "-try / ") {
			t.Errorf("a repository at %s: %s", project, walls)
		}
	}
}

// TestWrapGrants opens what is granted and nothing else.
func TestWrapGrants(t *testing.T) {
	project := t.TempDir()
	out := filepath.Join(project, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	b := box
	b.Dir = project
	_, walls := wrapped(t, b, probe.Stdio{Command: "s"}, config.Grants{Network: []string{"h"}, Write: []string{out}}, project)
	if !strings.Contains(walls, "--ro-bind-try "+project+" "+project+" --bind "+out+" "+out) || !strings.Contains(walls, "--share-net") ||
		!strings.Contains(walls, "/etc/resolv.conf") {
		t.Error(walls)
	}
	for _, folder := range []string{"/", "/home", "/home/me", "/etc", "/tmp", filepath.Join(project, "missing")} {
		if _, _, err := b.Wrap(probe.Stdio{Command: "s"}, []string{project}, config.Grants{Write: []string{folder}}); err == nil {
			t.Errorf("%s is granted", folder)
		}
	}
}

// TestWrapKeepsTheLoaderInside wants no variable that could run code in bubblewrap itself, outside of the sandbox, or in the shell
// that sets limits.
func TestWrapKeepsTheLoaderInside(t *testing.T) {
	env := map[string]probe.Secret{"LD_PRELOAD": "./evil.so", "GLIBC_TUNABLES": "x", "BASH_FUNC_ulimit%%": "() { :; }",
		"SHELLOPTS": "xtrace", "TOKEN": "s3cret", "ENVIRONMENT": "s3cret"}
	out, _ := wrapped(t, box, probe.Stdio{Command: "s", Env: env}, config.Grants{}, "/home/me/project")
	if all := strings.Join(out.Args, " "); len(out.Env) != 2 || out.Env["TOKEN"] != "s3cret" || strings.Contains(all, "s3cret") {
		t.Errorf("variables outside: %v in %v", all, out.Env)
	}
	if end := out.Args[slices.Index(out.Args, "/usr/bin/env"):]; !slices.Contains(end, "LD_PRELOAD=./evil.so") || len(end) != 6 ||
		len(env) != 6 {
		t.Errorf("the server is not given what it was: %q, %v", end, env)
	}
}

// tree makes files, each with its content; content that begins with "->" is a link's.
func tree(t *testing.T, of map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range of {
		path := filepath.Join(root, name)
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if to, link := strings.CutPrefix(content, "->"); link {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(strings.ReplaceAll(content, "ROOT", root)), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestWrapShowsThePrograms shows of a home what a program needs, however it was installed there, and nothing beside it.
func TestWrapShowsThePrograms(t *testing.T) {
	home := tree(t, map[string]string{
		"bin/tool": "#!/bin/sh\n", "bin/other": "", ".ssh/id_rsa": "key", ".ssh/key.pem": "key",
		".nvm/versions/node/v20/bin/node": "", ".nvm/versions/node/v20/lib/x": "",
		".nvm/versions/node/v20/bin/srv":                     "->../lib/node_modules/srv/cli.js",
		".nvm/versions/node/v20/lib/node_modules/srv/cli.js": "#!/usr/bin/env node\n",
		".local/bin/py": "->../share/uv/tools/py/bin/py", ".local/lib/secret": "",
		".local/share/uv/tools/py/bin/py":     "#!ROOT/.local/share/uv/tools/py/bin/python\n",
		".local/share/uv/tools/py/pyvenv.cfg": "", ".local/share/uv/tools/py/bin/python": "->ROOT",
		".local/share/uv/python/3/bin/python3": "", ".local/share/uv/python/3/lib/x": "",
		".local/share/uv/tools/py/lib/python3/site-packages/py-1.0.dist-info/entry_points.txt": "[console_scripts]\npy = py:main\n",
		"weather/package.json": "{}", "weather/dist/index.js": "", "lone.js": "",
		".npm/_npx/fbb88e66c0d74242/node_modules/@x/srv/package.json": `{"name": "@x/srv", "version": "1.2.3", "bin": "cli.js"}`,
		".npm/_npx/fbb88e66c0d74242/node_modules/.bin/srv":            "->../@x/srv/cli.js",
		".npm/_npx/fbb88e66c0d74242/node_modules/@x/srv/cli.js":       "#!/usr/bin/env node\n",
	})
	python := filepath.Join(home, ".local/share/uv/tools/py/bin/python")
	if err := errors.Join(os.Remove(python), os.Symlink(filepath.Join(home, ".local/share/uv/python/3/bin/python3"), python)); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(home, ".nvm/versions/node/v20")
	b := Box{Bwrap: "bwrap", Home: home, Path: filepath.Join(home, "bin") + ":" + node + "/bin:" + filepath.Join(home, ".local/bin") +
		":/usr/bin", Dir: home}
	nodeFiles := ".nvm/versions/node/v20/bin .nvm/versions/node/v20/lib"
	pyFiles := ".local/share/uv/python/3/bin .local/share/uv/python/3/lib .local/share/uv/tools/py/bin .local/share/uv/tools/py/lib " +
		".local/share/uv/tools/py/pyvenv.cfg"
	for command, want := range map[string]string{
		"tool": "bin/tool",
		"srv":  nodeFiles,
		"py":   ".local/bin/py " + pyFiles,
		"node " + home + "/weather/dist/index.js": nodeFiles + " weather",
		"node " + home + "/lone.js":               nodeFiles + " lone.js",
		"node " + home + "/.ssh/id_rsa":           nodeFiles,
		"cat " + home + "/.ssh/key.pem":           "",
		"npx -y @x/srv@1.2.3 --port 1":            ".npm/_npx/fbb88e66c0d74242/node_modules " + nodeFiles,
		"uvx py --port 1":                         pyFiles,
		"uvx --python 3.12 py":                    pyFiles,
	} {
		words := strings.Fields(command)
		out, _, err := b.Wrap(probe.Stdio{Command: words[0], Args: words[1:]}, []string{home}, config.Grants{})
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		var seen []string
		for i, word := range out.Args {
			if under, ok := strings.CutPrefix(word, home+"/"); ok && (out.Args[i-1] == "--ro-bind-try" || out.Args[i-2] == "--symlink") {
				seen = append(seen, under)
			}
		}
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("%s: shows %s, want %s", command, got, want)
		}
	}
	for command, want := range map[string]string{"npx -y @x/srv": "npx would fetch", "npx -y @x/srv@1.2.4": "npx would fetch",
		"uvx other": "uvx would fetch", "uvx ../../../bin/other": "uvx ../../../bin/other would need", "uvx py@2.0": "uvx would fetch",
		"docker run -i x": "docker reaches its engine"} {
		words := strings.Fields(command)
		if out, _, err := b.Wrap(probe.Stdio{Command: words[0], Args: words[1:]}, []string{home}, config.Grants{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %q", command, err, out.Args)
		}
		if _, _, err := b.Wrap(probe.Stdio{Command: words[0], Args: words[1:]}, []string{home},
			config.Grants{Network: []string{"registry.example"}}); err != nil {
			t.Errorf("%s with the network: %v", command, err)
		}
	}
}

// TestWrapKeepsOthersProjectsOut shows nothing of another project because a link or the first line of a script leads there, and
// of one whose program is named no more than its runtime.
func TestWrapKeepsOthersProjectsOut(t *testing.T) {
	home := tree(t, map[string]string{
		"app/lib/x": "", "app/bin/sh": "", "app/.env": "key", "app/index.js": "", "app/package.json": "{}",
		"project/link.js": "->../app/index.js", "project/in/link": "->../../app",
		"project/run": "#!/usr/bin/env -S -u ROOT/app/bin/sh node\n",
	})
	project := filepath.Join(home, "project")
	b := Box{Bwrap: "bwrap", Home: home, Path: "/usr/bin", Dir: project}
	for command, want := range map[string][]string{
		"node --require=./evil.js link.js": nil,
		"node in/link/index.js":            nil,
		"./run":                            nil,
		home + "/app/bin/sh":               {home + "/app/bin", home + "/app/lib"},
	} {
		words := strings.Fields(command)
		out, walls := wrapped(t, b, probe.Stdio{Command: words[0], Args: words[1:]}, config.Grants{}, project)
		var seen []string
		for i, word := range out.Args {
			if files.Below(word, filepath.Join(home, "app")) && out.Args[i-1] == "--ro-bind-try" {
				seen = append(seen, word)
			}
		}
		if !slices.Equal(seen, want) {
			t.Errorf("%s: shows %q, want %q, in %s", command, seen, want, walls)
		}
	}
}
