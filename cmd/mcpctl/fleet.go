package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// probeAll contacts servers at once, as many as the flags allow, and gives their surfaces in the order of servers.
func (inv *invocation) probeAll(ctx context.Context, servers []probe.Server) ([]surface, error) {
	options, err := inv.probeOptions()
	if err != nil {
		return nil, err
	}
	found := make([]surface, len(servers))
	for i, s := range servers {
		found[i] = probed(probe.Result{Server: s, Err: &probe.Error{Server: s.Name, Stage: probe.Starting, Err: errNotTried}})
	}
	bar := terminal.NewBar(inv.Process, len(servers))
	defer bar.Finish()
	for result := range probe.All(ctx, servers, options) {
		found[result.Index] = probed(result)
		bar.Done()
	}
	return found, nil
}

var errNotTried = errors.New("not tried, since the run ended before")

// probeOptions are the flags as the prober takes them.
func (inv *invocation) probeOptions() (probe.Options, error) {
	options := probe.Options{
		Timeout: inv.timeout.or(defaultTimeout), Parallel: inv.parallel, Protocol: inv.protocol, Retries: inv.retries,
		FailFast: inv.failFast, ReadTwice: inv.twice, Environ: inv.Environ, InheritEnv: inv.inheritEnv,
		Client: probe.Client{Name: "mcpctl", Version: version()},
	}
	if inv.parallel < 1 || inv.retries < 0 {
		return options, exit.Usagef("--parallel is at least 1 and --retries at least 0")
	}
	if known := probe.Versions(); inv.protocol != "auto" && !slices.Contains(known, inv.protocol) {
		return options, exit.Usagef("--protocol is auto or one of %s, not %q", strings.Join(known, ", "), inv.protocol)
	}
	var err error
	options.CACert, err = inv.certificates()
	return options, err
}

// flagged adds what --header, --env, --protocol and --timeout say to servers. Headers may hold credentials, so they go to one origin
// only.
func (inv *invocation) flagged(servers []probe.Server) ([]probe.Server, error) {
	flags, err := inv.credentials()
	if err != nil {
		return nil, err
	}
	env, err := config.ParseEnv(inv.env.Value())
	if err != nil {
		return nil, exit.Misuse(err)
	}
	if origins := origins(servers); flags.given() && len(origins) > 1 {
		return nil, exit.Usagef("headers of the command line would go to %d origins (%s, %s, …): name one server, or put headers into the configuration", len(origins), origins[0], origins[1])
	}
	for i, s := range servers {
		if s.Stdio != nil {
			stdio := *s.Stdio
			stdio.Env = config.Merged(stdio.Env, env)
			servers[i].Secrets = slices.Concat(s.Secrets, config.Confidential(env))
			servers[i].Stdio = &stdio
		}
		if s.HTTP != nil {
			servers[i].HTTP = flags.dress(*s.HTTP)
			servers[i].Secrets = slices.Concat(s.Secrets, config.Confidential(flags.headers))
			_, own := servers[i].HTTP.Headers["Authorization"]
			switch {
			case servers[i].HTTP.Helper != nil:
				servers[i].HTTP.Authorize = helped(servers[i], inv.Environ, flags.headers)
			case own:
				servers[i].HTTP.Authorize = nil // what somebody wrote is sent, and no login in its stead
			}
		}
		if inv.protocol != "auto" {
			servers[i].Protocol = inv.protocol
		}
		if inv.timeout.set {
			servers[i].Timeout = inv.timeout.Duration
		}
	}
	if inv.sandbox {
		return inv.shutIn(servers)
	}
	return servers, nil
}
