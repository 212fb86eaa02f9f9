// Package fleet brings the servers of a run together: from words to targets that have passed every gate, and
// to surfaces. Only overrides.target makes a Target that can be contacted, and no other package opens a
// connection.
package fleet

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Selection says which servers there are, and which of them take part in a run.
type Selection struct {
	Files     []string // configurations, as --config names them; empty = searched for
	Discover  bool     // the servers of applications too
	Only      []string // names and patterns; empty = every server
	Yes       bool     // confirmations of calls are skipped
	Trust     bool     // what was only found starts in this run
	Shard     Shard    // a part of the configured servers
	Snapshots string   // folder of saved snapshots; empty = as configured

	Takes       string // what can be named beside configured servers, for hints; empty = nothing
	Provisional bool   // mcpctl.yaml is new, and removed if nothing can be saved
}

// Contact says how servers are reached. The zero value is not enough: see DefaultContact.
type Contact struct {
	Timeout   *time.Duration // per server, 0 = none; nil = as configured, else 30 seconds
	Parallel  int            // servers at once; 0 = the limits of probe.Options.Parallel
	Retries   int            // further attempts after a failure that can heal
	FailFast  bool           // stop at the first server that fails
	ReadTwice bool           // ask for every list a second time
	Protocol  string         // "auto", or a version to pin
	CACert    string         // PEM file of further certificates
	// client capabilities: "none" or a list with commas; empty = as configured, else the command's own
	Capabilities string
	Env          []string // K=V for every stdio server
	InheritEnv   bool     // the whole environment for stdio servers
	Sandbox      bool     // confine stdio servers

	AllowScripts bool // install scripts and builds of typed packages run

	Headers []string // "K: V" for every HTTP server, or @FILE
	Bearer  string   // where a bearer token comes from
}

// DefaultContact negotiates the version of the protocol.
func DefaultContact() Contact { return Contact{Protocol: "auto"} }

// defaultTimeout bounds the probe of one server by default.
const defaultTimeout = 30 * time.Second

// Fleet is the servers of one run: the configuration, the answers that it needed, and the gate.
type Fleet struct {
	Config *config.Config

	process  host.Process
	selected Selection
	contact  Contact
	options  probe.Options
	gate     trust.Gate
	// to prompts of the configuration, by the variable that stands for each; never stored
	answers  map[string]string
	remarked []string          // noted already
	fresh    *freshness        // looks at the configuration again before a server starts
	streams  map[string][]byte // configurations that cannot be read twice
	held     *atomic.Int64     // bytes of lists that the run keeps to its end
}

// Survey returns the surfaces that SOURCEs name, in their order; none = every configured server.
func (f *Fleet) Survey(ctx context.Context, from []source.Source) ([]Surface, error) {
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	return f.Collect(ctx, targets)
}

// LoadAsking reads the configuration and asks the user for trust and for missing inputs.
func LoadAsking(
	ctx context.Context, p host.Process, s Selection, c Contact, from []source.Source,
) (*Fleet, error) {
	if s.Shard.Count > 0 && len(from) > 0 {
		return nil, errShardNames
	}
	f := &Fleet{process: p, selected: s, contact: c, streams: map[string][]byte{}, fresh: &freshness{},
		held: new(atomic.Int64),
		gate: trust.Gate{Process: p, Once: s.Trust}}
	var err error
	if f.options, err = c.options(p); err != nil {
		return nil, err
	}
	if err := f.read(ctx, from); err != nil {
		return nil, err
	}
	entries, err := f.entriesFor(from)
	if err != nil {
		return f, nil // Resolve returns the error again
	}
	if err := f.gate.Ask(ctx, entries); err != nil {
		return nil, err
	}
	trusted, _ := f.gate.Trusted(entries)
	if f.answers, err = askInputs(ctx, p, inputsOf(trusted)); err != nil {
		return nil, err
	}
	if len(f.answers) > 0 {
		return f, f.read(ctx, from)
	}
	return f, nil
}

// Read reads the configuration and asks nothing. With an error it returns what could be read, or nil.
func Read(ctx context.Context, p host.Process, s Selection) (*config.Config, error) {
	f := &Fleet{process: p, selected: s}
	err := f.read(ctx, nil)
	return f.Config, err
}

// Reload returns the fleet of the current configuration and asks nothing. After an error f is unchanged.
func (f *Fleet) Reload(ctx context.Context, from []source.Source) (*Fleet, error) {
	again := *f
	err := again.read(ctx, from)
	f.remarked = again.remarked
	return &again, err
}

// Ending returns the fleet with servers whose ends run as given; nil = each is waited for.
func (f *Fleet) Ending(run func(end func())) *Fleet {
	other := *f
	other.options.Background = run
	return &other
}

// read reads the configuration. A broken file ends the run, unless no configured server was named and the
// project's own file is valid.
func (f *Fleet) read(ctx context.Context, from []source.Source) error {
	lookup := func(name string) (string, bool) { // the environment, with the answers of this run
		if value, ok := f.answers[name]; ok {
			return value, true
		}
		return f.process.Lookup(name)
	}
	cfg, err := host.Await(ctx, func() (*config.Config, error) { // a hostile one takes long
		return config.Load(config.Input{
			Files: f.selected.Files, Stdin: f.process.In, Streams: f.streams, Dir: f.process.Dir,
			Home: f.process.Home, Lookup: lookup, Rules: seen.AllRuleIDs, Discover: f.selected.Discover,
			Provisional: f.selected.Provisional,
		})
	})
	if f.Config = cfg; cfg == nil {
		return err
	}
	if f.selected.Snapshots != "" {
		cfg.Project.Snapshots, cfg.Project.SnapshotsOutside = f.selected.Snapshots, ""
	}
	if err != nil && needsConfig(err, from, cfg.Project.File) {
		return exit.Misuse(err)
	}
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "hint: ") {
				f.process.Note("%s", printable.Message(line))
			}
		}
	}
	f.noteRemarks(from)
	return nil
}

// needsConfig reports whether a broken configuration matters to a run over SOURCEs.
func needsConfig(err error, from []source.Source, project string) bool {
	if len(from) == 0 || slices.ContainsFunc(from,
		func(s source.Source) bool { return s.Kind == source.Configured }) {
		return true
	}
	var problems config.Problems
	return !errors.As(err, &problems) ||
		slices.ContainsFunc(problems, func(p config.Problem) bool { return p.File == project })
}

// noteRemarks notes the files that were left out, with --verbose also the servers, and keys that are not
// read and names that no server has; each once.
func (f *Fleet) noteRemarks(from []source.Source) {
	note := func(says string) {
		if !slices.Contains(f.remarked, says) {
			f.remarked = append(f.remarked, says)
			f.process.Note("%s", printable.Message(says))
		}
	}
	for _, p := range f.Config.Remarks {
		p.Message = "left out: " + p.Message
		if p.Server == "" || f.process.Verbose {
			note(p.Error())
		}
	}
	for _, p := range f.Config.Unread {
		note(p.Error())
	}
	other := func(s source.Source) bool { return s.Kind != source.Configured }
	if !slices.ContainsFunc(from, other) { // else the report knows the names of this run
		for _, line := range unknownNames(f.Config, nil) {
			note(line)
		}
	}
}

// options returns how the prober reaches servers.
func (c Contact) options(p host.Process) (probe.Options, error) {
	o := probe.Options{
		Timeout: defaultTimeout, Parallel: c.Parallel, Protocol: c.Protocol, Retries: c.Retries,
		FailFast: c.FailFast, ReadTwice: c.ReadTwice,
		Environ: p.Environ, InheritEnv: c.InheritEnv,
		ClientName: "mcpctl", ClientVersion: p.Version, Proxy: transport.Proxy, Background: p.Background,
	}
	if c.Timeout != nil {
		o.Timeout = *c.Timeout
	}
	if known := probe.Versions(); c.Protocol != "auto" && !slices.Contains(known, c.Protocol) {
		return o, errProtocol(c.Protocol, known)
	}
	for _, name := range c.clientCapabilities() {
		if known := probe.ClientCapabilities(); !slices.Contains(known, name) {
			return o, errCapability(name, known)
		}
	}
	var err error
	o.CACert, err = c.Certificates()
	return o, err
}

// clientCapabilities returns the capabilities that --client-capabilities names; nil without it.
func (c Contact) clientCapabilities() []string {
	switch c.Capabilities {
	case "":
		return nil
	case "none":
		return []string{}
	}
	return strings.Split(c.Capabilities, ",")
}

// Certificates returns the additional certificates as PEM.
func (c Contact) Certificates() ([]byte, error) {
	if c.CACert == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(c.CACert)
	if err != nil {
		return nil, exit.Usagef("reading --ca-cert: %w", err)
	}
	return pem, nil
}
