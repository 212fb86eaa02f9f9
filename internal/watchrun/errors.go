package watchrun

import (
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/source"
)

// Mistakes in the flags of watch, found before anything is contacted.
var (
	errInterval   = exit.Usagef("--interval is at least 1s")
	errStateSaved = exit.Usagef("specify only one of --state and --against saved")
	errWebhook    = exit.Usagef("--webhook is not a URL like https://HOST/PATH")
	errToken      = exit.Usagef("MCPCTL_LISTEN_TOKEN is not one word of ASCII characters")
	errShortToken = exit.UsageHint("make one with openssl rand -hex 16",
		"MCPCTL_LISTEN_TOKEN is too short: it needs at least 16 characters")
	errNoReload = exit.UsageHint("name them with --reload", "--build runs when files change")
)

// Reasons for the end of watching, other than a signal.
var (
	errTimeOver = errors.New("the time of --for is over")
	errQuit     = errors.New("ended by q + Enter")
	errChanged  = errors.New("a change at or above --fail-on")

	errFailedServer = errors.New("a server failed, with --fail-fast")
)

// errUnsaved returns the error for a server without a saved snapshot.
func errUnsaved(hint string) error {
	return fmt.Errorf("no saved snapshot to compare with: %s", hint)
}

// errUnquoted returns the error for a second SOURCE, which the shell probably made of a glob.
func errUnquoted(s source.Source) error {
	return exit.UsageHint("quote the glob, as in --reload 'src/**/*.ts'",
		"--reload restarts the server after --, and %q is another SOURCE", s)
}

// errSaved returns the error for a SOURCE that is a file or archive.
func errSaved(s source.Source) error {
	return exit.UsageHint("name a server, or use mcpctl diff", "%q is saved and cannot change", s)
}

// errNotOne returns the error for --reload with any other number of servers than one.
func errNotOne(n int) error {
	return exit.UsageHint("name one, or write its command after --",
		"--reload restarts one stdio server, not %d", n)
}

// errAtURL returns the error for --reload with a server that mcpctl does not start.
func errAtURL(name string) error {
	return exit.UsageHint("write its command after --",
		"--reload restarts a stdio server, and %q is at a URL", name)
}

// errOpen returns the error for a listener that other machines reach without a token.
func errOpen(address string) error {
	return exit.UsageHint("set MCPCTL_LISTEN_TOKEN, or use 127.0.0.1",
		"--listen %s is open to other machines", address)
}

// errListening returns the error for an address that cannot be listened on.
func errListening(err error) error {
	return exit.UsageHint("choose another port, or 0 for any", "--listen: %w", err)
}

// errStateInUse returns the error for a state folder that another run has locked.
func errStateInUse(path string) error {
	return exit.UsageHint("end the other run, or name another folder",
		"--state: another mcpctl uses %s", path)
}
