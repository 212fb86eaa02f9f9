package main

import (
	"embed"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
)

//go:embed completion/*
var completions embed.FS

// shells are the files of the completion folder, by the shell's name.
var shells = map[string]string{"bash": "bash.sh", "zsh": "zsh.sh", "fish": "fish.sh", "powershell": "powershell.ps1"}

func completionCommand(inv *invocation) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell: bash, zsh, fish or powershell",
		ArgsUsage: "SHELL",
		Action: func(c *cli.Context) error {
			file, ok := shells[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return usagef("completion takes one of bash, zsh, fish, powershell: source <(mcpctl completion bash)")
			}
			script, err := completions.ReadFile("completion/" + file)
			if err == nil {
				_, err = inv.out.Write(script)
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

// completeServers offers the flags of a command when a flag was begun, the names of configured servers otherwise.
func (inv *invocation) completeServers(c *cli.Context) {
	if last := lastTyped(); strings.HasPrefix(last, "-") {
		cli.DefaultCompleteWithFlags(c.Command)(c)
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		return
	}
	home, _ := os.UserHomeDir()
	cfg, _ := config.Load(config.Input{Dir: dir, Home: home, Lookup: inv.lookup})
	for _, e := range cfg.Entries {
		fmt.Fprintln(c.App.Writer, e.Server.Name)
	}
}

// lastTyped is the last word of the command line that is being completed.
func lastTyped() string {
	if n := len(os.Args); n > 2 {
		return os.Args[n-2]
	}
	return ""
}
