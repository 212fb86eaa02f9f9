package packages

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
)

// StartLimit is how long a server may take to start while its launcher fetches it.
const StartLimit = 2 * time.Minute

// Launcher starts published packages with npx, uvx or docker and asks registries about them, in private
// directories of mcpctl: no setting of the current directory has a say in what runs.
type Launcher struct {
	Dir     string   // for the private directories; made when it is needed, for the user alone
	Environ []string // "K=V", the user's
	Scripts bool     // install scripts and builds may run
}

// Command is a command line that starts a server, with what its environment needs beside the usual.
type Command struct {
	Path string
	Args []string
	Dir  string
	Env  map[string]string
}

// Command returns the command line that starts the server in a package with further arguments.
func (l Launcher) Command(ref Ref, args []string) (c Command, err error) {
	switch ref.Registry {
	case "npm":
		c.Args = []string{"-y", ref.spec()}
		c.Path, err = l.tool("it comes with Node.js, https://nodejs.org", "npx")
	case "pypi":
		c.Args = []string{ref.spec()}
		c.Path, err = l.tool("it comes with uv, https://docs.astral.sh/uv", "uvx", "pipx")
		if process.ProgramName(c.Path) == "pipx" {
			c.Args = []string{"run", strings.Replace(ref.spec(), "@", "==", 1)}
			if !l.Scripts { // pip builds packages that are named by a URL under all settings
				err = errors.New("pipx may run code of packages while it installs them: install uv, or " +
					"allow that with --allow-scripts")
			}
		}
	case "oci":
		c.Args = []string{"run", "-i", "--rm", ref.spec()}
		c.Path, err = l.engine()
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", ref, err)
	}
	c.Args, c.Env = append(c.Args, args...), l.Env(ref.Registry)
	c.Dir, err = l.private(filepath.Join(ref.Registry,
		strings.NewReplacer("/", "%2f", ":", "%3a").Replace(ref.spec())))
	return c, err
}

// engine returns the program that runs containers.
func (l Launcher) engine() (string, error) {
	return l.tool("https://docs.docker.com/get-docker, or podman, https://podman.io", "docker", "podman")
}

// tool returns the file of the first of some programs that an absolute entry of PATH leads to; from is where
// to get the first.
func (l Launcher) tool(from string, names ...string) (string, error) {
	for _, name := range names {
		file, err := process.Tool(name, []string{"PATH=" + l.path()})
		if start, ok := errors.AsType[*process.StartError](err); !ok || !start.NotFound {
			return file, err
		}
	}
	return "", fmt.Errorf("%s is not installed (%s)", names[0], from)
}

// path returns the absolute entries of the user's PATH.
func (l Launcher) path() string {
	entries := filepath.SplitList(process.Variable(l.Environ, "PATH"))
	return strings.Join(slices.DeleteFunc(entries, func(entry string) bool { return !filepath.IsAbs(entry) }),
		string(filepath.ListSeparator))
}

// forwarded are the beginnings of the variables with which users set up the launchers of a registry, in lower
// case.
var forwarded = map[string][]string{
	"npm":  {"npm_config_"},
	"pypi": {"uv_", "pipx_", "pip_"},
	"oci":  {"docker_", "container_", "containers_"},
	"": {"http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_", "node_extra_ca_certs",
		"xdg_runtime_dir"},
}

// Env returns the variables that a launcher gets: the user's own settings of it, under those that are pinned.
func (l Launcher) Env(registry string) map[string]string {
	pinned := l.Pinned()
	// as npm reads them
	normal := func(name string) string { return strings.ReplaceAll(strings.ToLower(name), "-", "_") }
	fixed := kit.Set(kit.Map(kit.SortedKeys(pinned), normal))
	env := map[string]string{"PATH": l.path()}
	for _, pair := range l.Environ {
		name, value, _ := strings.Cut(pair, "=")
		begins := func(prefix string) bool { return strings.HasPrefix(normal(name), prefix) }
		if slices.ContainsFunc(slices.Concat(forwarded[registry], forwarded[""]), begins) &&
			!fixed[normal(name)] {
			env[name] = value
		}
	}
	maps.Copy(env, pinned)
	return env
}

// Pinned returns the settings that no .npmrc and no uv.toml can change: those of a dependency count while npm
// prepares it. For npm an empty variable is not set, and a blank is an empty value.
func (l Launcher) Pinned() map[string]string {
	const none = " "
	git, err := process.Tool("git", []string{"PATH=" + l.path()})
	if err != nil {
		git = none
	}
	shell := "/bin/sh"
	if runtime.GOOS == "windows" {
		shell = cmp.Or(process.Variable(l.Environ, "ComSpec"), none)
	}
	settings := map[string]string{
		"npm_config_node_options": none, "npm_config_script_shell": shell, "npm_config_git": git,
		"UV_NO_CONFIG": "1",
	}
	if l.Scripts { // apart from what npx has installed without them, which it would start as it is
		settings["npm_config_cache"] = filepath.Join(l.Dir, "npm-with-scripts")
	} else {
		settings["npm_config_ignore_scripts"], settings["UV_NO_BUILD"] = "true", "1"
	}
	return settings
}

// private returns a directory for the user alone, with a package.json: what npm looks for in directories
// above does not count.
func (l Launcher) private(name string) (string, error) {
	dir := filepath.Join(l.Dir, name)
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700)
	}
	if err == nil {
		err = files.ReplacePrivate(filepath.Join(dir, "package.json"), []byte("{}\n"))
	}
	if err != nil {
		return "", fmt.Errorf("making a private directory for packages: %w", err)
	}
	return dir, nil
}

// HandOn returns the arguments of docker run that also hand variables of its own environment on to the
// container.
func HandOn(args []string, names []string) []string {
	flags := kit.Flat(names, func(name string) []string { return []string{"--env", name} })
	return slices.Insert(slices.Clone(args), 1, flags...)
}
