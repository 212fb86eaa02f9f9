package packages

import (
	"cmp"
	"crypto/sha512"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/process"
)

// Launch is what npx, or another launcher of its kind, is told to start.
type Launch struct {
	Ref  Ref
	Args []string // of the server

	run []string // of an engine of containers: its own words before the image
}

// Starting are the arguments with which a package that was fetched is started as the launcher would.
func (l Launch) Starting(p Package) []string {
	if len(l.run) > 0 {
		return slices.Concat(l.run, p.Args[len(p.Args)-2:], l.Args) // not to be pulled, and by which digest
	}
	return slices.Concat(p.Args, l.Args)
}

type launcher struct {
	words    []string // the program, and its subcommand
	registry string
	from     []string // flags that name the package apart from the program
	values   []string // further flags with a value; of an engine all have one but those of alone
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

// Launched reads the command line of a server; false when it starts no single package by a launcher that is known here.
func Launched(argv []string) (Launch, bool) {
	if len(argv) > 2 && programOf(argv[0]) == "cmd" && strings.EqualFold(argv[1], "/c") {
		argv = argv[2:]
	}
	for _, l := range launchers {
		if n := len(l.words); len(argv) > n && programOf(argv[0]) == l.words[0] && slices.Equal(argv[1:n], l.words[1:]) {
			if l.registry == "oci" {
				return l.container(argv[1:])
			}
			return l.read(argv[n:])
		}
	}
	return Launch{}, false
}

// programOf is the name of a program without its folder and extension.
func programOf(path string) string {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}

func (l launcher) read(words []string) (Launch, bool) {
	spec := ""
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		flag, value, given := strings.Cut(words[0], "=")
		words = words[1:]
		if flag == "--" {
			break
		}
		if slices.ContainsFunc([]string{"registry", "index", "pip-args", "isolated"}, func(part string) bool { return strings.Contains(flag, part) }) {
			return Launch{}, false // a package of that name elsewhere is another one
		}
		if takes := slices.Contains(l.from, flag); takes || slices.Contains(l.values, flag) {
			if !given && len(words) > 0 {
				value, words = words[0], words[1:]
			}
			if takes && spec != "" {
				return Launch{}, false
			}
			if takes {
				spec = value
			}
		}
	}
	if len(words) == 0 {
		return Launch{}, false
	}
	program := words[0]
	if spec == "" {
		spec, program = words[0], ""
	}
	if l.registry == "pypi" {
		spec = strings.Replace(spec, "==", "@", 1)
	}
	ref, known, err := Parse(l.registry + ":" + spec)
	ref.Program = program
	return Launch{Ref: ref, Args: words[1:]}, known && err == nil
}

// alone are the flags of docker run and podman run without a value (https://docs.docker.com/reference/cli/docker/container/run).
var alone = strings.Fields(`--detach --disable-content-trust --env-host --http-proxy --init --interactive --no-healthcheck --no-hostname
	--no-hosts --oom-kill-disable --passwd --privileged --publish-all --quiet --read-only --read-only-tmpfs --replace --rm --rmi
	--rootfs --sig-proxy --tls-verify --tty --unsetenv-all --use-api-socket`)

func (l launcher) container(words []string) (Launch, bool) {
	at := len(l.words) - 1
	for at < len(words) && strings.HasPrefix(words[at], "-") {
		flag := words[at]
		takes := len(strings.TrimLeft(flag, "-ditPq")) == 1 // -i, -it, -e NAME, -eNAME=x
		if strings.HasPrefix(flag, "--") {
			takes = !strings.Contains(flag, "=") && !slices.Contains(alone, flag)
		}
		if at++; takes {
			at++
		}
	}
	if at >= len(words) {
		return Launch{}, false
	}
	ref, known, err := Parse("oci:" + words[at])
	ref.Program = l.words[0]
	return Launch{ref, words[at+1:], words[:at]}, known && err == nil && ref.Name != "sha256"
}

// Started is the installed package whose program a command line starts, by the files alone; nil when none, or not known.
func Started(argv []string, dir string, env []string) *Package {
	if p := imageOf(dir); p != nil {
		return p
	}
	if launch, ok := Launched(argv); ok {
		return launch.Installed(dir, env)
	}
	program := argv[0]
	if slices.Contains([]string{"node", "bun", "python", "python3"}, programOf(program)) {
		if at := slices.IndexFunc(argv[1:], func(word string) bool { return !strings.HasPrefix(word, "-") }); at >= 0 {
			program = argv[1+at]
		}
	} else if found, err := process.LookPath(program, dir, env); err == nil {
		program = found
	}
	program = files.From(dir, program)
	if p := startedIn(program); p != nil {
		return p
	}
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return nil
	}
	return holding(filepath.ToSlash(real))
}

// modules is the folder that npm installs into.
const modules = "node_modules"

// holding is the package that a file lies in, below a folder that npm installed into.
func holding(path string) *Package {
	at := strings.LastIndex(path, "/"+modules+"/")
	if at < 0 {
		return nil
	}
	parts := strings.Split(path[at+len(modules)+2:], "/")
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		name += "/" + parts[1]
	}
	return installedIn(filepath.FromSlash(path[:at]), name)
}

// Installed is the package that npx or uvx would start as it is installed: by npm in a folder of the project, if it is there in
// that version, or in npm's own; by `uv tool install`; of an image no more than its name is known. It is nil when it would be fetched, and has no command when none of its
// programs would be chosen.
func (l Launch) Installed(dir string, env []string) *Package {
	switch l.Ref.Registry {
	case "pypi":
		return l.installedByUV(env)
	case "oci":
		l.Ref.Version = cmp.Or(l.Ref.Version, "latest")
		return &Package{Ref: l.Ref}
	}
	folders := files.ProjectFolders(dir)
	sum := sha512.Sum512([]byte(l.Ref.spec()))
	own := filepath.Join(npmCache(env), "_npx", hex.EncodeToString(sum[:])[:16])
	for _, folder := range append(folders, own) {
		if p := installedIn(folder, l.Ref.Name); p != nil && filepath.IsAbs(folder) && (folder == own || l.wants(*p)) {
			p.Command, _ = entry(Ref{Name: p.Name, Program: l.Ref.Program}, folder)
			return p
		}
	}
	return nil
}

// wants tells whether a package has the version asked for; of a range it is taken to have it.
func (l Launch) wants(p Package) bool { return !l.Ref.Exact() || p.Version == l.Ref.Version }

func (l Launch) installedByUV(env []string) *Package {
	data := cmp.Or(process.Variable(env, "XDG_DATA_HOME"), filepath.Join(process.Variable(env, "HOME"), ".local", "share"))
	folder := filepath.Join(cmp.Or(process.Variable(env, "UV_TOOL_DIR"), filepath.Join(data, "uv", "tools")), l.Ref.Name)
	p := inEnvironment(folder, func(d distribution) bool { return d.name == l.Ref.Name })
	if p == nil || !l.wants(*p) {
		return nil
	}
	for _, program := range programsIn(folder, l.Ref.Name) {
		if program == cmp.Or(l.Ref.Program, l.Ref.Name) {
			p.Command = venvProgram(folder, program)
		}
	}
	return p
}

func npmCache(env []string) string {
	home := filepath.Join(process.Variable(env, "HOME"), ".npm")
	if local := process.Variable(env, "LOCALAPPDATA"); local != "" {
		home = filepath.Join(local, "npm-cache")
	}
	return cmp.Or(process.Variable(env, "npm_config_cache"), home)
}

// installedIn is the package of a name that is installed below a folder; nil when it is not there.
func installedIn(folder, name string) *Package {
	var manifest struct{ Name, Version string }
	path := filepath.Join(folder, modules, filepath.FromSlash(name), "package.json")
	if readJSON(path, &manifest) != nil || manifest.Name != name || manifest.Version == "" {
		return nil
	}
	p := Package{Ref: Ref{Registry: "npm", Name: name, Version: manifest.Version}, Folder: folder}
	if tree, err := readTree(folder); err == nil {
		p.Integrity, p.Dependencies = tree[modules+"/"+name].Integrity, tree.below(modules+"/"+name)
	}
	p.Needs = p.NeedsBy(filepath.Join(filepath.Dir(path), serverFile))
	return &p
}

// serverFile says what a server is (https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json).
const serverFile = "server.json"

// NeedsBy are the variables without which a package does not work, as a server.json says; none when there is no such file.
func (p Package) NeedsBy(file string) (names []string) {
	var about struct {
		Packages []struct {
			Identifier           string
			RegistryType         string
			EnvironmentVariables []struct {
				Name           string
				IsRequired     bool
				Value, Default any
			}
		}
	}
	_ = readJSON(file, &about)
	for _, one := range about.Packages {
		ref, _, _ := Parse(cmp.Or(one.RegistryType, p.Registry) + ":" + one.Identifier) // an image with its tag; older files call the type otherwise
		for _, v := range one.EnvironmentVariables {
			if ref.Registry == p.Registry && ref.Name == p.Name && v.IsRequired && v.Value == nil && v.Default == nil {
				names = append(names, v.Name)
			}
		}
	}
	return names
}

// tree is what npm has installed into a folder, by its path there (https://docs.npmjs.com/cli/configuring-npm/package-lock-json).
type tree map[string]struct {
	Version, Integrity                                   string
	Dependencies, OptionalDependencies, PeerDependencies map[string]string
}

func readTree(folder string) (tree, error) {
	var lock struct{ Packages tree }
	err := readJSON(filepath.Join(folder, modules, ".package-lock.json"), &lock)
	return lock.Packages, err
}

// below are the packages that one at a path uses, and those that they use, sorted by path.
func (t tree) below(path string) []Dependency {
	seen, left := map[string]bool{path: true}, []string{path}
	var all []Dependency
	for len(left) > 0 {
		one := t[left[0]]
		for _, names := range []map[string]string{one.Dependencies, one.OptionalDependencies, one.PeerDependencies} {
			for name := range names {
				at := t.find(left[0], name)
				if d, ok := t[at]; ok && !seen[at] {
					seen[at], left = true, append(left, at)
					all = append(all, Dependency{at, d.Version, d.Integrity})
				}
			}
		}
		left = left[1:]
	}
	sortByPath(all)
	return all
}

// find is the path of what Node loads by a name in a package at a path.
func (t tree) find(from, name string) string {
	for {
		at := strings.TrimPrefix(from+"/"+modules+"/"+name, "/")
		if _, ok := t[at]; ok || from == "" {
			return at
		}
		from = from[:max(0, strings.LastIndex("/"+from, "/"+modules+"/")-1)]
	}
}
