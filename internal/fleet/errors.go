package fleet

import (
	"cmp"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// The mistakes in flags and SOURCEs that show before a server is contacted.
var (
	errBuildSandbox = exit.UsageHint("build first and leave --build out, or leave --sandbox out",
		"a build runs outside of the sandbox")
	errInheritSandbox = exit.UsageHint("leave one of the two out, or name what is needed with --env",
		"--inherit-env hands the secrets of the environment into the sandbox")
	errTwoAuthorizations = exit.UsageHint("keep one of them",
		"--bearer and --header give an Authorization header")
	errShardNames = exit.UsageHint("name none, or leave it out", "--shard divides the configured servers")
	errOneServer  = exit.Usagef("name one server")
	errRevised    = exit.Advise("review it with mcpctl config, then run mcpctl trust",
		"the entry of the server changed since it was trusted")
	errHeld = exit.Advise("list fewer servers in a run, as with --only or --shard",
		"the run holds more than 256 MiB of lists")
	errHelperSandbox = exit.Advise("give them with --header or --bearer, or leave --sandbox out",
		"a command gives its headers, and runs outside of the sandbox")
)

// errOrigins returns the error for credentials of the command line that several hosts would get.
func errOrigins(origins []string) error {
	return exit.UsageHint("name one server, or put headers into the configuration",
		"headers of the command line would go to %d origins (%s, %s, …)", len(origins),
		origins[0], origins[1])
}

// errHelper returns the error for a command that should give headers and failed.
func errHelper(command string, err error) error {
	return exit.Advise("run it by hand in the folder of its configuration: "+
		printable.Message(redact.MaskLine(command)), "running the command that gives headers: %v", err)
}

// errInput returns the error for an input that was asked for and not given.
func errInput(id, variable string) error {
	return exit.UsageHint("set "+variable+" in the environment to run without being asked",
		"the input %q was not answered", id)
}

// errProtocol returns the error for a --protocol that does not exist.
func errProtocol(word string, known []string) error {
	return exit.Usagef("--protocol is auto or one of %s, not %q", strings.Join(known, ", "), word)
}

// errCapability returns the error for a capability that clients do not have.
func errCapability(word string, known []string) error {
	return exit.Usagef("--client-capabilities is none or a list of %s, not %q", strings.Join(known, ","),
		word)
}

// errFilter returns the error for a --filter that is not a pattern of names.
func errFilter(pattern string) error {
	return exit.Usagef("--filter %q is not a pattern such as create_*", pattern)
}

// errKind returns the error for a --kind that does not exist.
func errKind(kind string, known []string) error {
	return exit.UsageHint(kit.Suggest(kind, known), "unknown kind %q", kind)
}

// errNotOffered returns the error for an item that no server offers.
func errNotOffered(servers, known []string, item string) error {
	hint := cmp.Or(kit.Suggest(item, known), "see what it offers with mcpctl list")
	return exit.UsageHint(printable.Message(hint), "%s offers no %q", strings.Join(servers, ", "), item)
}

// errUnusable returns the error for a server that failed before it was contacted.
func errUnusable(name string, why *seen.Failure) error {
	return exit.UsageHint(printable.Message(why.Hint), "%s: %s", printable.Message(name),
		printable.Message(why.Message))
}

// errDisabled returns the error for a server that the configuration disables.
func errDisabled(name, file string) error {
	return exit.Usagef("%s is disabled in %s", printable.Message(name), file)
}

// errNoLogin returns the error for a login to a server that is no URL.
func errNoLogin(name string) error {
	return exit.UsageHint("its credentials, if it takes any, are set under env in the configuration",
		"%s is started as a command: only servers at a URL have logins", printable.Message(name))
}

// errSaved returns the error for a SOURCE that is a file where a live server is needed.
func errSaved(word string) error {
	return exit.Usagef("%s is saved: only a live server can be asked to do something", word)
}

// errOnly returns the error for an --only without any server of that name.
func errOnly(pattern string, known []string) error {
	return exit.UsageHint(cmp.Or(kit.Suggest(pattern, known), "list all servers with mcpctl config"),
		"--only %s: no such server", pattern)
}

// errOnlyLeaves returns the error for an --only that leaves no server.
func errOnlyLeaves(patterns []string) error {
	return exit.Usagef("--only %s leaves no server of those that were named", strings.Join(patterns, ","))
}

// NoServers returns the error for a configuration without servers; names are those that were requested, and
// takes what can be named in their place, as Selection.Takes.
func NoServers(cfg *config.Config, names []string, takes string) error {
	add := []string{"add one to .mcp.json", "use --config FILE", "use --discover"}
	where := "looked for mcpctl.yaml, .mcp.json and others up to the repository's root"
	switch {
	case len(cfg.Files) > 0:
		where = "none in the configuration"
	case len(cfg.Looked) > 0:
		add, where = add[:1], "none in the files of applications"
	}
	if len(names) > 0 {
		if takes != "" {
			takes = "name " + takes + "; "
		}
		_, meant := config.Meant(names[0])
		return exit.Misuse(config.NoServer(names[0], "", cmp.Or(meant, takes+where)))
	}
	if takes != "" {
		add = append(add, "name one: "+takes)
	}
	hint := strings.Join(add[:len(add)-1], ", ")
	return exit.UsageHint(kit.Join(" or ", hint, add[len(add)-1]), "no servers configured (%s)", where)
}

// failedSandbox returns the failure of a server that cannot run in the sandbox.
func failedSandbox(why error) *seen.Failure {
	return &seen.Failure{Stage: seen.Configuration, Message: "--sandbox: " + printable.Message(why.Error()),
		Hint: cmp.Or(exit.HintOf(why),
			"what can be granted to a server stands in docs/security.md; or run it without --sandbox")}
}
