package main

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/monitor"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// vigil is one run of watch: the servers that are watched, and what was told of them.
type vigil struct {
	*invocation
	how     watching
	cfg     *config.Config
	policy  finding.Policy
	options probe.Options
	places  chan struct{}           // as many servers as this holds are connected to at once
	monitor *monitor.Monitor        // nil = nobody asks over HTTP
	hooks   hooks                   // what changes set off
	develop *development            // nil without --reload
	end     context.CancelCauseFunc // ends watching

	mu      sync.Mutex // guards what follows: servers tell one at a time
	servers []*watched
	screen  screen
	fails   bool // what was told fails the run
	summary report.Summary
}

// watched is one server of a run.
type watched struct {
	surface
	server  *probe.Server // nil = not contacted
	login   auth.Client   // how to log in to it, as configured
	refresh chan struct{} // asks for a reading at once
	stop    context.CancelFunc
	ended   chan struct{}
	view    watch.View
	unread  bool              // there is a snapshot, and it cannot be read: the distance is not known
	last    watch.State       // before watching ended
	found   []finding.Finding // the newest distance from what is saved
}

// keep watches until ctx ends, or what the flags say has happened, and sums up then.
func (v *vigil) keep(ctx context.Context, targets []target) error {
	servers, err := v.enlist(targets)
	if err != nil {
		return err
	}
	if v.develop, err = v.development(ctx); err != nil {
		return err
	}
	watching := v.limited(ctx)
	defer v.end(nil)
	v.servers = servers
	v.monitor.Watch(monitored(servers))
	v.hooks.start(ctx)
	for _, w := range servers {
		v.begin(watching, w)
	}
	if slices.ContainsFunc(servers, func(w *watched) bool { return w.server != nil }) {
		ended := v.develop.start(watching)
		v.oversee(watching, targets)
		ended()
	}
	for _, w := range v.servers {
		w.end()
	}
	v.hooks.finish()
	if v.misconfigured() {
		return exit.Code(exit.Usage)
	}
	return v.sumUp(ctx)
}

// misconfigured tells whether the configuration alone kept every server from being contacted.
func (v *vigil) misconfigured() bool {
	return len(v.servers) > 0 && !slices.ContainsFunc(v.servers, func(w *watched) bool { return !w.config })
}

// begin starts to watch a server.
func (v *vigil) begin(ctx context.Context, w *watched) {
	ctx, w.stop = context.WithCancel(ctx)
	w.ended = make(chan struct{})
	saved := v.savedFile(w)
	go func() {
		defer close(w.ended)
		v.attend(ctx, w, saved)
	}()
}

// savedFile is the file of a server's snapshot.
func (v *vigil) savedFile(w *watched) string {
	return filepath.Join(v.cfg.Project.Snapshots, config.FileName(w.Name))
}

// end stops watching a server, and waits until nothing of it is left.
func (w *watched) end() {
	w.stop()
	<-w.ended
}

// limited is ctx until --for or a call of v.end ends it.
func (v *vigil) limited(ctx context.Context) context.Context {
	ctx, v.end = context.WithCancelCause(ctx)
	if v.how.length.set {
		late := time.AfterFunc(v.how.length.Duration, func() { v.end(errLongEnough) })
		context.AfterFunc(ctx, func() { late.Stop() })
	}
	return ctx
}

// enlist is the servers that targets name, none of them watched yet.
func (v *vigil) enlist(targets []target) ([]*watched, error) {
	steps, err := v.plan(v.cfg, targets)
	if err != nil {
		return nil, err
	}
	var contacts []probe.Server
	for _, s := range steps {
		if s.contact != nil {
			contacts = append(contacts, *s.contact)
		}
	}
	if contacts, err = v.flagged(contacts); err != nil {
		return nil, err
	}
	var servers []*watched
	for _, s := range steps {
		w := &watched{surface: s.known, refresh: make(chan struct{}, 1)}
		if s.contact != nil {
			w.server, contacts = &contacts[0], contacts[1:]
			w.Name, w.login = w.server.Name, protected(*w.server, v.cfg).Client
		}
		servers = append(servers, w)
	}
	return servers, v.how.restartable(servers)
}

// attend watches one server, or tells why it is not contacted. saved is the file of its snapshot.
func (v *vigil) attend(ctx context.Context, w *watched, saved string) {
	if w.server == nil {
		v.tell(w, watch.Event{Time: time.Now(), Server: w.Name, Kind: watch.StateChanged, State: w.idle()})
		return
	}
	source := watch.Source{Name: w.Name, Open: func(ctx context.Context) (watch.Session, error) { return v.open(ctx, *w.server) }}
	if v.how.against == "saved" {
		source.Saved = w.reader(saved, v)
	}
	if err := watch.Run(ctx, source, v.watchOptions(w), func(e watch.Event) { v.tell(w, e) }); err != nil {
		v.Note("%v", err)
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
		Timeout: v.options.Timeout, Diff: v.how.Options, Refresh: w.refresh, Observe: v.count(w), View: &w.view,
		Judge: func(found []finding.Finding) []finding.Finding {
			return v.policy.Apply(found, finding.Scope{}, v.Now)
		},
	}
	if v.develop != nil {
		o.Restart, o.MaxFailures = v.develop.restart, 1 // what fails now fails until somebody mends it
	}
	o.Diff.Enable = v.policy.Enabled(w.Name)
	if w.server.Timeout > 0 {
		o.Timeout = w.server.Timeout
	}
	return o
}

// ask asks every server at once. One that is being developed is built and started anew.
func (v *vigil) ask() {
	if v.develop != nil {
		v.develop.ask()
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, w := range v.servers {
		w.ask()
	}
}

// ask asks a server at once.
func (w *watched) ask() {
	select {
	case w.refresh <- struct{}{}:
	default: // it is asked already
	}
}

// reached tells whether the surface of a server was known and current at the end, or need not have been.
func (w *watched) reached() bool {
	return w.last.Reached() || w.last == watch.Disabled || w.Tolerated != nil
}

// status is the worst that holds: incomplete answers, then findings, then nothing to compare with.
func (v *vigil) status() int {
	unsaved := slices.ContainsFunc(v.servers, func(w *watched) bool { return w.Unsaved })
	switch {
	case slices.ContainsFunc(v.servers, func(w *watched) bool { return !w.reached() || w.unread }), v.develop.failed():
		return exit.Incomplete
	case v.fails:
		return exit.Findings
	case unsaved:
		return exit.NoBaseline
	}
	return exit.OK
}
