package config

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// declaration is an entry as its file has it, before anything is resolved.
type declaration struct {
	path    string // absolute, of the file
	name    string // of the server in that file
	dialect clients.Dialect
	entry   syntax.Value // every key, known or not
}

// Declared returns the configuration file of the entry, links resolved, and its name there.
func (e Entry) Declared() (file, server string) {
	return files.RealPath(e.declared.path), e.declared.name
}

// Digest returns the SHA-256, in hexadecimal, of all that is declared about the server: the file, its
// dialect, the name, the whole entry with every key, the inputs it refers to, the grants of mcpctl.yaml, the
// directories that variables of the application stand for, and the directory that paths start at. Values of
// variables, where links in the project lead, and files that the command reads, are not part of it.
func (e Entry) Digest() string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, part := range parts {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			h.Write([]byte(part))
		}
	}
	file, server := e.Declared()
	add("mcpctl-trust-1", file, string(e.declared.dialect), server, string(e.declared.entry.JSON()))
	for _, input := range e.scope.asked.Items {
		if e.refersTo("input:" + input.TextOf("id") + "}") {
			add("input", string(input.JSON()))
		}
	}
	for _, name := range kit.SortedKeys(e.scope.known) {
		if e.refersTo(name) {
			add("folder", name, e.scope.known[name])
		}
	}
	if e.refersTo("workspaceFolder") {
		add("folder", "workspaceFolder", e.scope.expander.folder)
	}
	for _, host := range e.May.Network {
		add("network", host)
	}
	for _, folder := range e.May.Write {
		add("write", folder)
	}
	if e.Server.Stdio != nil {
		add("directory", files.RealPath(e.scope.folder))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// refersTo reports whether the entry uses a variable that begins like this, in mcpctl's spelling.
func (e Entry) refersTo(variable string) bool {
	return slices.ContainsFunc(e.uses, func(u use) bool {
		return strings.Contains(u.text, "${"+variable) || strings.Contains(u.text, "${env:"+variable)
	})
}

// Opened returns the entry with the content of the files that it names, which are not looked at before the
// user trusts it: their mistakes and links out of the project are among its Problems.
func (e Entry) Opened() Entry {
	if e.scope.opens || e.unusable {
		return e
	}
	if link := e.linkOut(); link != nil {
		e.Problems = append(slices.Clip(e.Problems), *link)
		return e
	}
	return e.readAgain(true)
}

// readAgain returns the entry with or without what is in the files that it names.
func (e Entry) readAgain(opens bool) Entry {
	if e.read.Value.Kind != syntax.Object {
		return e
	}
	s := e.scope
	s.opens = opens
	again := s.entry(e.read)
	again.Server.Name, again.Server.Source = e.Server.Name, e.Server.Source
	e.Server, e.Login, e.uses, e.scope = again.Server, again.Login, again.uses, again.scope
	e.dir, e.ownDir, e.Prompts = again.dir, again.ownDir, again.Prompts
	e.Problems, e.own = slices.Concat(again.Problems, e.Problems[e.own:]), again.own
	return e
}

// pathsOf returns the files that an entry names.
func pathsOf(e Entry) (paths []string) {
	for _, u := range e.uses {
		if u.path != "" {
			paths = append(paths, u.path)
		}
	}
	return paths
}

// linkOut returns a problem if an entry that was only found uses a file or directory of the project that is a
// link out of it: otherwise all who can write to the repository could choose what of the user's is read,
// written or started in.
func (e Entry) linkOut() *Problem {
	if e.Found == Named || e.scope.root == "" {
		return nil
	}
	root := files.RealPath(e.scope.root)
	paths := slices.Clone(e.May.Write)
	if s := e.Server.Stdio; s != nil {
		paths = append(paths, s.Dir)
	}
	for _, path := range append(paths, pathsOf(e)...) {
		inside, err := filepath.Rel(e.scope.root, path)
		if real := files.RealPath(path); err == nil && filepath.IsLocal(inside) && !files.Below(real, root) {
			return &Problem{
				File: e.File, Line: e.Line, Server: e.Server.Name,
				Message: inside + " is a link out of the project, to " + real,
				Hint:    "write the path that it leads to, or name the file with --config",
			}
		}
	}
	return nil
}

// Application reports whether the entry belongs to an application of the user's and is trusted with its file:
// one outside of every repository that only the user can write. Nothing below a repository is started.
func (e Entry) Application() bool { return e.OwnFile() && !e.startsInRepository() }

// OwnFile reports whether the entry is in the file of an application of the user's, without looking at what
// it names.
func (e Entry) OwnFile() bool {
	if e.Found != Discovered || e.declared.path == "" || len(e.May.Network)+len(e.May.Write) > 0 {
		return false
	}
	real := files.RealPath(e.declared.path)
	folder := filepath.Dir(real)
	return !inRepository(folder) && files.CheckFolder(folder, files.NotWritable) == nil &&
		files.CheckPrivate(real, files.NotWritable) == nil
}

// startsInRepository reports whether the entry runs a command in a repository, or one that names a path below
// a repository, by its arguments or environment.
func (e Entry) startsInRepository() bool {
	var dir string
	var texts []string
	switch s, h := e.Server.Stdio, e.Server.HTTP; {
	case s != nil:
		dir, texts = s.Dir, append([]string{s.Command}, s.Args...)
		for _, value := range s.Env {
			texts = append(texts, value.Reveal())
		}
	case h != nil && h.Helper != nil:
		dir, texts = h.Helper.Dir, []string{h.Helper.Command}
	default:
		return false
	}
	return inRepository(dir) || slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc(pathsIn(text), func(path string) bool {
			path = files.From(dir, path)
			_, err := os.Lstat(path)
			return err == nil && inRepository(filepath.Dir(path))
		})
	})
}

// pathsIn returns the parts of an argument that may be paths, as in --flag=PATH, -rPATH and a shell line.
func pathsIn(text string) []string {
	parts := strings.FieldsFunc(text, func(r rune) bool {
		return r == filepath.ListSeparator || strings.ContainsRune(" \t\n\"'`=,;|&()<>", r)
	})
	_, value, _ := strings.Cut(text, "=")
	parts = slices.DeleteFunc(append(parts, text, value), func(part string) bool { return part == "" })
	for i, part := range parts {
		if slash := strings.IndexByte(part, '/'); part[0] == '-' && slash > 0 {
			parts[i] = part[slash:]
		}
	}
	return parts
}

// inRepository reports whether a directory is part of a git repository, links resolved.
func inRepository(folder string) bool {
	return files.Exists(filepath.Join(files.ProjectRoot(files.RealPath(folder)), ".git"))
}
