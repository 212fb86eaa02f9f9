package fleet

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/login"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/sandbox"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Target is one server of a run before it is seen: to be contacted, or to be read, or known without either.
type Target struct {
	known  Surface                      // of one that is contacted or read: what it comes from
	server *probe.Server                // to be contacted: the admitted one with the flags of the run
	launch *packages.Launch             // of that one, how a launcher starts it; nil = none does
	later  func() (source.Saved, error) // to be read: reads the saved surface
}

// declared returns the target of an entry that did not pass the gate yet.
func declared(e *config.Entry) Target {
	t := Target{known: Unseen(seen.Server{Name: e.Server.Name, Source: e.Server.Source})}
	t.known.declared = e
	return t
}

// withheld returns the target of an entry that must not be contacted.
func withheld(r *trust.Denied) Target {
	t := Target{known: Unseen(r.Seen())}
	t.known.declared, t.known.Misconfigured = &r.Entry, !r.Entry.Disabled
	return t
}

// Live reports whether there is a server to contact.
func (t Target) Live() bool { return t.server != nil }

// Saved reports whether the target is a saved surface.
func (t Target) Saved() bool { return t.later != nil || t.known.Snapshot != nil }

// Known returns what is known of a target without contact: what was saved, or why it is not contacted.
func (t Target) Known() Surface { return t.known }

// Read returns the surface of a target that is not live, after reading what was saved.
func (t Target) Read() (Surface, error) {
	if t.later == nil {
		return t.known, nil
	}
	saved, err := t.later()
	return FromSaved(saved), err
}

// failed returns a target that is not contacted because of a failure.
func (t Target) failed(failure *seen.Failure) Target {
	t.known.State, t.known.Error = seen.Failed, failure
	return Target{known: t.known}
}

// Name returns the name of the server.
func (t Target) Name() string { return t.known.Name }

// Starts reports whether a live server is a command.
func (t Target) Starts() bool { return t.server != nil && t.server.Stdio != nil }

// File returns the first argument of a server's command that is a file below dir, as it is written; "" if
// none is.
func (t Target) File(dir string) string {
	if !t.Starts() || t.server.Stdio.Dir != "" && files.RealPath(t.server.Stdio.Dir) != files.RealPath(dir) {
		return ""
	}
	at := slices.IndexFunc(t.server.Stdio.Args, func(word string) bool {
		return filepath.IsLocal(word) && files.Exists(filepath.Join(dir, word)) &&
			!files.IsDir(filepath.Join(dir, word))
	})
	if at < 0 {
		return ""
	}
	return t.server.Stdio.Args[at]
}

// Launch returns what launcher a server is started by, and with which package; nil for other servers.
func (t Target) Launch() *packages.Launch { return t.launch }

// login returns how to log in to a live server.
func (t Target) login() config.Login { return t.known.entry().Login }

// Limit returns how long the analysis of one server may take; 0 = no limit.
func (f *Fleet) Limit() time.Duration { return f.options.Timeout }

// Timeout returns how long a live server has to answer; 0 = no limit.
func (f *Fleet) Timeout(t Target) time.Duration {
	if t.server.Timeout > 0 {
		return t.server.Timeout
	}
	return f.options.Timeout
}

// Same reports whether two targets have the same configuration. Lines and functions do not count.
func (t Target) Same(other Target) bool {
	if t.server == nil || other.server == nil {
		known, others := t.Known(), other.Known()
		return t.server == other.server && known.Name == others.Name && known.State == others.State &&
			reflect.DeepEqual(known.Error, others.Error)
	}
	return reflect.DeepEqual(settingsOf(*t.server), settingsOf(*other.server)) &&
		reflect.DeepEqual(t.login(), other.login())
}

// settingsOf returns a server without its source and its functions: reflect.DeepEqual takes functions for
// different.
func settingsOf(s probe.Server) probe.Server {
	s.Source, s.Verify = "", nil
	if s.Stdio != nil {
		plain := *s.Stdio
		plain.Files, s.Stdio = nil, &plain
	}
	if s.HTTP != nil {
		plain := *s.HTTP
		plain.Authorize, plain.Allow, s.HTTP = nil, nil, &plain
	}
	return s
}

// Protected returns the server that logins are kept for, or an error for one without logins.
func (t Target) Protected() (auth.Resource, error) {
	switch {
	case t.server == nil && t.known.Error != nil:
		return auth.Resource{}, errUnusable(t.Name(), t.known.Error)
	case t.server == nil:
		return auth.Resource{}, errDisabled(t.Name(), "the configuration")
	case t.server.HTTP == nil:
		return auth.Resource{}, errNoLogin(t.Name())
	}
	return login.ServerOf(*t.server, t.login()), nil
}

// Overrides reports whether configured credentials win over a login.
func (t Target) Overrides() bool {
	_, own := t.server.HTTP.Headers["Authorization"]
	return own || t.server.HTTP.Helper != nil
}

// overrides are what the flags of a run make of the servers that it contacts.
type overrides struct {
	*Fleet
	credentials
	env map[string]probe.Secret
	box *sandbox.Box // nil = servers are not confined
	log func(http *probe.HTTP, server auth.Resource)
}

// overrides reads the flags for admitted servers. Headers of flags may hold credentials, so they go to one
// origin.
func (f *Fleet) overrides(admitted []trust.Approved) (o overrides, err error) {
	o.Fleet, o.log = f, login.Attacher(f.process, f.options.CACert)
	if o.credentials, err = f.contact.credentials(f.process); err != nil {
		return o, err
	}
	if o.env, err = config.ParseEnv(f.contact.Env); err != nil {
		return o, exit.Misuse(err)
	}
	given := len(o.headers) > 0 || o.helper != nil
	if origins := originsOf(admitted); given && len(origins) > 1 {
		return o, errOrigins(origins)
	}
	if f.contact.Sandbox {
		o.box, err = f.contact.detectSandbox(f.process)
	}
	return o, err
}

// target returns the target of an admitted server with the flags of the run: all that is contacted is made
// here. change, if not nil, changes what is configured before.
func (o overrides) target(admitted *trust.Approved, change func(*probe.Server)) Target {
	e := admitted.Entry()
	server := e.Server
	if e.NeedsTrust() {
		server.Verify = o.fresh.verify(o.Fleet, *admitted)
	}
	if server.Stdio != nil {
		stdio := *server.Stdio
		server.Stdio = &stdio
	}
	if server.HTTP != nil {
		http := *server.HTTP
		server.HTTP = &http
		if u, err := url.Parse(http.URL); err == nil &&
			slices.Contains(e.Login.UnverifiedHosts, strings.ToLower(u.Host)) {
			http.Allow = notPrivate
		}
		o.log(&http, login.ServerOf(server, e.Login))
	}
	if change != nil {
		change(&server)
	}
	t := Target{known: Unseen(seen.Server{Name: server.Name, Source: server.Source}), server: &server}
	t.known.admitted = admitted
	if s := server.Stdio; s != nil {
		if launch, ok := packages.Launched(append([]string{s.Command}, s.Args...)); ok {
			t.launch = &launch
		}
		s.Env = config.Merged(s.Env, o.env)
		if len(o.env) > 0 && strings.HasPrefix(server.Source, "oci:") {
			s.Args = packages.HandOn(s.Args, kit.SortedKeys(o.env))
		}
	}
	if server.HTTP != nil {
		o.apply(&server, o.process.Environ)
	}
	server.Secrets = slices.Concat(server.Secrets, config.SecretsIn(server))
	if o.contact.Protocol != "auto" {
		server.Protocol = o.contact.Protocol
	}
	if names := o.contact.clientCapabilities(); names != nil {
		server.Capabilities = names
	}
	if o.contact.Timeout != nil {
		server.Timeout = *o.contact.Timeout
	}
	return o.confined(t, e)
}

// notPrivate refuses addresses of this machine and of private networks.
func notPrivate(ip netip.Addr) error {
	if err := transport.Public(ip); err != nil {
		return errors.New(err.Error() + ", and the host of a found file comes from the environment: write " +
			"the host into the file, or name the file with --config")
	}
	return nil
}

// Restarted returns targets with those that are commands changed by a function, before the flags of the run
// apply.
func (f *Fleet) Restarted(targets []Target, change func(t Target, server *probe.Server)) ([]Target, error) {
	var admitted []trust.Approved
	for _, t := range targets {
		if t.server != nil {
			admitted = append(admitted, *t.known.admitted)
		}
	}
	o, err := f.overrides(admitted)
	if err != nil {
		return nil, err
	}
	return kit.Map(targets, func(t Target) Target {
		if !t.Starts() {
			return t
		}
		return o.target(t.known.admitted, func(server *probe.Server) { change(t, server) })
	}), nil
}

// Hold returns targets without contact to those for which why returns a failure.
func Hold(targets []Target, why func(Target) *seen.Failure) []Target {
	held := slices.Clone(targets)
	for i, t := range held {
		if !t.Live() {
			continue
		}
		if failure := why(t); failure != nil {
			held[i] = t.failed(failure)
		}
	}
	return held
}

// Buildable returns an error if no build may run.
func (c Contact) Buildable() error {
	if c.Sandbox {
		return errBuildSandbox
	}
	return nil
}

// detectSandbox returns the sandbox of this machine, and notes what it lacks.
func (c Contact) detectSandbox(p host.Process) (*sandbox.Box, error) {
	if c.InheritEnv {
		return nil, errInheritSandbox
	}
	box, lacks, err := sandbox.Detect(context.Background(), p)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	if len(lacks) > 0 {
		p.Note("--sandbox: this system does not give: %s", strings.Join(lacks, ", "))
	}
	return &box, nil
}

// confined returns the target of an entry as it starts in the sandbox, if there is one. What cannot be
// wrapped fails or is noted.
func (o overrides) confined(t Target, e config.Entry) Target {
	unconfined := func(why error) Target {
		t.known.Misconfigured = true
		return t.failed(failedSandbox(why))
	}
	switch name := printable.Message(t.Name()); {
	case o.box == nil:
	case t.server.Stdio != nil:
		projects := e.Projects()
		if dir := t.server.Stdio.Dir; dir != e.Server.Stdio.Dir {
			projects = append(projects, dir)
		}
		projects = append(projects, files.ProjectRoot(o.process.Dir))
		wrapped, note, err := o.box.Wrap(*t.server.Stdio, projects, e.May)
		if err != nil {
			return unconfined(err)
		}
		if t.server.Stdio = &wrapped; note != "" {
			o.process.Note("%s: --sandbox: %s", name, printable.Message(note))
		}
	case t.server.HTTP != nil && t.server.HTTP.Helper != nil:
		return unconfined(errHelperSandbox)
	default:
		o.process.Note("%s: --sandbox was not applied: it is contacted, and nothing is started", name)
	}
	return t
}
