// Package sandbox gives the command line that shuts a stdio server in with bubblewrap
// (https://github.com/containers/bubblewrap): with its program, runtime and project, read-only, without
// network, Unix sockets, other processes and home.
package sandbox

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Box is what servers are shut in with.
type Box struct {
	Bwrap string // absolute path of bubblewrap
	Home  string // the user's home folder, absolute and without links; empty in the sandbox
	Path  string // the user's PATH, for servers that bring none
	Dir   string // working folder of servers that name none, absolute

	sized     bool // this bubblewrap bounds folders in memory
	processes bool // the number of processes can be bounded here
}

// The bounds of what runs in the sandbox.
const (
	maxMemory    = 4 << 30   // bytes of data of each process; shared mappings do not count
	maxOpen      = 1024      // descriptors of each process
	maxFile      = 1 << 30   // bytes of each file that it writes
	maxSeconds   = 60 * 60   // of processor time of each process
	maxProcesses = 512       // with their threads
	maxFolder    = 256 << 20 // bytes in each of its folders in memory
)

// walls shut in every server: namespaces of its own for everything, no new rights, no terminal, and an end
// with mcpctl's.
var walls = []string{
	"--unshare-all", "--unshare-user", "--unshare-cgroup", "--die-with-parent", "--new-session",
	"--cap-drop", "ALL",
	"--proc", "/proc", "--dev", "/dev", "--seccomp", "3",
}

// systemFolders are seen as they are, read-only, as far as they exist.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store",
	"/gnu/store"}

// systemFiles are what programs need of /etc; the rest may be secret, such as private keys in
// /etc/ssl and /etc/pki.
var systemFiles = []string{
	"/etc/alternatives", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/group", "/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/passwd",
	"/etc/pki/ca-trust", "/etc/pki/tls/cert.pem", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf",
	"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
}

// networkFiles are what names of hosts are looked up with.
var networkFiles = []string{"/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/resolv.conf",
	"/etc/services"}

// Wrap returns the server as it is started in the sandbox. It sees the project, of those given, that its
// working directory is in; without one it is an error. The note is about an effect that is easily
// overlooked.
func (b Box) Wrap(s probe.Stdio, projects []string, may config.Grants) (wrapped probe.Stdio, note string,
	_ error) {
	dir := s.Dir
	if dir == "" {
		dir = b.Dir
	}
	dir = files.RealPath(dir) // a link to the home folder is the home folder
	project, err := b.projectOf(dir, projects)
	if err != nil {
		return s, "", err
	}
	if project == "" {
		note = fmt.Sprintf("its working folder is %s, which is empty in the sandbox: run mcpctl in the "+
			"folder of a project for it to see that", dir)
		if dir == b.Home {
			note = strings.Replace(note, dir, "your home folder", 1)
		}
	}
	p, s, err := b.programOf(s, dir, project, len(may.Network) > 0)
	if err != nil {
		return s, "", err
	}
	if project != "" {
		p.show(project)
	}
	for _, folder := range may.Write {
		switch folder = files.RealPath(folder); {
		case !b.presentable(folder):
			return s, "", errTooMuch(folder)
		case !files.IsDir(folder):
			return s, "", errNoFolder(folder)
		}
		p.mounts = append(p.mounts, mount{folder, []string{"--bind", folder, folder}})
	}
	if project == "" && dir != "/" && dir != b.Home {
		p.mounts = append(p.mounts, mount{dir, []string{"--dir", dir}})
	}
	args := append(b.arguments(p.mounts, len(may.Network) > 0), "--chdir", dir)
	if _, own := s.Env["HOME"]; !own && b.Home != "" { // without links, which lead nowhere in there
		args = append(args, "--setenv", "HOME", b.Home)
	}
	outside, inside := parted(s.Env)
	args = append(args, b.bounded(inside)...)
	return probe.Stdio{Command: b.Bwrap, Args: append(append(args, s.Command), s.Args...), Env: outside,
		Dir: s.Dir, Files: filterFile}, note, nil
}

// projectOf returns the directory that a server sees as its project; "" where many unrelated things are.
func (b Box) projectOf(dir string, projects []string) (string, error) {
	if !b.presentable(dir) {
		for _, folder := range append([]string{b.Dir}, projects...) {
			if files.RealPath(folder) == dir {
				return "", nil
			}
		}
		if dir != b.Home && dir != "/" {
			return "", errOutside(dir, projects)
		}
		return "", nil
	}
	for _, folder := range projects {
		folder = files.RealPath(folder)
		switch {
		case !files.Below(dir, folder):
		case b.presentable(folder):
			return folder, nil
		// a repository around the home directory, and mcpctl runs in this part of it
		case files.Below(b.Dir, dir):
			return dir, nil
		}
	}
	return "", errOutside(dir, projects)
}

// mount is a folder, file or link that appears in the sandbox.
type mount struct {
	at   string
	args []string
}

// arguments returns the arguments of bubblewrap up to the command. Nested mounts come after their parents.
func (b Box) arguments(mounts []mount, network bool) []string {
	args := slices.Clone(walls)
	visible := slices.Concat(systemFolders, systemFiles)
	if network {
		args, visible = append(args, "--share-net"), append(visible, networkFiles...)
	}
	for _, path := range visible {
		args = append(args, "--ro-bind-try", path, path)
	}
	mounts = append(mounts, b.inMemory("/tmp"), b.inMemory("/dev/shm"))
	if b.Home != "" && b.Home != "/" {
		mounts = append(mounts, b.inMemory(b.Home))
	}
	if to, err := os.Readlink("/home"); err == nil {
		mounts = append(mounts, mount{"/home", []string{"--symlink", to, "/home"}})
	}
	slices.SortStableFunc(mounts, func(a, b mount) int { return strings.Compare(a.at, b.at) })
	seen := slices.Clone(systemFolders)
	for _, m := range mounts {
		if m.args[0] == "--ro-bind-try" || m.args[0] == "--symlink" {
			if slices.ContainsFunc(seen, func(folder string) bool { return files.Below(m.at, folder) }) {
				continue
			}
			seen = append(seen, m.at) // once
		}
		args = append(args, m.args...)
	}
	// root could change the kernel by /proc/sys
	return append(args, "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/")
}

func (b Box) inMemory(folder string) mount {
	args := []string{"--tmpfs", folder}
	if b.sized {
		args = append([]string{"--size", strconv.Itoa(maxFolder)}, args...)
	}
	return mount{folder, args}
}

// bounded returns the shell, inside, that sets the limits and the early variables of the server.
func (b Box) bounded(env []string) []string {
	limits := fmt.Sprintf("ulimit -c 0 && ulimit -t %d && ulimit -f %d && ulimit -d %d && ulimit -n %d && ",
		maxSeconds, maxFile/512, maxMemory/1024, maxOpen)
	if b.processes {
		// dash has another letter
		limits += fmt.Sprintf("{ ulimit -u %d 2>/dev/null || ulimit -p %[1]d; } && ", maxProcesses)
	}
	if limits += `exec "$@"`; len(env) > 0 {
		return append([]string{"--", "/bin/sh", "-c", limits, "sh", "/usr/bin/env"}, env...)
	}
	return []string{"--", "/bin/sh", "-c", limits, "sh"}
}

// early reports whether the loader, the C library or a shell obeys a variable before a program begins. Those
// are for the server, not for bubblewrap or the shell that sets the limits.
func early(name string) bool {
	return slices.ContainsFunc([]string{"LD_", "GLIBC_", "GCONV_", "MALLOC_", "BASH"},
		func(prefix string) bool { return strings.HasPrefix(name, prefix) }) ||
		slices.Contains([]string{"LOCPATH", "NLSPATH", "SHELLOPTS", "PS4", "ENV", "IFS", "POSIXLY_CORRECT",
			"ZDOTDIR", "FPATH"}, name)
}

// parted separates the variables of a server: those that bubblewrap may have, and the others as K=V.
func parted(env map[string]probe.Secret) (outside map[string]probe.Secret, inside []string) {
	outside = maps.Clone(env)
	for _, name := range kit.SortedKeys(env) {
		if early(name) {
			inside = append(inside, name+"="+env[name].Reveal())
			delete(outside, name)
		}
	}
	return outside, inside
}

// trialTime bounds the trial of the sandbox.
const trialTime = 10 * time.Second

// Detect tries the sandbox of this machine and returns what it lacks. After an error nothing must be
// started.
func Detect(ctx context.Context, p host.Process) (b Box, lacks []string, _ error) {
	if p.GOOS != "linux" {
		return b, nil, errNotLinux
	}
	var err error
	if b.Bwrap, err = process.Tool("bwrap", p.Environ); err != nil {
		return b, nil, process.Missing(err, "%w", errNoBwrap)
	}
	b.Dir = p.Dir
	b.Path, _ = p.Lookup("PATH")
	if p.Home != "" {
		b.Home = files.RealPath(p.Home)
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	help, _ := exec.CommandContext(ctx, b.Bwrap, "--help").CombinedOutput()
	if b.sized = strings.Contains(string(help), "--size "); !b.sized {
		lacks = append(lacks, "a bound of its folders in memory (bubblewrap is too old)")
	}
	if out, err := b.try(ctx); err != nil {
		return b, nil, errTrial(out, err)
	}
	b.processes = true
	if _, err := b.try(ctx); err != nil { // all processes of the user count, wherever they are
		b.processes = false
		lacks = append(lacks, "a bound of the number of processes")
	}
	return b, lacks, nil
}

// try starts a program in the sandbox that does nothing, and returns what was written.
func (b Box) try(ctx context.Context) (string, error) {
	filter, err := filterFile()
	if err != nil {
		return "", err
	}
	defer filter[0].Close()
	args := slices.Concat(b.arguments(nil, false), b.bounded(nil), []string{"true"})
	cmd := exec.CommandContext(ctx, b.Bwrap, args...)
	cmd.ExtraFiles = filter
	out, err := cmd.CombinedOutput()
	return string(out), err
}
