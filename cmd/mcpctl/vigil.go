package main

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/report"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// vigil is one run of watch: the servers that are watched, and what was told of them.
type vigil struct {
	*invocation
	how     watching
	cfg     *config.Config
	policy  finding.Policy
	options probe.Options
	places  chan struct{} // as many servers as this holds are connected to at once
	changed chan struct{} // holds at most one signal
	servers []*watched

	mu      sync.Mutex // guards what follows: servers tell one at a time
	screen  screen
	fails   bool // what was told fails the run
	summary report.Summary
}

// watched is one server of a run.
type watched struct {
	surface
	server  *probe.Server // nil = not contacted
	refresh chan struct{} // asks for a reading at once
	view    watch.View
	last    watch.State       // before watching ended
	found   []finding.Finding // the newest distance from what is saved
}

// keep watches until ctx ends, or what the flags say has happened, and sums up then.
func (v *vigil) keep(ctx context.Context, steps []step) error {
	if err := v.enlist(steps); err != nil {
		return err
	}
	watching, end := v.limited(ctx)
	defer end(nil)
	stop := v.hearken(watching)
	var all sync.WaitGroup
	for _, w := range v.servers {
		all.Go(func() { v.attend(watching, w) })
	}
	if v.count(func(w *watched) bool { return w.server != nil }) > 0 {
		<-watching.Done()
	}
	all.Wait()
	stop()
	return v.sumUp(ctx)
}

// limited is ctx until --for or --until-change end it.
func (v *vigil) limited(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, end := context.WithCancelCause(ctx)
	if v.how.length.set {
		late := time.AfterFunc(v.how.length.Duration, func() { end(errLongEnough) })
		context.AfterFunc(ctx, func() { late.Stop() })
	}
	if v.how.untilChange {
		go func() {
			select {
			case <-v.changed:
				end(errSeen)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, end
}

// enlist makes the servers of a run out of its steps.
func (v *vigil) enlist(steps []step) error {
	var servers []probe.Server
	for _, s := range steps {
		w := &watched{surface: s.known, refresh: make(chan struct{}, 1)}
		if s.contact != nil {
			w.Name = s.contact.Name
			servers = append(servers, *s.contact)
		}
		v.servers = append(v.servers, w)
	}
	servers, err := v.flagged(servers)
	if err != nil {
		return err
	}
	for i, s := range steps {
		if s.contact != nil {
			v.servers[i].server, servers = &servers[0], servers[1:]
		}
	}
	if len(v.servers) > 0 && v.count(func(w *watched) bool { return w.config }) == len(v.servers) {
		v.tellAll()
		return exitError(statusUsage)
	}
	return nil
}

func (v *vigil) count(is func(*watched) bool) int {
	n := 0
	for _, w := range v.servers {
		if is(w) {
			n++
		}
	}
	return n
}

// tellAll tells why no server is contacted.
func (v *vigil) tellAll() {
	for _, w := range v.servers {
		v.attend(context.Background(), w)
	}
}

// attend watches one server, or tells why it is not contacted.
func (v *vigil) attend(ctx context.Context, w *watched) {
	if w.server == nil {
		v.tell(w, watch.Event{Time: time.Now(), Server: w.Name, Kind: watch.StateChanged, State: w.idle()})
		return
	}
	source := watch.Source{Name: w.Name, Open: func(ctx context.Context) (watch.Session, error) { return v.open(ctx, *w.server) }}
	if v.how.against == "saved" {
		source.Saved = w.reader(filepath.Join(v.cfg.Project.Snapshots, config.FileName(w.Name)), v)
	}
	if err := watch.Run(ctx, source, v.watchOptions(w), func(e watch.Event) { v.tell(w, e) }); err != nil {
		v.remark("%v", err)
	}
}

// idle is the state of a server that is not contacted.
func (w *watched) idle() watch.State {
	if w.State == report.Disabled {
		return watch.Disabled
	}
	return watch.Failed
}

func (v *vigil) watchOptions(w *watched) watch.Options {
	o := watch.Options{
		Interval: v.how.interval.Duration, Quiet: v.how.debounce.Duration, MaxFailures: v.how.maxFailures,
		Timeout: v.options.Timeout, Diff: v.how.Options, Refresh: w.refresh, View: &w.view,
		Judge: func(found []finding.Finding) []finding.Finding {
			return v.policy.Apply(found, finding.Scope{}, v.now)
		},
	}
	o.Diff.Enable = v.policy.Enabled(w.Name)
	if w.server.Timeout > 0 {
		o.Timeout = w.server.Timeout
	}
	return o
}

// ask asks every server at once.
func (v *vigil) ask() {
	for _, w := range v.servers {
		select {
		case w.refresh <- struct{}{}:
		default: // it is asked already
		}
	}
}

// reached tells whether the surface of a server was known and current at the end, or need not have been.
func (v *vigil) reached(w *watched) bool {
	return w.last.Reached() || w.last == watch.Disabled || w.Tolerated != nil
}

// status is the worst that holds: incomplete answers, then findings, then nothing to compare with.
func (v *vigil) status() int {
	unsaved := slices.ContainsFunc(v.servers, func(w *watched) bool { return w.Unsaved })
	switch {
	case v.count(v.reached) < len(v.servers):
		return statusIncomplete
	case v.fails:
		return statusFindings
	case unsaved:
		return statusNoBaseline
	}
	return statusOK
}
