package live

import (
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/monitor"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// ListenOptions say what is served over HTTP.
type ListenOptions struct {
	Address string // such as 127.0.0.1:9464; empty = nothing is served
	Token   string // what clients must show: @FILE, env:NAME or the token; empty = as MCPCTL_LISTEN_TOKEN says
}

// listen opens what the options ask for; nil = nothing. Mistakes and an address that is taken are usage errors, for no server
// was contacted yet.
func listen(p host.Process, o ListenOptions, j *journal.Journal) (*monitor.Monitor, error) {
	if o.Address == "" {
		if o.Token != "" {
			return nil, exit.Usagef("--listen-token is for --listen: give an address to listen on, such as --listen 127.0.0.1:9464")
		}
		return nil, nil
	}
	address, err := monitor.ParseAddress(o.Address)
	if err != nil {
		return nil, exit.Usagef("--listen: %w", err)
	}
	token, err := listenToken(p, o.Token)
	if err != nil {
		return nil, err
	}
	loopback := address.Addr().IsLoopback()
	if !loopback && token == "" {
		return nil, exit.Usagef("--listen %s is open to other machines: set a token with --listen-token @FILE or MCPCTL_LISTEN_TOKEN, or listen on 127.0.0.1", o.Address)
	}
	listener, err := listenOn(address)
	if err != nil {
		return nil, exit.Usagef("--listen: %w: is another mcpctl running? Choose another port, or 0 for any", err)
	}
	m := monitor.New(monitor.Options{Journal: j, Token: token, Loopback: loopback, Version: p.Version, Explain: fleet.FailureOf, Nearest: match.Nearest})
	m.Serve(listener)
	p.Note("listening on http://%s", listener.Addr())
	return m, nil
}

// listenOn listens on exactly this address: 0.0.0.0 is not every address of IPv6 as well.
func listenOn(address netip.AddrPort) (net.Listener, error) {
	if address.Addr().Is4() {
		return net.Listen("tcp4", address.String())
	}
	return net.Listen("tcp", address.String())
}

// listenToken is the token as a flag gives it: @FILE and env:NAME keep it off the command line, where everybody on the
// machine can read it. Without the flag it is that of the environment.
func listenToken(p host.Process, flag string) (string, error) {
	token, from := flag, "--listen-token"
	switch name, isVariable := strings.CutPrefix(flag, "env:"); {
	case flag == "":
		var set bool
		if token, set = p.Lookup("MCPCTL_LISTEN_TOKEN"); !set {
			return "", nil
		}
		from = "MCPCTL_LISTEN_TOKEN"
	case isVariable:
		token, _ = p.Lookup(name)
		from = "--listen-token: the variable " + name
	case strings.HasPrefix(flag, "@"):
		text, err := os.ReadFile(flag[1:])
		if err != nil {
			return "", exit.Usagef("--listen-token: %w", err)
		}
		token, from = strings.TrimSpace(string(text)), "--listen-token: "+flag[1:]
	}
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", exit.Usagef("%s holds no token: it is one word of ASCII characters, such as openssl rand -hex 32 makes", from)
	}
	return token, nil
}

// monitored are the servers of the run as HTTP clients see them.
func monitored(servers []*watchedServer) []monitor.Server {
	all := make([]monitor.Server, 0, len(servers))
	for _, w := range servers {
		one := monitor.Server{Name: w.name(), Status: w.view.Status, Refresh: w.refresh, Transport: "http"}
		switch {
		case !w.target.Live():
			idle := watch.Status{State: w.idle()}
			one.Status, one.Refresh, one.Transport, one.Trouble = func() watch.Status { return idle }, nil, "", w.target.Known().Error
		case w.target.Starts():
			one.Transport = "stdio"
		}
		all = append(all, one)
	}
	return all
}
