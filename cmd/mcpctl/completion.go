package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

//go:embed completion/*
var completions embed.FS

// shells are the files of the completion folder, by the shell's name.
var shells = map[string]string{"bash": "bash.sh", "zsh": "zsh.sh", "fish": "fish.sh", "powershell": "powershell.ps1"}

func completionCommand(p program) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell: bash, zsh, fish or powershell",
		ArgsUsage: "SHELL",
		Action: func(c *cli.Context) error {
			file, ok := shells[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return exit.Usagef("completion takes one of bash, zsh, fish, powershell: source <(mcpctl completion bash)")
			}
			script, err := completions.ReadFile("completion/" + file)
			if err == nil {
				_, err = p.Out.Write(script)
			}
			return err
		},
		BashComplete: completeWords("bash", "fish", "powershell", "zsh"),
	}
}

// completeWords offers words.
func completeWords(words ...string) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		for _, word := range words {
			fmt.Fprintln(c.App.Writer, word)
		}
	}
}

// completing is what a shell's completion script puts behind the words that were typed.
const completing = "--generate-bash-completion"

// completeValue offers the values of a flag that ends what was typed, and tells whether there is such a flag. One that
// may be the beginning of another flag is taken for that if it has no few values.
func (p program) completeValue(app *cli.App, args []string) bool {
	n := len(args)
	if n < 3 || args[n-1] != completing || !strings.HasPrefix(p.typed, "-") || app.Command(args[0]) == nil {
		return false
	}
	typed := strings.TrimLeft(p.typed, "-")
	takes := flagsOf(app.Command(args[0]))
	values := flagValues(typed, args[0])
	for name := range takes {
		if values == nil && name != typed && strings.HasPrefix(name, typed) {
			return false
		}
	}
	for _, value := range values {
		fmt.Fprintln(p.Out, value)
	}
	return takes[typed]
}

// flagValues are the values that a flag of a command can have, as far as they are a few words; nil = anything.
func flagValues(flag, command string) []string {
	switch flag {
	case "format", "f":
		if command == "watch" {
			return report.EventFormats()
		}
		return report.Formats()
	case "report":
		var files []string
		for _, format := range report.Formats() {
			files = append(files, format+"=")
		}
		return files
	case "fail-on":
		return []string{"breaking", "warning", "info", "any", "never"}
	case "kind":
		return []string{"tools", "prompts", "resources", "templates"}
	case "protocol":
		return append([]string{"auto"}, probe.Versions()...)
	case "color":
		return []string{"auto", "always", "never"}
	case "semantics":
		return []string{"declared", "strict"}
	case "against":
		return []string{"previous", "saved"}
	}
	return nil
}

// completeServers offers the flags of a command when a flag was begun, the names of configured servers otherwise.
func (p *program) completeServers(c *cli.Context) {
	if strings.HasPrefix(p.typed, "-") {
		cli.DefaultCompleteWithFlags(c.Command)(c)
		return
	}
	quiet := p.Process
	quiet.Quiet = true
	cfg, _ := fleet.Read(quiet, p.Select)
	var names []string
	for _, e := range cfg.Entries {
		names = append(names, slices.DeleteFunc(e.Names(), func(name string) bool { return slices.Contains(names, name) })...)
	}
	completeWords(names...)(c)
}
