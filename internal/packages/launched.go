package packages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/process"
)

// Launch is a command line that starts a package by npx, uvx, docker or the like.
type Launch struct {
	Ref     Ref
	Program string   // of the package, as --package and --from leave it to choose; empty = the package's own
	Args    []string // of the server

	words []string // the whole command line
	at    int      // which of words names the package
	lead  string   // what precedes the name in that word, such as "--package="
	equal bool     // versions follow "=="
}

// With returns the command line with another version of the package.
func (l Launch) With(version string) []string {
	ref := l.Ref
	ref.Version = version
	spec := ref.spec()
	if l.equal {
		spec = strings.Replace(spec, "@", "==", 1)
	}
	words := slices.Clone(l.words)
	words[l.at] = l.lead + spec
	return words
}

type launcher struct {
	words    []string // the program, and its subcommand
	registry string
	from     []string // flags that name the package apart from the program
	values   []string // further flags with a value
}

var launchers = []launcher{
	{[]string{"npx"}, "npm", []string{"-p", "--package"}, nil},
	{[]string{"npm", "exec"}, "npm", []string{"-p", "--package"}, nil},
	{[]string{"npm", "x"}, "npm", []string{"-p", "--package"}, nil},
	{[]string{"uvx"}, "pypi", []string{"--from"}, []string{"-p", "--python", "--with"}},
	{[]string{"uv", "tool", "run"}, "pypi", []string{"--from"}, []string{"-p", "--python", "--with"}},
	{[]string{"pipx", "run"}, "pypi", []string{"--spec"}, []string{"--python"}},
	{[]string{"docker", "run"}, "oci", nil, nil},
	{[]string{"docker", "container", "run"}, "oci", nil, nil},
	{[]string{"podman", "run"}, "oci", nil, nil},
}

// Launched reads the command line of a server; false when it starts no single package by a launcher that
// mcpctl knows.
func Launched(argv []string) (Launch, bool) {
	start := 0
	if len(argv) > 2 && process.ProgramName(argv[0]) == "cmd" && strings.EqualFold(argv[1], "/c") {
		start = 2
	}
	for _, l := range launchers {
		words, n := argv[start:], len(l.words)
		if len(words) > n && process.ProgramName(words[0]) == l.words[0] &&
			slices.Equal(words[1:n], l.words[1:]) {
			return l.read(argv, start+n)
		}
	}
	return Launch{}, false
}

// elsewhere are parts of flags that make a package of that name another one.
var elsewhere = []string{"registry", "index", "pip-args", "isolated"}

// read reads the flags of a launcher from argv[at] on, and the package.
func (l launcher) read(argv []string, at int) (Launch, bool) {
	launch := Launch{words: argv, at: -1}
	for at < len(argv) && strings.HasPrefix(argv[at], "-") {
		flag, _, given := strings.Cut(argv[at], "=")
		if at++; flag == "--" {
			break
		}
		names := slices.Contains(l.from, flag)
		switch {
		case slices.ContainsFunc(elsewhere, func(part string) bool { return strings.Contains(flag, part) }),
			names && launch.at >= 0:
			return Launch{}, false
		case names && given:
			launch.at, launch.lead = at-1, flag+"="
		case names:
			launch.at = at
		}
		if !given && (names || l.takesValue(flag)) {
			at++
		}
	}
	if at >= len(argv) {
		return Launch{}, false
	}
	launch.Program, launch.Args = argv[at], argv[at+1:]
	launch.equal = l.registry == "pypi" && (launch.at >= 0 || l.words[0] == "pipx")
	if launch.at < 0 {
		launch.at, launch.Program = at, ""
	}
	spec := strings.TrimPrefix(argv[launch.at], launch.lead)
	if l.registry == "pypi" {
		spec = strings.Replace(spec, "==", "@", 1)
	}
	ref, known, err := Parse(l.registry + ":" + spec)
	if l.registry == "oci" {
		ref.Version = cmp.Or(ref.Version, "latest")
		known = known && ref.Name != "sha256" // an image by its hash has no name
	}
	launch.Ref = ref
	return launch, known && err == nil
}

// alone are the flags of docker run and podman run without a value
// (https://docs.docker.com/reference/cli/docker/container/run).
var alone = strings.Fields(`--detach --disable-content-trust --env-host --http-proxy --init --interactive
	--no-healthcheck --no-hostname --no-hosts --oom-kill-disable --passwd --privileged --publish-all --quiet
	--read-only --read-only-tmpfs --replace --rm --rmi --rootfs --sig-proxy --tls-verify --tty --unsetenv-all
	--use-api-socket`)

// takesValue reports whether the argument after a flag is its value.
func (l launcher) takesValue(flag string) bool {
	switch {
	case l.registry != "oci":
		return slices.Contains(l.values, flag)
	case strings.HasPrefix(flag, "--"):
		return !slices.Contains(alone, flag)
	}
	return len(strings.TrimLeft(flag, "-ditPq")) == 1 // -i, -it, -e NAME
}
