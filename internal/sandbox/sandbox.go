// Package sandbox shuts stdio servers in with bubblewrap (https://github.com/containers/bubblewrap): without network, without
// the user's home, with system folders and the working folder read-only.
//
// It starts nothing: it gives the command line that does.
package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Box is what a server is shut in with.
type Box struct {
	Bwrap string // absolute path of bubblewrap
	Home  string // the user's home folder, absolute and without links; empty in the sandbox
	Path  string // the user's PATH, for servers that bring none
	Dir   string // working folder of servers that name none, absolute
}

// walls shut in every server: namespaces of its own for everything, no new rights, no terminal, and an end with mcpctl's.
var walls = []string{
	"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
	"--proc", "/proc", "--dev", "/dev",
}

// systemFolders are seen as they are, read-only, as far as they exist.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store"}

// systemFiles are what programs need of /etc; the rest of it is nobody's business.
var systemFiles = []string{
	"/etc/alternatives", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/group", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/passwd", "/etc/pki", "/etc/ssl",
}

// optional are namespaces that bubblewrap makes where it can, and does without where it cannot.
var optional = []string{"user", "cgroup"}

// Trial is a command line that shows whether anything can be shut in here: it ends well if so, and prints what Shared reads.
func (b Box) Trial() []string {
	args := append(b.arguments(nil), "--", "readlink")
	for _, name := range optional {
		args = append(args, "/proc/self/ns/"+name)
	}
	return args
}

// Shared are the namespaces that the sandbox has in common with the rest of the system, by what its Trial printed. readlink
// reads a link outside of the sandbox, as os.Readlink does.
func Shared(printed string, readlink func(string) (string, error)) []string {
	inside := strings.Fields(printed)
	return slices.DeleteFunc(slices.Clone(optional), func(name string) bool {
		outside, err := readlink("/proc/self/ns/" + name)
		return err == nil && !slices.Contains(inside, outside)
	})
}

// Wrap is the server as it is started inside of the sandbox. The note is not empty when a part could not be applied, or has
// an effect that is easily overlooked.
func (b Box) Wrap(s probe.Stdio) (wrapped probe.Stdio, note string) {
	dir := s.Dir
	if dir == "" {
		dir = b.Dir
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil { // a link to the home folder is the home folder
		dir = real
	}
	mounts := []mount{{dir, []string{"--ro-bind", dir, dir}}}
	switch {
	case dir == "/":
		mounts, note = nil, "its working folder is /, of which it sees the system's folders alone"
	case dir == b.Home:
		mounts, note = nil, "its working folder is your home folder, which is empty in the sandbox"
	}
	if file := b.find(s); file != "" && !slices.ContainsFunc(systemFolders, func(folder string) bool { return within(file, folder) }) {
		mounts = append(mounts, mount{file, []string{"--ro-bind-try", file, file}})
	}
	args := append(b.arguments(mounts), "--chdir", dir)
	if _, own := s.Env["HOME"]; !own && b.Home != "" { // without links, which lead nowhere in there
		args = append(args, "--setenv", "HOME", b.Home)
	}
	env := maps.Clone(s.Env)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if ofLoader(name) { // for the server, and not for bubblewrap, which runs outside
			args = append(args, "--setenv", name, s.Env[name].Reveal())
			delete(env, name)
		}
	}
	args = append(append(args, "--", s.Command), s.Args...)
	return probe.Stdio{Command: b.Bwrap, Args: args, Env: env, Dir: s.Dir}, note
}

// mount is a folder or file that appears in the sandbox.
type mount struct {
	at   string
	args []string
}

// arguments are those of bubblewrap up to the command. What lies inside of something else comes after it.
func (b Box) arguments(mounts []mount) []string {
	args := slices.Clone(walls)
	for _, path := range slices.Concat(systemFolders, systemFiles) {
		args = append(args, "--ro-bind-try", path, path)
	}
	mounts = append(mounts, mount{"/tmp", []string{"--tmpfs", "/tmp"}})
	if b.Home != "" && b.Home != "/" {
		mounts = append(mounts, mount{b.Home, []string{"--tmpfs", b.Home}})
	}
	slices.SortStableFunc(mounts, func(a, b mount) int { return strings.Compare(a.at, b.at) })
	for _, m := range mounts {
		args = append(args, m.args...)
	}
	return args
}

// find is the file that a command stands for, as far as it can be told from here; empty when there is none.
func (b Box) find(s probe.Stdio) string {
	if filepath.IsAbs(s.Command) {
		return filepath.Clean(s.Command)
	}
	path := b.Path
	if own, ok := s.Env["PATH"]; ok {
		path = own.Reveal()
	}
	for _, folder := range filepath.SplitList(path) {
		if file := filepath.Join(folder, s.Command); filepath.IsAbs(folder) && executable(file) {
			return file
		}
	}
	return ""
}

func within(path, folder string) bool { return strings.HasPrefix(path, folder+"/") }

// loaders are beginnings of variables that the system's loader and C library obey before a program begins.
var loaders = []string{"LD_", "GLIBC_", "GCONV_", "MALLOC_", "LOCPATH", "NLSPATH"}

func ofLoader(name string) bool {
	return slices.ContainsFunc(loaders, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// executable tells whether somebody may run the file.
func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
