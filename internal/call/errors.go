package call

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Mistakes in the command line, found before a server is contacted.
var (
	errNoServer = exit.UsageHint("name one: a configured NAME, a URL, or -- and the command that starts it",
		"no server given")
)

// errNotJSON returns the error for the value of a flag that holds all arguments.
func errNotJSON(flag string) error {
	return exit.UsageHint("write an object such as '{\"limit\": 5}', @FILE, or - for standard input",
		"%s is not JSON", flag)
}

// errNotText returns the error for an argument in JSON where only text is possible.
func errNotText(key string) error {
	return exit.UsageHint("write "+key+"=VALUE", "%s is a text here", key)
}

// errArgument returns the error for an argument in a form that call does not have.
func errArgument(word, hint string) error { return exit.UsageHint(hint, "invalid argument %q", word) }

// errTwice returns the error for an argument that is given again.
func errTwice(key string) error { return exit.Usagef("%s is given twice", key) }

// errReference returns the error for a reference that complete cannot read.
func errReference(reference string) error {
	return exit.UsageHint(fmt.Sprintf("write prompt/%s, or template/%[1]s", reference),
		"%q is neither prompt/NAME nor template/URI-TEMPLATE", reference)
}

// errUnconfirmed returns the error for a tool that needs a confirmation, without a terminal.
func errUnconfirmed(server, tool string) error {
	return exit.UsageHint("add --yes to call it, or --dry-run to see the request",
		"%s: %s may change things (it does not declare readOnlyHint); nothing was called",
		server, printable.Message(tool))
}

// errDeclined returns the error for a tool whose call the user declined.
func errDeclined(server, tool string) error {
	return exit.Usagef("%s: %s was not called", server, printable.Message(tool))
}

// errTaskOnly returns the error for a tool that can only be called as a task.
func errTaskOnly(server, tool string) error {
	return exit.Usagef("%s: %s can only be called as a task (execution.taskSupport), which mcpctl does "+
		"not do; nothing was called", server, printable.Message(tool))
}

// errUnanswered returns the error for a question of a server, without a terminal.
func errUnanswered(question string) error {
	return exit.Advise("run mcpctl in a terminal, answer a form with --answer KEY=VALUE, or pass "+
		"all arguments",
		"the server asks: %s\nno terminal to answer on", question)
}

// errAnswers returns the error for a file of --answer with a value of another type.
func errAnswers(flag, holds string) error {
	return exit.Usagef("--answer %s holds %s, want a JSON object, with the answer to each field", flag, holds)
}

// errNotOffered returns the error for an item that a server does not offer. Unless a name is similar, it may
// be offered only to clients with more capabilities: list declares all of them, call none.
func errNotOffered(server, kind, name string, offered []string, capabilities string) error {
	hint := cmp.Or(kit.Suggest(name, offered), "see what it offers with mcpctl list")
	if len(kit.Nearest(name, offered)) == 0 && capabilities == "" {
		hint = "see mcpctl list; for what is offered to some clients only, add --client-capabilities " +
			strings.Join(probe.ClientCapabilities(), ",")
	}
	return exit.UsageHint(printable.Message(hint), "%s offers no %s %q", server, kind, name)
}
