package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
)

// repeated are the flags that an advised command repeats, since without them it would be about other servers
// or other changes; of those that may hold a secret, only the name before their separator.
var repeated = map[string]string{
	"config": "", "c": "", "discover": "", "only": "", "snapshots": "", "semantics": "", "inherit-env": "",
	"allow-scripts": "", "sandbox": "", "protocol": "", "client-capabilities": "", "ca-cert": "",
	"env": "=", "header": ":", "bearer": "cmd:",
}

// repeat returns what advised commands repeat of the one that runs.
func (p program) repeat(c *cli.Command, words []string) report.Repeat {
	var flags []string
	values := takesValue(c)
	for i := 1; i < len(p.typed); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(p.typed[i], "-"), "=")
		separator, known := repeated[name]
		switch {
		case !strings.HasPrefix(p.typed[i], "-") || !known:
			continue
		case values[name] && !given && i+1 < len(p.typed):
			i++
			value, given = p.typed[i], true
		}
		flags = append(flags, strings.Repeat("-", 1+min(len(name)-1, 1))+name)
		if shown, _, secret := strings.Cut(value, separator); separator != "" && secret {
			value = shown + separator + "…"
		}
		if given {
			flags = append(flags, printable.ShellWord(value))
		}
	}
	return report.Repeat{
		Flags:   strings.Join(flags, " "),
		Sources: strings.Join(kit.Map(redact.MaskArgs(words), printable.ShellWord), " "),
		Command: strings.Join(kit.Map(redact.MaskArgs(p.behind), printable.ShellWord), " "),
	}
}

// takesValue returns for each name of a flag of a command whether a value follows it.
func takesValue(c *cli.Command) map[string]bool {
	values := map[string]bool{}
	for _, f := range c.Flags {
		_, boolean := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			values[name] = !boolean
		}
	}
	return values
}
