package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// credentialFlags are where headers come from that are for the HTTP servers of a run.
func (inv *invocation) credentialFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "header", Usage: "`\"K: V\"` for every HTTP server of this run, or @FILE with one a line (repeatable)", Destination: &inv.headers},
		&cli.StringFlag{Name: "bearer", Usage: "bearer token `FROM` env:NAME, file:PATH or cmd:'COMMAND', for every HTTP server of this run", Destination: &inv.bearer},
		&cli.StringFlag{Name: "headers-helper", Usage: "run `CMD` with the shell for headers, which it writes as a JSON object", Destination: &inv.helper},
	}
}

// credentials are what the flags give to servers.
type credentials struct {
	headers map[string]probe.Secret
	helper  *probe.Helper
}

// given tells whether the flags give anything.
func (c credentials) given() bool { return len(c.headers) > 0 || c.helper != nil }

// credentials reads the flags. Files that everybody can read are remarked on.
func (inv *invocation) credentials() (credentials, error) {
	home, _ := os.UserHomeDir()
	in := config.Input{Home: home, Lookup: inv.Lookup}
	lines, warnings, err := in.HeaderFlags(inv.headers.Value())
	if err != nil {
		return credentials{}, exit.Misuse(err)
	}
	var c credentials
	if c.headers, err = config.ParseHeaders(lines); err != nil {
		return c, exit.Misuse(err)
	}
	if inv.helper != "" {
		c.helper = &probe.Helper{Command: inv.helper}
	}
	if inv.bearer != "" {
		if err := inv.readBearer(in, &c, &warnings); err != nil {
			return c, err
		}
	}
	for _, warning := range warnings {
		inv.Note("%s: chmod 600 the file", warning)
	}
	return c, nil
}

func (inv *invocation) readBearer(in config.Input, c *credentials, warnings *[]string) error {
	value, helper, warning, err := in.Bearer(inv.bearer)
	switch {
	case err != nil:
		return exit.Misuse(err)
	case c.headers["Authorization"] != "":
		return exit.Usagef("--bearer and --header give an Authorization header: keep one of them")
	case helper != nil && c.helper != nil:
		return exit.Usagef("--bearer cmd: and --headers-helper are two commands: let one of them give all headers")
	case helper != nil:
		c.helper = helper
	default:
		c.headers["Authorization"] = value
	}
	if warning != "" {
		*warnings = append(*warnings, warning)
	}
	return nil
}

// dress is a server with what the flags give, which wins over its configuration.
func (c credentials) dress(http probe.HTTP) *probe.HTTP {
	http.Headers = config.Merged(http.Headers, c.headers)
	switch bearer := c.headers["Authorization"] != ""; {
	case c.helper != nil:
		http.Helper = c.helper
	case bearer && http.Helper != nil && http.Helper.Bearer:
		http.Helper = nil
	}
	return &http
}
