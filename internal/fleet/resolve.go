package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
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
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/sandbox"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Target is one surface of a run: known already, or to be had from a server that may be contacted.
type Target struct {
	known  *Surface      // nil = it is to be had
	saved  *source.Saved // what is read later; nil = known has it
	plain  *probe.Server // as it is configured, logins included; nil = the surface is known
	server *probe.Server // as the flags of the run have it
	login  config.Login  // how to log in to it, as configured

	typed bool // the server in a package that the command line names

	filters  toolFilters
	projects []string      // folders that it may see in a sandbox, if it works there
	may      config.Grants // what else it may do in there
}

// Live reports whether there is a server to contact.
func (t Target) Live() bool { return t.server != nil }

// Saved reports whether the target is a saved surface.
func (t Target) Saved() bool { return t.saved != nil || t.Known().Snapshot != nil }

// Known returns the surface of a target that is not live: what was saved, or why it is not contacted.
func (t Target) Known() Surface {
	if t.saved != nil {
		return FromSaved(*t.saved)
	}
	if t.known == nil {
		return Surface{}
	}
	return *t.known
}

// Read returns the surface of a target that is not live, after reading what was saved.
func (t Target) Read() (Surface, error) {
	if t.saved == nil {
		return t.Known(), nil
	}
	saved, err := t.saved.Later()
	return FromSaved(saved), err
}

// failed returns a target that is not contacted because of a failure.
func (t Target) failed(failure *seen.Failure) Target {
	return Target{known: &Surface{Server: seen.Server{Name: t.Name(), State: seen.Failed,
		Source: t.Source(), Error: failure}}}
}

// Name returns the name of the server.
func (t Target) Name() string {
	switch {
	case t.plain != nil:
		return t.plain.Name
	case t.saved != nil:
		return t.saved.Name
	}
	return t.Known().Name
}

// Source returns where a live server was configured.
func (t Target) Source() string { return t.server.Source }

// Starts reports whether a live server is a command.
func (t Target) Starts() bool { return t.server != nil && t.server.Stdio != nil }

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
		reflect.DeepEqual(t.login, other.login)
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
	return login.ServerOf(*t.server, t.login), nil
}

// Overrides reports whether configured credentials win over a login.
func (t Target) Overrides() bool {
	_, own := t.server.HTTP.Headers["Authorization"]
	return own || t.server.HTTP.Helper != nil
}

// Resolve returns the targets that SOURCEs name, after the trust gate; without SOURCEs all configured ones,
// in their order.
func (f *Fleet) Resolve(ctx context.Context, from []source.Source) ([]Target, error) {
	entries, err := f.entriesFor(from)
	if err != nil {
		return nil, err
	}
	targets := f.configured(entries)
	for _, s := range from {
		more, err := f.targetsOf(ctx, s)
		if err != nil {
			return nil, err
		}
		targets = append(targets, more...)
	}
	if targets, err = f.selected.only(targets); err != nil {
		return nil, err
	}
	uniqueNames(targets)
	attach := login.Attacher(f.process, f.options.CACert)
	for _, t := range targets {
		if t.plain != nil && t.plain.HTTP != nil {
			attach(t.plain.HTTP, login.ServerOf(*t.plain, t.login))
		}
	}
	return targets, f.contact.prepare(f.process, targets)
}

// One returns the only live server that a SOURCE names.
func (f *Fleet) One(ctx context.Context, from source.Source) (Target, error) {
	targets, err := f.Resolve(ctx, []source.Source{from})
	switch {
	case err != nil:
		return Target{}, err
	case !from.Live():
		return Target{}, errSaved(from.Word)
	case len(targets) != 1:
		return Target{}, errOneServer
	case targets[0].Live():
		return targets[0], nil
	}
	known := targets[0].Known()
	if known.Error == nil {
		return Target{}, errDisabled(from.Word, known.Source)
	}
	return Target{}, errUnusable(known.Name, known.Error)
}

// entriesFor returns the configured servers that SOURCEs name.
func (f *Fleet) entriesFor(from []source.Source) ([]config.Entry, error) {
	var names []string
	for _, s := range from {
		if s.Kind == source.Configured {
			names = append(names, s.Word)
		}
	}
	if len(from) > 0 && len(names) == 0 {
		return nil, nil
	}
	if len(f.Config.Entries) == 0 {
		return nil, NoServers(f.Config, names)
	}
	entries, err := Choose(f.Config, f.selected, names)
	if err != nil || len(names) > 0 {
		return entries, err
	}
	return kit.Filter(entries, func(e config.Entry) bool { return f.selected.Shard.Has(e.Server.Name) }), nil
}

// Choose returns the configured servers with these names, or all of them, within a selection.
func Choose(cfg *config.Config, s Selection, names []string) ([]config.Entry, error) {
	entries, err := cfg.Select(names)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	known := cfg.Names()
	for _, pattern := range s.Only {
		if !slices.ContainsFunc(known, func(name string) bool { return kit.Glob(pattern, name) }) {
			return nil, errOnly(pattern, known)
		}
	}
	chosen := kit.Filter(entries, func(e config.Entry) bool { return s.takes(e.Server.Name) })
	if len(chosen) == 0 && len(entries) > 0 {
		return nil, errOnlyLeaves(s.Only)
	}
	return chosen, nil
}

// takes reports whether a server with these names may take part in the run.
func (s Selection) takes(name string) bool {
	return len(s.Only) == 0 || slices.ContainsFunc(s.Only,
		func(pattern string) bool { return kit.Glob(pattern, name) })
}

// only returns the targets that --only selects, configured or not.
func (s Selection) only(targets []Target) ([]Target, error) {
	left := kit.Filter(targets, func(t Target) bool { return s.takes(t.Name()) })
	if len(left) == 0 && len(targets) > 0 {
		return nil, errOnlyLeaves(s.Only)
	}
	return left, nil
}

// configured returns the targets of configured servers, in their order. Only what the gate approved can be
// contacted; the others are known to be disabled or to have failed.
func (f *Fleet) configured(entries []config.Entry) []Target {
	targets := make([]Target, len(entries))
	approved, refused := f.gate.Admit(f.Config, entries)
	for _, a := range approved {
		e := a.Entry()
		server := e.Server
		if e.NeedsTrust() {
			server.Verify = f.fresh.verify(f, a)
		}
		t := contact(server, e.Login)
		t.projects, t.may, t.filters = e.Projects(), e.May, e.ToolFilters()
		targets[a.Index] = t
	}
	for _, r := range refused {
		s := r.Entry.Server
		targets[r.Index] = misconfigured(s.Name, s.Source, r.Problems)
		if r.Entry.Disabled {
			targets[r.Index] = Target{known: &Surface{Server: seen.Server{Name: s.Name,
				State: seen.Disabled, Source: s.Source}}}
		}
	}
	return targets
}

// contact returns the target for a server, copied as far as it is changed later.
func contact(server probe.Server, client config.Login) Target {
	if server.HTTP != nil {
		http := *server.HTTP
		server.HTTP = &http
		if u, err := url.Parse(http.URL); err == nil &&
			slices.Contains(client.UnverifiedHosts, strings.ToLower(u.Host)) {
			http.Allow = notPrivate
		}
	}
	return Target{plain: &server, login: client}
}

// notPrivate refuses addresses of this machine and of private networks.
func notPrivate(ip netip.Addr) error {
	if err := transport.Public(ip); err != nil {
		return errors.New(err.Error() + ", and the host of a found file comes from the environment: write " +
			"the host into the file, or name the file with --config")
	}
	return nil
}

func misconfigured(name, source string, problems []config.Problem) Target {
	return Target{known: &Surface{Misconfigured: true, Server: trust.Misconfigured(name, source, problems)}}
}

// targetsOf returns the targets of a SOURCE that is not a configured server.
func (f *Fleet) targetsOf(ctx context.Context, s source.Source) ([]Target, error) {
	var server probe.Server
	var err error
	switch s.Kind {
	case source.Configured:
		return nil, nil
	case source.Package:
		t, err := packageTarget(f, s)
		return []Target{t}, err
	case source.URL:
		server, err = config.FromURL(s.Word)
	case source.Command:
		server, err = config.FromCommand(f.process.Dir, s.Args)
	default:
		saved, err := s.Find(ctx, f.process, f.Config.Project.Snapshots)
		var targets []Target
		for _, one := range saved {
			if one.Later != nil {
				targets = append(targets, Target{saved: &one})
				continue
			}
			known := FromSaved(one)
			targets = append(targets, Target{known: &known})
		}
		return targets, err
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	if refusal := f.Config.Project.Allow.Refusal(server.Name); refusal != nil {
		return []Target{misconfigured(server.Name, server.Source, []config.Problem{*refusal})}, nil
	}
	return []Target{contact(server, config.Login{})}, nil
}

// uniqueNames numbers ad-hoc servers that would have the name of an earlier one, such as two URLs of one
// host.
func uniqueNames(targets []Target) {
	seen := map[string]bool{}
	for _, t := range targets {
		if t.plain == nil {
			continue
		}
		name := t.plain.Name
		for i := 2; seen[t.plain.Name]; i++ {
			t.plain.Name = fmt.Sprintf("%s-%d", name, i)
		}
		seen[t.plain.Name] = true
	}
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

// Relocate returns targets whose commands were changed by a function.
func (f *Fleet) Relocate(targets []Target, change func(name string, s probe.Stdio) probe.Stdio) ([]Target,
	error) {
	moved := slices.Clone(targets)
	for i, t := range moved {
		if t.plain != nil && t.plain.Stdio != nil {
			server, stdio := *t.plain, change(t.plain.Name, *t.plain.Stdio)
			server.Stdio = &stdio
			moved[i].plain = &server
			if stdio.Dir != t.plain.Stdio.Dir {
				moved[i].projects = append(slices.Clone(t.projects), stdio.Dir)
			}
		}
	}
	return moved, f.contact.prepare(f.process, moved)
}

// Buildable returns an error if no build may run.
func (c Contact) Buildable() error {
	if c.Sandbox {
		return errBuildSandbox
	}
	return nil
}

// confine wraps servers that are started here in a sandbox. What cannot be wrapped fails or is noted;
// without a sandbox nothing is started.
func (c Contact) confine(p host.Process, targets []Target) error {
	if c.InheritEnv {
		return errInheritSandbox
	}
	box, lacks, err := sandbox.Detect(context.Background(), p)
	if err != nil {
		return exit.Misuse(err)
	}
	if len(lacks) > 0 {
		p.Note("--sandbox: this system does not give: %s", strings.Join(lacks, ", "))
	}
	here := files.ProjectRoot(p.Dir)
	for i, t := range targets {
		switch name := printable.Message(t.Name()); {
		case t.server == nil:
		case t.server.Stdio != nil:
			wrapped, note, err := box.Wrap(*t.server.Stdio, append(t.projects, here), t.may)
			if err != nil {
				targets[i] = t.unconfined(err)
				continue
			}
			if t.server.Stdio = &wrapped; note != "" {
				p.Note("%s: --sandbox: %s", name, printable.Message(note))
			}
		case t.server.HTTP != nil && t.server.HTTP.Helper != nil:
			targets[i] = t.unconfined(errHelperSandbox)
		default:
			p.Note("%s: --sandbox was not applied: it is contacted, and nothing is started", name)
		}
	}
	return nil
}

// unconfined returns a target that failed because it cannot run in the sandbox.
func (t Target) unconfined(why error) Target {
	t = t.failed(failedSandbox(why))
	t.known.Misconfigured = true
	return t
}
