package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// maxSteps bounds links, interpreters and what they start in turn.
const maxSteps = 12

// programFiles collects what a command needs: its file, what that links to, its interpreter, and the runtime
// or package of each.
type programFiles struct {
	box     Box
	project string // the folder that is seen; empty when none is
	path    string // PATH of the server
	steps   int
	mounts  []mount
}

// programOf returns what the server needs, and the server as it is started: npx and uvx would use the
// network for what is installed.
func (b Box) programOf(s probe.Stdio, dir, project string, network bool) (programFiles, probe.Stdio, error) {
	p := programFiles{box: b, path: b.Path, project: project}
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
		p.addScript(filepath.Clean(files.From(dir, s.Args[i])))
	}
	return p, s, nil
}

// find returns the file of a command, or "".
func (p *programFiles) find(command, dir string) string {
	if strings.Contains(command, "/") {
		return filepath.Clean(files.From(dir, command))
	}
	for _, folder := range filepath.SplitList(p.path) {
		if file := filepath.Join(folder, command); filepath.IsAbs(folder) && executable(file) {
			return file
		}
	}
	return ""
}

// add shows a file that is run, and everything it leads to.
func (p *programFiles) add(file string) {
	for ; p.steps < maxSteps; p.steps++ {
		p.show(p.runtime(file)...)
		to, err := os.Readlink(file)
		if err != nil {
			break
		}
		p.mounts = append(p.mounts, mount{file, []string{"--symlink", to, file}})
		file = filepath.Clean(files.From(filepath.Dir(file), to))
	}
	if !executable(file) {
		return
	}
	p.show(file)
	if words := process.Shebang(file); len(words) > 0 && filepath.IsAbs(words[0]) && p.steps < maxSteps {
		p.steps++
		p.add(words[0])
		if filepath.Base(words[0]) != "env" {
			return
		}
		for _, word := range words[1:] { // one of PATH: the script would choose a directory
			if named := p.find(word, "/"); named != "" && !strings.Contains(word, "/") {
				p.add(named)
				return
			}
		}
	}
}

// show makes paths visible and read-only in the sandbox. One that does not exist is left out.
func (p *programFiles) show(paths ...string) {
	for _, path := range paths {
		p.mounts = append(p.mounts, mount{path, []string{"--ro-bind-try", path, path}})
	}
}

// addScript shows the package around a script, or the file alone. A link of the project is followed nowhere
// else.
func (p *programFiles) addScript(file string) {
	real := files.RealPath(file)
	if root := files.RealPath(p.project); p.project != "" && leadsThrough(file, root) &&
		!files.Below(real, root) {
		return
	}
	shown := p.runtime(real)
	for at := filepath.Dir(real); len(shown) == 0 && p.box.presentable(at); at = filepath.Dir(at) {
		if slices.ContainsFunc([]string{"package.json", "pyproject.toml", "deno.json", "Gemfile"},
			func(name string) bool { return files.Exists(filepath.Join(at, name)) }) {
			shown = []string{at}
		}
	}
	if len(shown) == 0 {
		shown = []string{real}
	}
	p.show(shown...)
	if real != file {
		p.mounts = append(p.mounts, mount{file, []string{"--symlink", real, file}})
	}
}

// leadsThrough reports whether a directory on the way to a file is in root, even if a link in it leads out
// again.
func leadsThrough(file, root string) bool {
	at := filepath.Dir(file)
	for !files.Below(files.RealPath(at), root) {
		if at == filepath.Dir(at) {
			return false
		}
		at = filepath.Dir(at)
	}
	return true
}

// runtimeParts are what a language installs below one directory, which may be a project as well, with
// more in it.
var runtimeParts = []string{"bin", "conf", "include", "jmods", "lib", "lib32", "lib64", "libexec",
	"pyvenv.cfg", "share"}

// runtime returns what a program needs: npm's modules around it, or its language as nvm, pyenv and venv
// install it.
func (p *programFiles) runtime(file string) (shown []string) {
	if before, _, ok := strings.Cut(file, "/node_modules/"); ok && p.box.presentable(before+"/node_modules") {
		return []string{before + "/node_modules"}
	}
	prefix := filepath.Dir(filepath.Dir(file))
	installed := files.Exists(filepath.Join(prefix, "pyvenv.cfg")) ||
		files.Exists(filepath.Join(prefix, "lib"))
	if filepath.Base(filepath.Dir(file)) != "bin" || !installed || !p.box.presentable(prefix) ||
		prefix == filepath.Join(p.box.Home, ".local") {
		return nil
	}
	for _, part := range runtimeParts {
		if files.Exists(filepath.Join(prefix, part)) {
			shown = append(shown, filepath.Join(prefix, part))
		}
	}
	return shown
}

// presentable reports whether a directory may be shown as a whole: not one with many unrelated things, or
// with the home directory.
func (b Box) presentable(folder string) bool {
	common := []string{"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/media", "/mnt", "/opt",
		"/proc", "/root", "/run", "/srv", "/sys", "/tmp", "/usr", "/usr/local", "/var", "/var/tmp",
		"/var/lib"}
	return filepath.IsAbs(folder) && !slices.Contains(common, folder) &&
		(b.Home == "" || !files.Below(b.Home, folder))
}

// scriptEndings are those of files that interpreters run; other files may be anything, such as keys.
var scriptEndings = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".py", ".pyz", ".pex",
	".rb", ".pl", ".php", ".jar", ".sh", ".dll"}

// script returns the index of the argument that an interpreter runs, or -1.
func script(s probe.Stdio) int {
	return slices.IndexFunc(s.Args, func(arg string) bool {
		return !strings.HasPrefix(arg, "-") && slices.Contains(scriptEndings, filepath.Ext(arg))
	})
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
