package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
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

// builtFrom returns the commit that the program was built from; empty if unknown, or if files were changed.
func builtFrom() (commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		}
	}
	return commit
}

// versionCommand makes version, which prints JSON or YAML when --format asks for it.
func versionCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:     "version",
		Category: "Set up",
		Usage:    "Print the version",
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return errVersionArgs
			}
			return p.Output.Bytes(c.Context, p.Process, []byte(versionText(p.Version, p.Output.Format)))
		},
	}, p.outputFlags())
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
