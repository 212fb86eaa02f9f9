// Package packages fetches published packages apart from the user's own folders, and says how the MCP server in each is
// started. It starts no server: what was fetched is only files.
package packages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
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

// spec is the reference as its package manager wants it.
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

// npmName is what npm takes for a name (https://docs.npmjs.com/cli/configuring-npm/package-json#name), in the capitals of old
// packages too. It can be no path, no address and no flag.
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
	Integrity    string       // of the archive, as the registry gives it, such as "sha512-…"
	Folder       string       // where it is installed
	Command      string       // the program that starts its server
	Args         []string     // of that program, before those of the server
	Env          []string     // "K=V", of the user's own, that the program needs
	Dependencies []Dependency // sorted by path
	Needs        []string     // variables that its server.json says it does not work without
}

// Dependency is one package that was installed with another.
type Dependency struct {
	Path          string // below the folder, such as "node_modules/zod"
	Version       string
	Integrity     string
	InstallScript bool // it has a script that was to run on installing, and did not
}

func sortByPath(all []Dependency) {
	slices.SortFunc(all, func(a, b Dependency) int { return cmp.Compare(a.Path, b.Path) })
}

// Scripts are the paths of what has an install script: none of them ran.
func (p Package) Scripts() []string {
	var paths []string
	for _, d := range p.Dependencies {
		if d.InstallScript {
			paths = append(paths, d.Path)
		}
	}
	return paths
}
