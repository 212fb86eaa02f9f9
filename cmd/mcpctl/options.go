package main

import "github.com/urfave/cli/v2"

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
