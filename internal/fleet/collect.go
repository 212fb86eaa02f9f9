package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Collect returns the surfaces of all targets in their order; live ones are contacted within the limits of
// Contact.
func (f *Fleet) Collect(ctx context.Context, targets []Target) ([]Surface, error) {
	return f.Each(ctx, targets, func(int, *Surface) error { return nil })
}

// Each collects like Collect and calls visit with each surface as it arrives, several at a time, in no order.
// A visit may let go of documents, so that the memory does not grow with the fleet. The first error of a
// visit ends the run.
func (f *Fleet) Each(
	ctx context.Context, targets []Target, visit func(i int, s *Surface) error,
) ([]Surface, error) {
	surfaces := make([]Surface, len(targets))
	servers, slots := live(targets)
	answered, finish := progress(f, servers)
	visits, running := errgroup.WithContext(ctx)
	visits.SetLimit(runtime.GOMAXPROCS(0))
	begin := func(i int, read func() (Surface, error)) (visited <-chan struct{}) {
		done := make(chan struct{})
		visits.Go(func() (err error) {
			defer close(done)
			s := &surfaces[i]
			if *s, err = read(); err != nil {
				return err
			}
			tolerate(f, s)
			e := s.entry()
			s.Places = e.Places
			s.limitTools(e.ToolFilters())
			err = visit(i, s)
			f.held.Add(int64(s.bytes()))
			return err
		})
		return done
	}
	for i, t := range targets {
		if t.server == nil {
			begin(i, t.Read)
		}
	}
	for i, server := range servers { // until they are tried
		servers[i].MayFail = f.Tolerated(server.Name) != nil
		surfaces[slots[i]] = targets[slots[i]].Answered(probe.Result{
			Err: &probe.Error{Server: server.Name, Stage: probe.Starting, Err: errNotTried}})
	}
	for result := range probe.All(running, f.withinBounds(servers), f.options) {
		i := slots[result.Index]
		s := f.arrived(targets[i], result)
		s.Interrupted = result.Err != nil && ctx.Err() != nil
		answered()
		visited := begin(i, func() (Surface, error) { return s, nil })
		if s.bytes() > largeServer { // before the next large one is read
			<-visited
		}
	}
	err := visits.Wait()
	if finish(); err != nil {
		return nil, err
	}
	for _, file := range f.Config.Files {
		f.process.Detail("read %s", printable.Message(f.process.Rel(file)))
	}
	for _, i := range slots {
		Elaborate(f.process, surfaces[i])
	}
	return surfaces, nil
}

// progress shows on a terminal how many servers have answered, or which one is waited for.
func progress(f *Fleet, servers []probe.Server) (answered, finish func()) {
	if len(servers) != 1 {
		return host.Progress(f.process, len(servers))
	}
	finish = waiting(f, servers[0], "")
	return finish, finish
}

// waiting shows on a terminal that a server is waited for, with what it was asked for, if that is not all,
// and how long; the returned function ends that.
func waiting(f *Fleet, server probe.Server, what string) (finish func()) {
	says := "waiting for " + printable.Message(server.Name+kit.Prefixed(": ", what))
	limit := cmp.Or(server.Timeout, f.options.Timeout)
	spelled := strings.Replace(limit.String(), "m0s", "m", 1)
	switch {
	case limit > 0 && f.options.Retries > 0:
		says += " (" + spelled + " for each attempt)"
	case limit > 0:
		says += " (" + spelled + " at most)"
	}
	return host.Waiting(f.process, says)
}

// withinBounds returns servers that are not contacted once the run holds too much.
func (f *Fleet) withinBounds(servers []probe.Server) []probe.Server {
	return kit.Map(servers, func(s probe.Server) probe.Server {
		verify := s.Verify
		s.Verify = func() error {
			switch {
			case f.held.Load() > mostHeld:
				return errHeld
			case verify != nil:
				return verify()
			}
			return nil
		}
		return s
	})
}

var errNotTried = errors.New("not tried, since the run ended before")

// arrived returns the surface of a live target.
func (f *Fleet) arrived(t Target, result probe.Result) Surface {
	if f.held.Load() > mostHeld { // others arrived since it was contacted
		result.Snapshot, result.SecondRead = nil, nil
		result.Err = &probe.Error{Server: t.Name(), Stage: probe.ListingTools, Err: errHeld,
			Hint: exit.HintOf(errHeld)}
	}
	s := t.Answered(result)
	s.Given = given(*t.server, f.options)
	if t.launch != nil {
		s.Package = &packages.Package{Ref: t.launch.Ref}
	}
	ref, typed, _ := packages.Parse(s.Source)
	if typed && !f.contact.AllowScripts && needsScripts(ref.Registry, result.Err) {
		s.Error.Hint = "install scripts of packages did not run: if this one needs them, add --allow-scripts"
	}
	return s
}

// needsScripts reports whether a package may have failed for lack of install scripts and builds: npm leaves
// them out without a word and starts the program, uv says that it would have to build.
func needsScripts(registry string, err error) bool {
	failures := probe.Failures(err)
	switch {
	case len(failures) == 0:
		return false
	case registry == "npm":
		code := failures[0].Code
		return code == probe.Exited && !strings.Contains(failures[0].Stderr, "npm error ") ||
			code == probe.FileMissing || code == probe.NodeModuleMissing
	}
	return registry == "pypi" && notBuilt().MatchString(failures[0].Stderr)
}

// notBuilt matches what uv says of a package that it may not build.
var notBuilt = kit.Pattern("(?i)building [a-z ]*(`[^`]*` )?is disabled|--no-build")

// Known returns targets in which the surface of every live one is known, since it was contacted.
func (f *Fleet) Known(ctx context.Context, targets []Target) ([]Target, error) {
	known := slices.Clone(targets)
	_, slots := live(targets)
	surfaces, err := f.Collect(ctx, kit.Map(slots, func(i int) Target { return targets[i] }))
	if err != nil {
		return nil, err
	}
	for i, slot := range slots {
		known[slot] = Target{known: surfaces[i]}
	}
	return known, nil
}

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
	if !s.Incomplete() || s.Misconfigured {
		return
	}
	s.Tolerated = f.Tolerated(s.Name)
	ended := finding.Ended(f.Config.Project.Tolerate, s.Name, f.process.Now)
	if s.Tolerated == nil && ended != nil && s.Error != nil {
		hint := fmt.Sprintf("%s ended on %s: extend it, or fix the server", ended, ended.Expires)
		if s.Error.Hint != "" {
			hint += "; " + s.Error.Hint
		}
		failure := *s.Error
		failure.Hint, s.Error = hint, &failure
	}
}

// Tolerated returns why a server may fail according to mcpctl.yaml, or nil.
func (f *Fleet) Tolerated(name string) *finding.Tolerance {
	return finding.Tolerated(f.Config.Project.Tolerate, name, f.process.Now)
}

// Ping pings the live targets, each over a connection of its own.
func (f *Fleet) Ping(ctx context.Context, targets []Target) []Surface {
	surfaces := kit.Map(targets, Target.Known)
	servers, slots := live(targets)
	answered, finish := progress(f, servers)
	probe.Each(ctx, servers, f.options, func(i int) (err error) {
		surfaces[slots[i]], err = pingOne(ctx, targets[slots[i]], f.options)
		answered()
		return err
	})
	finish()
	for i := range surfaces {
		tolerate(f, &surfaces[i])
	}
	return surfaces
}

// pingOne connects to a server and pings it. The surface has no lists, and has failed if the ping did.
func pingOne(ctx context.Context, t Target, options probe.Options) (Surface, error) {
	began := time.Now()
	result := probe.Result{Attempts: 1}
	var took time.Duration
	session, err := probe.Open(ctx, *t.server, options)
	if err == nil {
		defer session.Leave()
		result.Transport, result.Snapshot = session.Transport(), session.Hello()
		took, err = session.Ping(ctx)
		result.Notices = session.Notices()
	}
	result.Err, result.Elapsed = err, time.Since(began)
	s := t.Answered(result)
	s.Counts, s.PingMs = nil, float64(took.Microseconds())/1000
	if err != nil {
		s.State = seen.Failed // even if the handshake succeeded
	}
	return s, err
}

// SessionOptions are what a session needs beside what the run says.
type SessionOptions struct {
	// answers the questions of the server; nil = they are declined
	Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// receives the params of progress notifications; nil = progress is not requested
	Progress func(params json.RawMessage)
	// client capabilities to declare unless the user chose others; nil = all
	Capabilities []string
}

// Waiting shows on a terminal that a live target is waited for, with what it was asked for; the returned
// function ends that.
func Waiting(f *Fleet, t Target, what string) (finish func()) { return waiting(f, *t.server, what) }

// Open connects to a live target.
func (f *Fleet) Open(ctx context.Context, t Target, o SessionOptions) (*probe.Session, error) {
	options := f.options
	options.Elicit, options.OnProgress = o.Elicit, o.Progress
	options.Capabilities = o.Capabilities
	return probe.Open(ctx, *t.server, options)
}
