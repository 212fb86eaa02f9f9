// Package packages fetches published packages apart from the user's folders, and says how the server in each is started.
package packages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/store"
)

// Ref names a published package: npm:NAME[@VERSION], pypi:NAME[@VERSION] or oci:IMAGE[:TAG].
type Ref struct {
	Registry string // "npm", "pypi" or "oci"
	Name     string // such as "@playwright/mcp"
	Version  string // exact, a tag, a digest or a range; empty = the newest
	Program  string // of the package, empty = chosen as npm would; of an image the engine, empty = chosen by what runs here
}

// String is the reference as it is written on a command line.
func (r Ref) String() string {
	switch {
	case r.Version == "":
		return r.Registry + ":" + r.Name
	case r.Registry == "oci":
		return "oci:" + r.spec()
	}
	return r.Registry + ":" + r.Name + "@" + r.Version
}

func (r Ref) spec() string {
	switch {
	case r.Version == "":
		return r.Name
	case r.Registry == "pypi":
		return r.Name + "==" + r.Version
	case r.Registry == "oci" && !r.Exact():
		return r.Name + ":" + r.Version
	}
	return r.Name + "@" + r.Version
}

// Exact tells whether the version is one version, not a tag or a range.
func (r Ref) Exact() bool {
	switch r.Registry {
	case "pypi":
		return r.Version != ""
	case "oci":
		return strings.HasPrefix(r.Version, "sha256:")
	}
	return exactVersion().MatchString(r.Version)
}

// exactVersion is a version of https://semver.org.
var exactVersion = match.Pattern(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// npmName is a name for npm (https://docs.npmjs.com/cli/configuring-npm/package-json#name): no path, address or flag.
var npmName = match.Pattern(`^(@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*$`)

// npmVersion is a version, a tag or a range in one word.
var npmVersion = match.Pattern(`^[A-Za-z0-9^~<>=*][A-Za-z0-9.^~<>=*|+-]*$`)

// pypiName and pypiVersion are those of https://packaging.python.org/en/latest/specifications; a range is no version.
var (
	pypiName    = match.Pattern(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	pypiVersion = match.Pattern(`^[0-9][0-9A-Za-z.!+_-]*$`)
)

// Parse reads a word of the command line. It is no reference (false) when it names no registry that is known here.
func Parse(word string) (ref Ref, is bool, err error) {
	registry, rest, found := strings.Cut(word, ":")
	name, version, example := npmName, npmVersion, "npm:@playwright/mcp@0.0.70"
	switch {
	case found && registry == "pypi":
		name, version, example = pypiName, pypiVersion, "pypi:mcp-server-time@2025.9.25"
	case found && registry == "oci":
		ref, err = parseImage(rest)
		return ref, true, err
	case !found || registry != "npm":
		return Ref{}, false, nil
	}
	ref = Ref{Registry: registry, Name: rest}
	if at := strings.LastIndex(rest, "@"); at > 0 {
		ref.Name, ref.Version = rest[:at], rest[at+1:]
		if registry == "pypi" && ref.Version == "latest" { // as uvx has it
			ref.Version = ""
		} else if !version().MatchString(ref.Version) {
			return ref, true, fmt.Errorf("%q names no version: write %s:NAME@VERSION, such as %s", word, registry, example)
		}
	}
	if !name().MatchString(ref.Name) || len(ref.Name) > 214 {
		return ref, true, fmt.Errorf("%q names no package: write %s:NAME or %s:NAME@VERSION, such as %s", word, registry, registry, example)
	}
	if registry == "pypi" {
		ref.Name = normalized(ref.Name)
	}
	return ref, true, nil
}

// parseImage reads IMAGE, IMAGE:TAG or IMAGE@DIGEST. A colon before a slash belongs to the registry's port.
func parseImage(text string) (Ref, error) {
	ref := Ref{Registry: "oci", Name: text}
	if at := strings.Index(text, "@"); at >= 0 {
		ref.Name, ref.Version = text[:at], text[at+1:]
	} else if at := strings.LastIndex(text, ":"); at > strings.LastIndex(text, "/") {
		ref.Name, ref.Version = text[:at], text[at+1:]
	}
	if !ociName().MatchString(ref.Name) || len(ref.Name) > 255 || ref.Name != text && !ociVersion().MatchString(ref.Version) {
		return ref, fmt.Errorf("%q names no image: write oci:IMAGE or oci:IMAGE:TAG, such as oci:ghcr.io/github/github-mcp-server:v0.20.1", "oci:"+text)
	}
	return ref, nil
}

// Package is what was fetched: one version, and all that was installed below it.
type Package struct {
	Ref
	Integrity    string            // of the archive, as the registry gives it, such as "sha512-…"
	Folder       string            // where it is installed
	Command      string            // the program that starts its server
	Args         []string          // of that program, before those of the server
	Env          []string          // "K=V", of the user's own, that the program needs
	Dependencies []Dependency      // sorted by path
	Tools        map[string]string // of a locked one: the digests of what it offered, by RFC 8785 and SHA-256
	Needs        []string          // variables that its server.json says it does not work without
	Scripts      []string          // that were to run on installing, such as "node_modules/below: node install.js"; known of what was fetched by npm
	Scripted     bool              // they run before the server starts: somebody is asked for that
}

// Dependency is one package that was installed with another.
type Dependency struct {
	Path      string // below the folder, such as "node_modules/zod"
	Version   string
	Integrity string
}

func sortByPath(all []Dependency) {
	slices.SortFunc(all, func(a, b Dependency) int { return cmp.Compare(a.Path, b.Path) })
}

// LockFile is the file beside snapshots that says which packages they were taken of.
const LockFile = "mcpctl.lock.json"

// Lock is what servers were started from when they were saved, by their names.
type Lock map[string]Package

// locked is a package in the file: nothing of the machine, nothing secret.
type locked struct {
	Package      string            `json:"package"`
	Integrity    string            `json:"integrity,omitempty"`
	Dependencies map[string]string `json:"dependencies,omitempty"` // path → version and digest
	Tools        map[string]string `json:"tools,omitempty"`        // name → digest
}

type lockFormat struct {
	Mcpctl  int               `json:"mcpctl"`
	Servers map[string]locked `json:"servers"`
}

// LockLimit bounds the file, in bytes.
const LockLimit = manifestLimit

// ReadLock reads the file; one that is not there is an empty lock.
func ReadLock(ctx context.Context, p host.Process, file string) (Lock, error) {
	data, err := store.Read(ctx, p, file, LockLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return Lock{}, nil
	}
	if err != nil {
		return nil, err
	}
	return ParseLock(file, data)
}

// ParseLock reads the content of the file, which errors name.
func ParseLock(file string, data []byte) (Lock, error) {
	var read lockFormat
	if err := json.Unmarshal(data, &read); err != nil || read.Mcpctl != 1 {
		return nil, fmt.Errorf("%s is no lock that this mcpctl can read: restore it from version control, or delete it and run mcpctl snapshot", file)
	}
	lock := Lock{}
	for name, one := range read.Servers {
		ref, known, err := Parse(one.Package)
		if !known || err != nil {
			return nil, fmt.Errorf("%s: %q of %q is no package that this mcpctl knows", file, one.Package, name)
		}
		p := Package{Ref: ref, Integrity: one.Integrity, Tools: one.Tools}
		for at, text := range one.Dependencies {
			version, integrity, _ := strings.Cut(text, " ")
			p.Dependencies = append(p.Dependencies, Dependency{Path: at, Version: version, Integrity: integrity})
		}
		sortByPath(p.Dependencies)
		lock[name] = p
	}
	return lock, nil
}

// Encode is the file: the same packages are the same bytes.
func (l Lock) Encode() ([]byte, error) {
	out := lockFormat{1, map[string]locked{}}
	for name, p := range l {
		one := locked{Package: p.String(), Integrity: p.Integrity, Dependencies: map[string]string{}, Tools: p.Tools}
		for _, d := range p.Dependencies {
			one.Dependencies[d.Path] = strings.TrimSpace(d.Version + " " + d.Integrity)
		}
		out.Servers[name] = one
	}
	data, err := json.MarshalIndent(out, "", "  ")
	return append(data, '\n'), err
}

// mostChanges is how many dependencies Since names.
const mostChanges = 3

// Since says what differs from an earlier package of the same server: "@playwright/mcp 0.0.70 → 0.0.83"; or empty.
func (p Package) Since(old Package) string {
	switch below := changesBelow(old.Dependencies, p.Dependencies); {
	case p.Registry != old.Registry || p.Name != old.Name:
		return fmt.Sprintf("%s → %s", old.Ref, p.Ref)
	case p.Version != old.Version:
		return fmt.Sprintf("%s %s → %s", p.Name, old.Version, p.Version)
	case p.Integrity != old.Integrity && p.Integrity != "" && old.Integrity != "":
		return fmt.Sprintf("another archive is published as %s now: %s → %s", p.Ref, old.Integrity, p.Integrity)
	case len(below) > mostChanges+1:
		return fmt.Sprintf("the server is the same, %s and %d more below it", strings.Join(below[:mostChanges], ", "), len(below)-mostChanges)
	case len(below) > 0:
		return fmt.Sprintf("the server is the same, %s below it", strings.Join(below, ", "))
	}
	return ""
}

// changesBelow are the dependencies that are others now, one text each; those that came and went come last.
func changesBelow(old, now []Dependency) []string {
	before := map[string]Dependency{}
	for _, d := range old {
		before[d.Path] = d
	}
	var changed, moved []string
	for _, d := range now {
		was, known := before[d.Path]
		delete(before, d.Path)
		switch name := d.name(); {
		case !known:
			moved = append(moved, name+" "+d.Version+" is new")
		case was.Version != d.Version:
			changed = append(changed, fmt.Sprintf("%s %s → %s", name, was.Version, d.Version))
		case was.Integrity != d.Integrity && was.Integrity != "" && d.Integrity != "":
			changed = append(changed, fmt.Sprintf("%s %s is another archive", name, d.Version))
		}
	}
	for _, d := range old {
		if _, left := before[d.Path]; left {
			moved = append(moved, d.name()+" "+d.Version+" is gone")
		}
	}
	return append(changed, moved...)
}

func (d Dependency) name() string {
	if at := strings.LastIndex(d.Path, modules+"/"); at >= 0 {
		return d.Path[at+len(modules)+1:]
	}
	return path.Base(d.Path)
}
