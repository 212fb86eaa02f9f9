package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Collect returns the surfaces of all targets in their order; live ones are contacted within the limits of
// Contact.
func (f *Fleet) Collect(ctx context.Context, targets []Target) ([]Surface, error) {
	return f.Each(ctx, targets, func(int, *Surface) error { return nil })
}

// Each collects like Collect and calls visit with each surface as it arrives, as Visit does.
func (f *Fleet) Each(ctx context.Context, targets []Target, visit func(i int, s *Surface) error) ([]Surface,
	error) {
	surfaces := make([]Surface, len(targets))
	servers, slots := live(targets)
	for i, s := range servers {
		surfaces[slots[i]] = FromResult(
			probe.Result{Server: s, Err: &probe.Error{Server: s.Name, Stage: probe.Starting,
				Err: errNotTried}})
	}
	err := f.Visit(ctx, targets, func(i int, s *Surface) error {
		defer func() { surfaces[i] = *s }()
		return visit(i, s)
	})
	if err != nil {
		return nil, err
	}
	return surfaces, nil
}

// Visit calls visit with each surface as it arrives, several at a time, in no order, and keeps none: the
// memory does not grow with the fleet. The first error of a visit ends the run.
func (f *Fleet) Visit(ctx context.Context, targets []Target, visit func(i int, s *Surface) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	servers, slots := live(targets)
	arrived := make([]*Surface, len(targets))
	progress, places := host.NewProgress(f.process,
		kit.Map(servers, func(s probe.Server) string { return report.Visible(s.Name) })),
		placesOf(f.Config.Entries)
	defer progress.Finish()
	begin, visits := newVisits(stop, func(i int) error {
		s := arrived[i]
		if s == nil {
			known, err := targets[i].later()
			if err != nil {
				return err
			}
			s = &known
		}
		tolerate(f, s)
		s.Places = places[s.Source+" "+s.Name]
		if !f.process.Verbose {
			arrived[i] = nil
		}
		return visit(i, s)
	})
	for i, t := range targets {
		if t.server == nil {
			begin(i)
		}
	}
	for result := range probe.All(ctx, servers, f.options) {
		t := targets[slots[result.Index]]
		s := FromResult(result)
		s.Package, s.Interrupted = t.packageOf(), result.Err != nil && ctx.Err() != nil
		s.Given = given(result.Server, f.options)
		if t.typed && !f.contact.AllowScripts && s.Error != nil &&
			strings.HasPrefix(s.Error.Message, "server exited") {
			s.Error.Hint = "install scripts of packages did not run: if this one needs them, add " +
				"--allow-scripts"
		}
		progress.Done(result.Index)
		arrived[slots[result.Index]] = &s
		begin(slots[result.Index])
	}
	if err := visits.Wait(); err != nil {
		return err
	}
	progress.Finish()
	for _, file := range f.Config.Files {
		f.process.Detail("read %s", report.Visible(f.process.Rel(file)))
	}
	for _, s := range arrived {
		if s != nil {
			Elaborate(f.process, []Surface{*s})
		}
	}
	return nil
}

// Pending is a surface that can be had.
type Pending struct {
	Name string
	Read func() (Surface, error)
}

// Later collects like Collect, but leaves saved surfaces to be read on demand.
func (f *Fleet) Later(ctx context.Context, targets []Target) ([]Pending, error) {
	all := make([]Pending, len(targets))
	for i, t := range targets {
		if t.saved == nil {
			continue
		}
		saved := t.saved // the rest of a target is large
		all[i] = Pending{saved.Name, func() (Surface, error) { return Target{saved: saved}.later() }}
	}
	surfaces, err := f.Collect(ctx, slices.DeleteFunc(slices.Clone(targets),
		func(t Target) bool { return t.saved != nil }))
	for i := range all {
		if all[i].Read == nil && err == nil {
			s := surfaces[0]
			all[i], surfaces = Pending{s.Name, func() (Surface, error) { return s, nil }}, surfaces[1:]
		}
	}
	return all, err
}

// newVisits returns visits that begin while a processor is free. The first error stops the run; what would
// begin after it is skipped.
func newVisits(stop context.CancelCauseFunc, visit func(i int) error) (begin func(i int),
	visits *errgroup.Group) {
	visits = new(errgroup.Group)
	visits.SetLimit(runtime.GOMAXPROCS(0))
	var failed atomic.Bool
	return func(i int) {
		visits.Go(func() error {
			if failed.Load() {
				return nil
			}
			err := visit(i)
			if err != nil {
				failed.Store(true)
				stop(err)
			}
			return err
		})
	}, visits
}

// Visit calls visit for the numbers below n, as Fleet.Visit does.
func Visit(n int, visit func(i int) error) error {
	begin, visits := newVisits(func(error) {}, visit)
	for i := range n {
		begin(i)
	}
	return visits.Wait()
}

var errNotTried = errors.New("not tried, since the run ended before")

// live returns the servers of targets, and the index of the target of each.
func live(targets []Target) (servers []probe.Server, slots []int) {
	for i, t := range targets {
		if t.server != nil {
			servers, slots = append(servers, *t.server), append(slots, i)
		}
	}
	return servers, slots
}

// tolerate marks a failed server that mcpctl.yaml tolerates, unless its configuration is wrong.
func tolerate(f *Fleet, s *Surface) {
	if s.Incomplete() && !s.Misconfigured {
		s.Tolerated = f.Tolerated(s.Name)
	}
}

// Tolerated returns why a server may fail according to mcpctl.yaml, or nil.
func (f *Fleet) Tolerated(name string) *finding.Tolerance {
	return finding.Tolerated(f.Config.Project.Tolerate, name, f.process.Now)
}

// placesOf returns the applications that have a server, by its source and name.
func placesOf(entries []config.Entry) map[string][]report.Place {
	at := map[string][]report.Place{}
	for _, e := range entries {
		at[e.Server.Source+" "+e.Server.Name] = trust.Places(e)
	}
	return at
}

// Ping pings the live targets, each over a connection of its own.
func (f *Fleet) Ping(ctx context.Context, targets []Target) []Surface {
	surfaces := kit.Map(targets, Target.Known)
	servers, slots := live(targets)
	probe.Each(ctx, servers, f.options, func(i int) (err error) {
		surfaces[slots[i]], err = pingOne(ctx, servers[i], f.options)
		return err
	})
	for i := range surfaces {
		tolerate(f, &surfaces[i])
	}
	return surfaces
}

func pingOne(ctx context.Context, server probe.Server, options probe.Options) (Surface, error) {
	began := time.Now()
	result := probe.Result{Server: server, Attempts: 1}
	var took time.Duration
	session, err := probe.Open(ctx, server, options)
	if err == nil {
		defer session.Close()
		result.Transport, result.Snapshot = session.Transport(), session.Hello()
		took, err = session.Ping(ctx)
		result.Notices = session.Notices()
	}
	result.Err, result.Elapsed = err, time.Since(began)
	s := FromResult(result)
	s.Counts, s.PingMs = nil, float64(took.Microseconds())/1000
	if err != nil {
		s.State = report.Failed // even if the handshake succeeded
	}
	return s, err
}

// SessionOptions are what a session needs beside what the run says.
type SessionOptions struct {
	// answers the questions of the server; nil = they are declined
	Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// receives progress and log messages; nil = neither is requested
	Hear func(probe.Heard)
	// of the messages to ask for
	LogLevel string
	// client capabilities to declare unless the user chose others; nil = all
	Capabilities []string
}

// Open connects to a live target.
func (f *Fleet) Open(ctx context.Context, t Target, o SessionOptions) (*probe.Session, error) {
	options := f.options
	options.Elicit, options.OnNotification, options.LogLevel = o.Elicit, o.Hear, o.LogLevel
	options.Capabilities = o.Capabilities
	return probe.Open(ctx, *t.server, options)
}
