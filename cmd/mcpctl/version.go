package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/mod/semver"

	"github.com/mcpctl/mcpctl/internal/host"
)

// buildVersion is set by the linker for released binaries.
var buildVersion string

// version returns the released version, or the one that the Go toolchain recorded in the build.
func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// buildOrigin is what the program was built from, as far as the build knows.
type buildOrigin struct {
	release string // such as v1.2.0
	commit  string // full; empty if files were changed
	module  string // version of the module that the Go toolchain fetched, also one of a single commit
}

// builtFrom returns the origin of this program.
func builtFrom() buildOrigin {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildOrigin{}
	}
	return originOf(buildVersion, info)
}

// originOf returns the origin of a build that the linker gave a version; "" = none.
func originOf(linked string, info *debug.BuildInfo) (from buildOrigin) {
	changed := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			from.commit = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	if changed {
		return buildOrigin{}
	}
	if v := "v" + strings.TrimPrefix(linked, "v"); semver.Canonical(v) == v && semver.Prerelease(v) == "" {
		from.release = v
	}
	// one that was made in a clone is stamped from it, and may not be published
	if v := info.Main.Version; from.commit == "" && semver.IsValid(v) && semver.Build(v) == "" {
		from.module = v
	}
	return from
}

// versionCommand makes version, which prints JSON or YAML when --format asks for it.
func versionCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:        "version",
		Category:    "Set up",
		Usage:       "Print the version",
		Description: "With --verbose, also the directories of its files.",
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return errVersionArgs
			}
			text := versionText(p.Version, p.Output.Format)
			if p.Verbose && !slices.Contains([]string{"json", "yaml"}, p.Output.Format) {
				text += placesText(p.Process)
			}
			return p.Output.Bytes(c.Context, p.Process, []byte(text))
		},
	}, p.outputFlags(valueFormats))
}

// placesText returns where the program keeps files, a line each; docs/config.md has the same list.
func placesText(p host.Process) string {
	state, noState := p.StateDir()
	cache, noCache := p.CacheDir()
	if err := errors.Join(noState, noCache); err != nil {
		return err.Error() + "\n"
	}
	return "trust, logins: " + state + "\npackages:      " + filepath.Join(cache, "packages") +
		"\nsnapshots:     mcp-snapshots in each project\n"
}

// versionText returns the version in a format; the default is a line of text, also in a pipe.
func versionText(version, format string) string {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	switch format {
	case "json":
		return fmt.Sprintf("{\"version\": %q, \"go\": %q, \"platform\": %q}\n", version, runtime.Version(),
			platform)
	case "yaml":
		return fmt.Sprintf("version: %q\ngo: %q\nplatform: %q\n", version, runtime.Version(), platform)
	}
	return fmt.Sprintf("mcpctl %s (%s, %s)\n", version, runtime.Version(), platform)
}
