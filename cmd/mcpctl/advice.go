package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
)

// repeated are the flags that an advised command repeats, since without them it would be about other servers
// or other changes; of those that may hold a secret, only the name before their separator.
var repeated = map[string]string{
	"config": "", "c": "", "discover": "", "only": "", "trust": "", "snapshots": "", "inherit-env": "",
	"allow-scripts": "", "sandbox": "", "protocol": "", "client-capabilities": "", "ca-cert": "",
	"env": "=", "header": ":", "bearer": "cmd:",
}

// repeat returns what advised commands repeat of the one that runs.
func (p program) repeat(c *cli.Command, words []string) report.Repeat {
	var flags, compare []string
	hidden := false
	for _, a := range argumentsOf(p.typed, takesValue(c)) {
		separator, known := repeated[a.flag]
		switch {
		case a.flag == "semantics":
			compare = a.words
			continue
		case !known:
			continue
		}
		flags = append(flags, strings.Repeat("-", 1+min(len(a.flag)-1, 1))+a.flag)
		if shown, _, secret := strings.Cut(a.value, separator); separator != "" && secret {
			a.value, hidden = shown+separator+"…", true
		}
		if a.given {
			flags = append(flags, printable.ShellWord(a.value))
		}
	}
	return report.Repeat{
		Flags:   strings.Join(flags, " "),
		Compare: typedLine(compare...),
		Sources: typedLine(words...),
		Command: typedLine(p.behind...),
		Hidden:  hidden,
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
