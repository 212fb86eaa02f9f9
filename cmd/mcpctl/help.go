package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
)

const appHelp = `{{.Name}} - {{.Usage}}

USAGE:
   mcpctl COMMAND [FLAG…] [SOURCE…] [-- CMD ARG…]

COMMANDS:{{range .VisibleCategories}}{{if .Name}}
   {{.Name}}:{{range .VisibleCommands}}
     {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}{{end}}{{end}}

Use "mcpctl COMMAND --help" for more information about a command,
"mcpctl options" for SOURCEs, exit statuses and flags that commands share, "mcpctl man" for the manual page.
`

// commandHelp shows the flags of a command that have no category: its own.
const commandHelp = `{{.HelpName}} - {{.Usage}}

USAGE:
   {{if .UsageText}}{{.UsageText}}{{else}}{{.HelpName}} [FLAG…]{{if .ArgsUsage}} {{.ArgsUsage}}{{end -}}
{{end}}{{if .Description}}

{{.Description}}{{end}}{{range .VisibleFlagCategories}}{{if not .Name}}

OPTIONS:{{range .Flags}}
   {{.}}{{end}}{{end}}{{end}}
` + optionsNote

const optionsNote = `
Use "mcpctl options" for flags that commands share.
`

// The categories of flags that commands share.
const (
	selecting  = "Selection:"
	connecting = "Connection:"
	printing   = "Output:"
)

// twoColumns matches what stands before the text of a flag or command in the help.
var twoColumns = kit.Pattern(`^ +\S.*?\S {2,}`)

// wrapHelp returns a help wrapped at spaces to the width of a terminal: prose as paragraphs, texts of flags
// in their column. 0 = as it is.
func wrapHelp(text string, columns int) string {
	if columns <= 0 || text == "" {
		return text
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		last := len(lines) - 1
		isProse := func(s string) bool { return s != "" && s[0] != ' ' && !strings.HasSuffix(s, ":") }
		if last >= 0 && isProse(line) && isProse(lines[last]) {
			lines[last] += " " + line
		} else {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		hang := len(line) - len(strings.TrimLeft(line, " "))
		if before := len(twoColumns().FindString(line)); before > 0 && before < columns/2 {
			hang = before
		} else if hang > 0 {
			hang += 4
		}
		lines[i] = host.Fold(line, columns, strings.Repeat(" ", hang))
	}
	return strings.Join(lines, "\n") + "\n"
}

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

// manCommand makes man, which the help does not show; its page is generated from the commands. A terminal
// shows it as text.
func manCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:     "man",
		Category: "Set up",
		Usage:    "Write the manual page, mcpctl(1)",
		Hidden:   true,
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return errManArgument
			}
			if p.Output.File == "" && host.IsTerminal(p.Out) {
				return writeManual(c)
			}
			page, err := c.App.ToManWithSection(1)
			if err != nil {
				return err
			}
			return p.Output.Bytes(c.Context, p.Process, []byte(page))
		},
	}, outputFlag(&p.Output))
}

// writeManual writes the help of the program, and of each command.
func writeManual(c *cli.Context) error {
	if err := cli.ShowAppHelp(c); err != nil {
		return err
	}
	for _, command := range c.App.VisibleCommands() {
		fmt.Fprintln(c.App.Writer)
		if command.Name == "options" {
			if err := command.Action(c); err != nil {
				return err
			}
			continue
		}
		cli.HelpPrinter(c.App.Writer, strings.TrimSuffix(commandHelp, optionsNote), command)
	}
	return nil
}

const appDescription = `A SOURCE is one of
  NAME                       a configured server
  https://HOST/PATH          a server at a URL
  npm:, pypi:, oci:PACKAGE   a package, started by npx, uvx or docker
  -- CMD ARG…                a stdio server, last on the command line
  FILE.json, FOLDER, -       saved snapshots, or one on standard input
  git:REF[:PATH]             saved snapshots as committed at REF

Exit status
  0  no findings at or above the threshold
  1  findings
  2  wrong usage or configuration
  3  incomplete: a server failed
  4  no saved snapshot to compare with`

const optionsHelp = `{{.Description}}

Flags that commands share
{{template "visibleFlagCategoryTemplate" .}}`

// optionsCommand shows what commands share, as kubectl options does.
func optionsCommand(program) *cli.Command {
	return &cli.Command{
		Name:     "options",
		Category: "Set up",
		Usage:    "List the flags that commands share",
		Action: func(c *cli.Context) error {
			shared, seen := &cli.Command{Description: appDescription}, map[string]bool{}
			for _, command := range c.App.Commands {
				for _, f := range command.Flags {
					grouped, ok := f.(cli.CategorizableFlag)
					if ok && grouped.GetCategory() != "" && !seen[f.Names()[0]] {
						seen[f.Names()[0]] = true
						shared.Flags = append(shared.Flags, f)
					}
				}
			}
			cli.HelpPrinter(c.App.Writer, optionsHelp, shared)
			return nil
		},
	}
}
