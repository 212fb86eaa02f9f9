package watchrun

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// listen begins to answer HTTP clients on an address; nil for none. Its errors are usage errors: no server
// was contacted yet.
func listen(p host.Process, text string) (*monitor, error) {
	if text == "" {
		return nil, nil
	}
	token, err := listenToken(p)
	if err != nil {
		return nil, err
	}
	address, err := parseAddress(text)
	if err != nil {
		return nil, exit.Usagef("--listen: %w", err)
	}
	loopback := address.Addr().IsLoopback()
	if !loopback && token == "" {
		return nil, errOpen(text)
	}
	network := "tcp"
	if address.Addr().Is4() { // 0.0.0.0 does not include IPv6
		network = "tcp4"
	}
	listener, err := net.Listen(network, address.String())
	if err != nil {
		return nil, errListening(err)
	}
	m := newMonitor(token, loopback)
	m.serve(listener)
	p.Note("listening on http://%s", listener.Addr())
	return m, nil
}

// parseAddress parses an address to listen on; a port alone means loopback.
func parseAddress(text string) (netip.AddrPort, error) {
	full := strings.TrimPrefix(text, "localhost")
	if !strings.Contains(full, ":") {
		full = ":" + full
	}
	if strings.HasPrefix(full, ":") {
		full = "127.0.0.1" + full
	}
	address, err := netip.ParseAddrPort(full)
	if err != nil {
		return address, fmt.Errorf("%q is not an IP address with port, as 127.0.0.1:9464", text)
	}
	return netip.AddrPortFrom(address.Addr().Unmap(), address.Port()), nil
}

// leastToken is the length in characters of the shortest token that cannot be guessed by trying.
const leastToken = 16

// listenToken returns the token of MCPCTL_LISTEN_TOKEN, a value or file:PATH; empty if it is not set.
func listenToken(p host.Process) (string, error) {
	token, set := p.Lookup("MCPCTL_LISTEN_TOKEN")
	if !set {
		return "", nil
	}
	if path, isFile := strings.CutPrefix(token, "file:"); isFile {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", exit.Usagef("MCPCTL_LISTEN_TOKEN: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errToken
	}
	if len(token) < leastToken {
		return "", errShortToken
	}
	return token, nil
}

// monitored returns servers as HTTP clients see them.
func monitored(servers []*watchedServer) []monitoredServer {
	all := make([]monitoredServer, 0, len(servers))
	for _, w := range servers {
		server := monitoredServer{name: w.name(), status: w.view.Status, refresh: w.refresh}
		server.transport = "http"
		switch {
		case !w.target.Live():
			idle := watch.Status{State: w.idle()}
			server.status, server.refresh, server.transport = func() watch.Status { return idle }, nil, ""
			server.trouble = w.target.Known().Error
		case w.target.Starts():
			server.transport = "stdio"
		}
		all = append(all, server)
	}
	return all
}
