package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Collect contacts the live targets at once, as many as Contact allows, and gives the surfaces of all in their order.
func (f *Fleet) Collect(ctx context.Context, targets []Target) ([]Surface, error) {
	surfaces, servers, slots := split(targets)
	for i, s := range servers {
		surfaces[slots[i]] = FromResult(probe.Result{Server: s, Err: &probe.Error{Server: s.Name, Stage: probe.Starting, Err: errNotTried}})
	}
	bar := terminal.NewBar(f.process, len(servers))
	defer bar.Finish()
	for result := range probe.All(ctx, servers, f.options) {
		s := FromResult(result)
		s.Package, s.Interrupted = targets[slots[result.Index]].Package(f.process.Environ), result.Err != nil && ctx.Err() != nil
		if lacks := f.lacks(targets[slots[result.Index]], s.Package); lacks != "" && s.Error != nil {
			s.Error.Hint = report.Visible(lacks)
		}
		surfaces[slots[result.Index]] = s
		bar.Done()
	}
	for _, file := range f.Config.Files {
		f.process.Detail("read %s", report.Visible(f.process.Rel(file)))
	}
	for _, slot := range slots {
		Elaborate(f.process, surfaces[slot:slot+1])
	}
	f.tolerate(surfaces)
	locate(surfaces, f.Config.Entries)
	return surfaces, nil
}

var errNotTried = errors.New("not tried, since the run ended before")

// split are what is known of targets, the servers of the others, and where the surfaces of those belong.
func split(targets []Target) (surfaces []Surface, servers []probe.Server, slots []int) {
	surfaces = make([]Surface, len(targets))
	for i, t := range targets {
		if surfaces[i] = t.Known(); t.server != nil {
			servers, slots = append(servers, *t.server), append(slots, i)
		}
	}
	return surfaces, servers, slots
}

// tolerate marks the servers that failed and may, as mcpctl.yaml says. What is wrong with the configuration itself is never
// tolerated.
func (f *Fleet) tolerate(surfaces []Surface) {
	for i, s := range surfaces {
		if s.Incomplete() && !s.Misconfigured {
			surfaces[i].Tolerated = f.Tolerated(s.Name)
		}
	}
}

// Tolerated is why a server may fail, as mcpctl.yaml says; nil = it may not.
func (f *Fleet) Tolerated(name string) *finding.Tolerance {
	return finding.Tolerated(f.Config.Project.Tolerate, f.Config.Project.Names(name), f.process.Now)
}

// locate tells of servers that were discovered which applications have them.
func locate(surfaces []Surface, entries []config.Entry) {
	at := map[string][]report.Place{}
	for _, e := range entries {
		at[e.Server.Source+" "+e.Server.Name] = e.Places
	}
	for i, s := range surfaces {
		surfaces[i].Places = at[s.Source+" "+s.Name]
	}
}

// Ping pings the live targets at once, as many as Contact allows, each count times over one connection with a pause between.
func (f *Fleet) Ping(ctx context.Context, targets []Target, count int, pause time.Duration) []Surface {
	surfaces, servers, slots := split(targets)
	places := make(chan struct{}, f.options.Parallel)
	var all sync.WaitGroup
	for i, server := range servers {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			surfaces[slots[i]] = pingOne(ctx, server, f.options, count, pause)
		})
	}
	all.Wait()
	f.tolerate(surfaces)
	return surfaces
}

// pingOne pings one server over one connection.
func pingOne(ctx context.Context, server probe.Server, options probe.Options, count int, pause time.Duration) Surface {
	began := time.Now()
	result := probe.Result{Server: server, Attempts: 1}
	var times []float64
	session, err := probe.Open(ctx, server, options)
	if err == nil {
		defer session.Close()
		result.Transport, result.Snapshot = session.Transport(), session.Hello()
		times, err = repeat(ctx, session, count, pause)
		result.Notices = session.Notices()
	}
	result.Err, result.Elapsed = err, time.Since(began)
	s := FromResult(result)
	s.Counts, s.PingMs = nil, times
	if err != nil {
		s.State = report.Failed // whatever it said of itself before
	}
	return s
}

// repeat gives the milliseconds that each ping took.
func repeat(ctx context.Context, session *probe.Session, count int, pause time.Duration) ([]float64, error) {
	var times []float64
	for i := range count {
		if i > 0 {
			select {
			case <-ctx.Done():
				return times, nil // which the report tells
			case <-time.After(pause):
			}
		}
		took, err := session.Ping(ctx)
		if err != nil {
			return times, err
		}
		times = append(times, float64(took.Microseconds())/1000)
	}
	return times, nil
}

// SessionOptions are what a session needs beside what the run says.
type SessionOptions struct {
	Elicit   func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) // answers the questions of the server; nil = nobody does
	Hear     func(probe.Heard)                                                          // is told progress and log messages; nil = neither is asked for
	LogLevel string                                                                     // of the messages to ask for
}

// Open connects to a live target.
func (f *Fleet) Open(ctx context.Context, t Target, o SessionOptions) (*probe.Session, error) {
	options := f.options
	options.Elicit, options.OnNotification, options.LogLevel = o.Elicit, o.Hear, o.LogLevel
	return probe.Open(ctx, *t.server, options)
}
