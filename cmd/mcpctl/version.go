package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// buildVersion is set by the linker for released binaries.
var buildVersion string

// version is the released version, or what the Go toolchain knows of this build.
func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

func versionCommand(inv *invocation) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Flags: inv.outputFlags(),
		Action: func(*cli.Context) error {
			facts := []string{version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if inv.format == "json" {
				return json.NewEncoder(inv.out).Encode(map[string]string{"version": facts[0], "go": facts[1], "platform": facts[2]})
			}
			_, err := fmt.Fprintf(inv.out, "mcpctl %s (%s, %s)\n", facts[0], facts[1], facts[2])
			return err
		},
	}
}
