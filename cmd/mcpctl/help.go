package main

import (
	_ "embed"
	"strings"
)

const appHelp = `{{.Name}} - {{.Usage}}

USAGE:
   mcpctl COMMAND [FLAG…] [SOURCE…] [-- CMD ARG…]

COMMANDS:{{range .VisibleCategories}}{{if .Name}}
   {{.Name}}:{{range .VisibleCommands}}
     {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}{{end}}{{end}}

Use "mcpctl COMMAND --help" for more information about a command,
"mcpctl options" for SOURCEs, exit statuses and flags that commands share.
`

// commandHelp shows the flags of a command that have no category: its own.
const commandHelp = `{{.HelpName}} - {{.Usage}}

USAGE:
   {{.HelpName}} [FLAG…]{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}{{if .Description}}

{{.Description}}{{end}}{{range .VisibleFlagCategories}}{{if not .Name}}

OPTIONS:{{range .Flags}}
   {{.}}{{end}}{{end}}{{end}}

Use "mcpctl options" for flags that commands share.
`

// The categories of flags that commands share.
const (
	selecting  = "Selection:"
	connecting = "Connection:"
	printing   = "Output:"
)

// examples are command lines, each with what it does after "  # ".
//
//go:embed examples.txt
var examples string

// examplesOf returns the examples of a command as its help shows them.
func examplesOf(command string) string {
	var out strings.Builder
	for example := range strings.Lines(examples) {
		line, about, _ := strings.Cut(strings.TrimSpace(example), "  # ")
		if strings.HasPrefix(line, "mcpctl "+command+" ") || line == "mcpctl "+command {
			out.WriteString("\n   " + line + "\n       " + about)
		}
	}
	return out.String()
}
