package config

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// FromPackage is the server in a published package that was fetched. It starts in a folder of its own, and only once somebody
// agreed to this version with this content.
func FromPackage(p packages.Package, folder string, args []string) Entry {
	return Entry{
		Server: probe.Server{
			Name: p.Name, Source: p.String(),
			Stdio:   &probe.Stdio{Command: p.Command, Args: slices.Clone(args), Dir: folder},
			Secrets: hiddenIn(append([]string{p.Command}, args...)),
		},
		File: p.String(), Found: Published, published: p.String() + " " + p.Integrity,
		subject: trustSubject{path: p.String(), name: p.Name},
	}
}
