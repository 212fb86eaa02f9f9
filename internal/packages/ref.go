// Package packages starts servers in published packages by npx, uvx and docker, apart from the current
// directory and its settings, and asks registries which release a reference stands for.
package packages

import (
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Ref names a published package: npm:NAME[@VERSION], pypi:NAME[@VERSION] or oci:IMAGE[:TAG|@DIGEST].
type Ref struct {
	Registry string // "npm", "pypi" or "oci"
	Name     string // such as "@playwright/mcp"
	Version  string // exact, a tag, a digest or a range; empty = the newest
}

// String returns the reference as it is written on a command line.
func (r Ref) String() string {
	switch {
	case r.Version == "":
		return r.Registry + ":" + r.Name
	case r.Registry == "oci" && !r.Exact():
		return "oci:" + r.Name + ":" + r.Version
	}
	return r.Registry + ":" + r.Name + "@" + r.Version
}

// MarshalText returns the reference as String does.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a reference.
func (r *Ref) UnmarshalText(text []byte) error {
	ref, known, err := Parse(string(text))
	if !known {
		return fmt.Errorf("%q is not a package that mcpctl knows", text)
	}
	*r = ref
	return err
}

// spec returns the reference as npx and uvx take it, or docker for an image.
func (r Ref) spec() string {
	_, spec, _ := strings.Cut(r.String(), ":")
	return spec
}

// Exact reports whether the version names one release, not a tag or a range.
func (r Ref) Exact() bool {
	switch r.Registry {
	case "pypi":
		return r.Version != ""
	case "oci":
		return strings.HasPrefix(r.Version, "sha256:")
	}
	v := "v" + r.Version
	return semver.Canonical(v)+semver.Build(v) == v // it completes v1.2
}

// syntax is how a registry writes names and versions.
type syntax struct {
	name, version func() *regexp.Regexp
	example       string
}

// registries are those that a reference can name. No name or version of theirs is a path, a URL or a flag.
var registries = map[string]syntax{
	// https://docs.npmjs.com/cli/configuring-npm/package-json#name
	"npm": {
		kit.Pattern(`^(@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~][A-Za-z0-9._~-]*$`),
		kit.Pattern(`^[A-Za-z0-9^~<>=*][A-Za-z0-9.^~<>=*|+-]*$`), "npm:@playwright/mcp@0.0.70",
	},
	// https://packaging.python.org/en/latest/specifications/name-normalization
	"pypi": {
		kit.Pattern(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`),
		kit.Pattern(`^[0-9][0-9A-Za-z.!+_-]*$`), "pypi:mcp-server-time@2025.9.25",
	},
	// https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
	"oci": {
		kit.Pattern(
			`^([A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*` +
				`(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`),
		kit.Pattern(`^([A-Za-z0-9_][A-Za-z0-9._-]{0,127}|sha256:[0-9a-f]{64})$`),
		"oci:ghcr.io/github/github-mcp-server:v0.20.1",
	},
}

// Parse reads a word of the command line; false when it names no registry that mcpctl knows.
func Parse(word string) (ref Ref, known bool, err error) {
	registry, rest, _ := strings.Cut(word, ":")
	as, known := registries[registry]
	if !known {
		return Ref{}, false, nil
	}
	ref = Ref{Registry: registry, Name: rest}
	ref.Name, ref.Version = cutVersion(registry, rest)
	versioned := ref.Name != rest
	if registry == "pypi" {
		ref.Name = normalized(ref.Name)
		if versioned && ref.Version == "latest" { // as uvx has it
			ref.Version, versioned = "", false
		}
	}
	switch {
	case !as.name().MatchString(ref.Name) || len(ref.Name) > 255:
		return ref, true, fmt.Errorf("invalid package %q: expected a name such as %s", word, as.example)
	case versioned && !as.version().MatchString(ref.Version):
		return ref, true, fmt.Errorf("invalid version in %q: expected one such as in %s", word, as.example)
	}
	return ref, true, nil
}

// cutVersion splits what follows the registry. The colon before a slash belongs to the port of an image's
// registry.
func cutVersion(registry, rest string) (name, version string) {
	if at := strings.LastIndex(rest, "@"); at > 0 {
		return rest[:at], rest[at+1:]
	}
	if at := strings.LastIndex(rest, ":"); registry == "oci" && at > strings.LastIndex(rest, "/") {
		return rest[:at], rest[at+1:]
	}
	return rest, ""
}

// normalized returns a name of PyPI as it is compared.
func normalized(name string) string {
	return strings.ToLower(separators().ReplaceAllString(name, "-"))
}

var separators = kit.Pattern(`[-_.]+`)
