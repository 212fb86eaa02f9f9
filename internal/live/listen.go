package live

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/monitor"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// ListenOptions say what is served over HTTP.
type ListenOptions struct {
	Address   string // such as 127.0.0.1:9464 or unix:/run/mcpctl.sock; empty = nothing is served
	Token     string // what clients must show: @FILE, env:NAME or the token; empty = as MCPCTL_LISTEN_TOKEN says
	Cert, Key string // PEM files: TLS; empty = HTTP
}

// listen opens what the options ask for; nil = nothing. Mistakes and an address that is taken are usage errors, for no server
// was contacted yet.
func listen(p host.Process, o ListenOptions, j *journal.Journal) (*monitor.Monitor, error) {
	if o.Address == "" {
		for flag, value := range map[string]string{"--listen-token": o.Token, "--tls-cert": o.Cert, "--tls-key": o.Key} {
			if value != "" {
				return nil, exit.Usagef("%s is for --listen: give an address to listen on, such as --listen 127.0.0.1:9464", flag)
			}
		}
		return nil, nil
	}
	token, err := listenToken(p, o.Token)
	if err != nil {
		return nil, err
	}
	secure, err := o.secure(p.Note)
	if err != nil {
		return nil, err
	}
	listener, private, err := o.open(token != "")
	if err != nil {
		return nil, err
	}
	m := monitor.New(monitor.Options{Journal: j, Token: token, Loopback: private, Version: p.Version, Explain: fleet.FailureOf})
	m.Serve(listener, secure, connections(process.MaxFiles()))
	switch scheme := map[bool]string{false: "http", true: "https"}[secure != nil]; listener.Addr().Network() {
	case "unix":
		p.Note("listening on %s", o.Address)
	default:
		p.Note("listening on %s://%s", scheme, listener.Addr())
	}
	return m, nil
}

// open listens. private tells that no other machine can reach it.
func (o ListenOptions) open(hasToken bool) (_ net.Listener, private bool, err error) {
	if path, ok := strings.CutPrefix(o.Address, "unix:"); ok {
		listener, err := listenUnix(path)
		if err != nil {
			return nil, false, exit.Usagef("--listen: %w", err)
		}
		return listener, true, nil
	}
	address, err := monitor.ParseAddress(o.Address)
	if err != nil {
		return nil, false, exit.Usagef("--listen: %w", err)
	}
	private = address.Addr().IsLoopback()
	if !private && !hasToken {
		return nil, false, exit.Usagef("--listen %s is open to other machines: set a token with --listen-token @FILE or MCPCTL_LISTEN_TOKEN, or listen on 127.0.0.1", o.Address)
	}
	network := "tcp"
	if address.Addr().Is4() { // 0.0.0.0 is not every address of IPv6 as well
		network = "tcp4"
	}
	listener, err := net.Listen(network, address.String())
	if err != nil {
		return nil, false, exit.Usagef("--listen: %w: is another mcpctl running? Choose another port, or 0 for any", err)
	}
	return listener, private, nil
}

// listenUnix listens on a socket that nobody but the user can connect to. One that a killed run has left is replaced.
func listenUnix(path string) (net.Listener, error) {
	if path == "" || path[0] == '@' {
		return nil, fmt.Errorf("unix:%s is no file, and every user could connect to it: name a file of your own, such as unix:/run/user/1000/mcpctl.sock", path)
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, fmt.Errorf("%s is there and no socket: choose another path", path)
		}
		conn, err := net.Dial("unix", path)
		if err == nil {
			_ = conn.Close()
		}
		if !abandoned(err) {
			return nil, fmt.Errorf("%s is listened on, or not yours: is another mcpctl running? Choose another path", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	listener, err := bindPrivate(path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// abandoned tells by the outcome of a connection that nobody listens on a socket any more: one who is only busy has no time, which is
// another error. Windows has a number of its own for the refusal.
func abandoned(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || err != nil && runtime.GOOS == "windows"
}

// bindPrivate listens on a socket that, on Linux, is never there with another mode than 0600.
func bindPrivate(path string) (net.Listener, error) {
	c := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error { return raw.Control(process.OwnerOnly) }}
	return c.Listen(context.Background(), "unix", path)
}

// secure is TLS with the certificate of the options; nil = none is wanted.
func (o ListenOptions) secure(note func(string, ...any)) (*tls.Config, error) {
	switch {
	case o.Cert == "" && o.Key == "":
		return nil, nil
	case o.Cert == "" || o.Key == "":
		return nil, exit.Usagef("--tls-cert and --tls-key are given together: the certificate with those that vouch for it, and its key, as PEM files")
	}
	c := &certificate{files: []string{o.Cert, o.Key}, note: note}
	if _, err := c.current(nil); err != nil {
		return nil, exit.Usagef("--tls-cert, --tls-key: %w", err)
	}
	return &tls.Config{GetCertificate: c.current, MinVersion: tls.VersionTLS12}, nil
}

// certificate is that of two files as they are now: one that is renewed needs no new start.
type certificate struct {
	files []string // the certificate's, the key's
	note  func(format string, args ...any)

	mu     sync.Mutex
	states map[string]string
	told   map[string]string // states that were told to be of no use
	pair   *tls.Certificate
}

// current reads the files when they are other ones than before. While they do not belong together, the last pair holds.
func (c *certificate) current(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	states := fileStates(c.files)
	if c.pair != nil && maps.Equal(states, c.states) {
		return c.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	switch {
	case err == nil:
		c.pair, c.states = &pair, states
	case c.pair == nil:
		return nil, err
	case settled(c.files) && !maps.Equal(states, c.told):
		c.told = states
		c.note("--tls-cert, --tls-key: %v: the pair from before is still served: write both files anew", err)
	}
	return c.pair, nil
}

// settled tells whether nobody is writing files any more, as far as can be told.
func settled(files []string) bool {
	return !slices.ContainsFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		return err != nil || time.Since(info.ModTime()) < time.Minute
	})
}

// listenToken is the token of a flag, which @FILE and env:NAME keep off the command line, or else of the environment.
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
