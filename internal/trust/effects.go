package trust

import (
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/printable"
)

// effectsOf returns what an entry would do, with its program if that is not there.
func effectsOf(e config.Entry) config.Effects {
	x := e.Effects()
	if config.LacksProgram(e) {
		x.Lacks = append(x.Lacks, printable.ShellWord(e.Server.Stdio.Command)+", which is not in PATH")
	}
	return x
}
