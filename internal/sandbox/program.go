package sandbox

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// maxSteps bounds links, interpreters and what they start in turn.
const maxSteps = 12

// program collects what a command needs to run: its file, what that is a link to, the interpreter that it names, and the runtime
// or package that each of them belongs to.
type program struct {
	box    Box
	path   string // PATH of the server
	steps  int
	mounts []mount
}

// programOf is what the server needs, and the server as it is started: npx and uvx would ask the network for what is there
// already.
func (b Box) programOf(s probe.Stdio, dir string, network bool) (program, probe.Stdio, error) {
	p := program{box: b, path: b.Path}
	if own, ok := s.Env["PATH"]; ok {
		p.path = own.Reveal()
	}
	s, err := b.launched(s, dir)
	if err != nil && !network {
		return p, s, err
	}
	if file := p.find(s.Command, dir); file != "" {
		p.add(file)
	}
	if i := script(s); i >= 0 {
		p.addScript(absolute(s.Args[i], dir))
	}
	return p, s, nil
}

// find is the file that a command stands for, as far as it can be told from here; empty when there is none.
func (p *program) find(command, dir string) string {
	if strings.Contains(command, "/") {
		return absolute(command, dir)
	}
	for _, folder := range filepath.SplitList(p.path) {
		if file := filepath.Join(folder, command); filepath.IsAbs(folder) && executable(file) {
			return file
		}
	}
	return ""
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// add shows a file that is run, and all that it leads to.
func (p *program) add(file string) {
	for ; p.steps < maxSteps; p.steps++ {
		if folder := p.runtime(file); folder != "" {
			p.show(folder)
		}
		to, err := os.Readlink(file)
		if err != nil {
			break
		}
		p.mounts = append(p.mounts, mount{file, []string{"--symlink", to, file}})
		file = absolute(to, filepath.Dir(file))
	}
	if !executable(file) {
		return
	}
	p.show(file)
	if words := shebang(file); len(words) > 0 && p.steps < maxSteps {
		p.steps++
		p.add(words[0])
		if i := slices.IndexFunc(words[1:], func(word string) bool { return !strings.HasPrefix(word, "-") }); filepath.Base(words[0]) == "env" && i >= 0 {
			if named := p.find(words[i+1], "/"); named != "" {
				p.add(named)
			}
		}
	}
}

// show makes a file or folder visible.
func (p *program) show(path string) {
	p.mounts = append(p.mounts, mount{path, []string{"--ro-bind-try", path, path}})
}

// addScript shows what an interpreter is given to run: the package around it, or the file alone.
func (p *program) addScript(file string) {
	real := files.RealPath(file)
	folder := p.runtime(real)
	for at := filepath.Dir(real); folder == "" && p.box.presentable(at); at = filepath.Dir(at) {
		if slices.ContainsFunc([]string{"package.json", "pyproject.toml", "deno.json", "Gemfile"}, func(name string) bool { return exists(filepath.Join(at, name)) }) {
			folder = at
		}
	}
	if folder == "" {
		folder = real
	}
	p.show(folder)
	if real != file {
		p.mounts = append(p.mounts, mount{file, []string{"--symlink", real, file}})
	}
}

// runtime is the folder that a file cannot do without: all of the modules of npm that it is among, or the place where its
// language is installed, as nvm, pyenv, venv and the like have it. Empty when there is none, or it may hold other things.
func (p *program) runtime(file string) string {
	if before, _, ok := strings.Cut(file, "/node_modules/"); ok && p.box.presentable(before+"/node_modules") {
		return before + "/node_modules"
	}
	prefix := filepath.Dir(filepath.Dir(file))
	installed := exists(filepath.Join(prefix, "pyvenv.cfg")) || exists(filepath.Join(prefix, "lib"))
	if filepath.Base(filepath.Dir(file)) == "bin" && installed && p.box.presentable(prefix) && prefix != filepath.Join(p.box.Home, ".local") {
		return prefix
	}
	return ""
}

// presentable tells whether a folder may be shown as a whole: no place where many things lie, and none that the home is in.
func (b Box) presentable(folder string) bool {
	common := []string{"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/media", "/mnt", "/opt", "/proc", "/root", "/run", "/srv", "/sys", "/tmp", "/usr", "/usr/local", "/var", "/var/tmp", "/var/lib"}
	return filepath.IsAbs(folder) && !slices.Contains(common, folder) && (b.Home == "" || !files.Below(b.Home, folder))
}

// interpreters run the first of their arguments that is a file with such an ending. Files with other endings may be anything,
// such as keys.
var interpreters = map[string]string{
	"node": ".js .mjs .cjs .ts .mts .cts", "nodejs": ".js .mjs .cjs", "bun": ".js .mjs .cjs .ts .mts .tsx", "deno": ".js .mjs .ts .mts .tsx", "tsx": ".js .ts .mts .tsx",
	"python": ".py .pyz .pex", "python3": ".py .pyz .pex", "ruby": ".rb", "perl": ".pl", "php": ".php", "java": ".jar", "sh": ".sh", "bash": ".sh", "dotnet": ".dll", "uv": ".py",
}

// script is the argument that an interpreter runs; -1 when there is none.
func script(s probe.Stdio) int {
	endings := strings.Fields(interpreters[filepath.Base(s.Command)])
	return slices.IndexFunc(s.Args, func(arg string) bool {
		return !strings.HasPrefix(arg, "-") && slices.Contains(endings, filepath.Ext(arg))
	})
}

// launched is a server that npx or uvx would ask the network for, as it is started from where an earlier run has put it. What the
// project has installed itself is left to npx.
func (b Box) launched(s probe.Stdio, dir string) (probe.Stdio, error) {
	launcher := filepath.Base(s.Command)
	find, first := b.fetchedByNPX, "run it"
	if launcher == "uvx" {
		find, first = b.installedByUV, "uv tool install it"
	} else if launcher != "npx" {
		return s, nil
	}
	launch, known := packages.Launched(append([]string{launcher}, s.Args...))
	what := launch.Ref.String()
	if !known {
		what = strings.Join(s.Args, " ") // which is nowhere here
	}
	for at := dir; launcher == "npx" && b.presentable(at); at = filepath.Dir(at) {
		if name := filepath.Base(launch.Ref.Name); name != "." && exists(filepath.Join(at, "node_modules", ".bin", name)) {
			return s, nil
		}
	}
	file := find(launch.Ref)
	if file == "" {
		return s, fmt.Errorf("%s would fetch %q, and there is no network in the sandbox: %s once without --sandbox, or grant the network to it in mcpctl.yaml", launcher, what, first)
	}
	s.Command, s.Args = file, launch.Args
	return s, nil
}

// fetchedByNPX is the program of a package among those that npx has fetched before; empty when there is none.
func (b Box) fetchedByNPX(ref packages.Ref) string {
	fetched, _ := filepath.Glob(filepath.Join(b.Home, ".npm", "_npx", "*", "package.json"))
	for _, file := range fetched {
		var made struct {
			Npx struct{ Packages []string } `json:"_npx"`
		}
		if !readJSON(file, &made) || !slices.Equal(made.Npx.Packages, []string{strings.TrimPrefix(ref.String(), "npm:")}) {
			continue
		}
		modules := filepath.Join(filepath.Dir(file), "node_modules")
		if bin := binOf(modules, ref.Name, ref.Program); bin != "" {
			return filepath.Join(modules, ".bin", bin)
		}
	}
	return ""
}

// binOf is the name of a package's program, as npx chooses it; empty when there is none.
func binOf(modules, name, command string) string {
	var about struct{ Bin json.RawMessage }
	var many map[string]string
	readJSON(filepath.Join(modules, name, "package.json"), &about)
	short := name[strings.LastIndexByte(name, '/')+1:]
	if json.Unmarshal(about.Bin, &many) != nil {
		many = map[string]string{short: ""} // one program, called like the package
	}
	for bin := range many {
		if bin == command || command == "" && (bin == short || len(many) == 1) {
			if exists(filepath.Join(modules, ".bin", bin)) {
				return bin
			}
		}
	}
	return ""
}

// installedByUV is a program among those that `uv tool install` has installed, which uvx itself prefers; empty when there is none.
func (b Box) installedByUV(ref packages.Ref) string {
	file := filepath.Join(b.Home, ".local", "share", "uv", "tools", ref.Name, "bin", cmp.Or(ref.Program, ref.Name))
	if ref.Name == "" || strings.ContainsAny(ref.Program, `/\`) || !executable(file) {
		return ""
	}
	return file
}

// shebang is the interpreter that a script names, with its arguments.
func shebang(file string) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	text, ok := strings.CutPrefix(string(line), "#!")
	if words := strings.Fields(text); ok && err == nil && len(words) > 0 && filepath.IsAbs(words[0]) {
		return words
	}
	return nil
}

// maxPackageFile bounds what is read of a package.json, in bytes.
const maxPackageFile = 1 << 20

func readJSON(file string, into any) bool {
	text, err := files.ReadRegular(file, maxPackageFile)
	return err == nil && json.Unmarshal(text, into) == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist) && err == nil
}

// executable tells whether somebody may run the file.
func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
