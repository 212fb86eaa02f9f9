package watch

import (
	"context"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// state is what is known about the server, and what was reported about it.
type state struct {
	source  Source
	options *Options
	emit    func(Event)

	status   Status
	covered  bool          // the server announces changes of every list
	lifetime time.Duration // of the surface that was read last
	expiry   *time.Timer   // ends with it
	due      time.Time     // when expiry ends
	asked    time.Time     // since when an answer is awaited that may show that all is well
	good     surface       // the last good one
	kept     string        // digest of the one that Options.Keep has

	unsure   []*snapshot.Snapshot // Source.Unsure, until a complete reading was compared with them
	reported map[string]bool      // fingerprints and levels of the last reported difference from Source.Saved
}

// become sets the state and emits an event if it is a new one.
func (s *state) become(now State, err error) {
	previous := s.status.State
	s.status.State, s.status.Err = now, err
	if previous != now {
		s.status.Since = time.Now()
	}
	s.publish()
	if previous != now {
		s.report(Event{Kind: StateChanged, Previous: previous, Err: err})
	}
}

// connected returns the state of a server whose surface is current.
func (s *state) connected() State {
	if s.covered {
		return Live
	}
	return Polling
}

// trouble sets a state of trouble, or Failed if there was too much of it. What was announced is then polled
// for, so the surface expires after Staleness of those intervals at the latest.
func (s *state) trouble(now State, tooMuch bool, err error) {
	rest := Staleness * s.options.interval(false)
	if s.status.Err == nil && (s.due.IsZero() || time.Until(s.due) > rest) {
		s.arm(rest)
	}
	if tooMuch {
		now = Failed
	}
	s.become(now, err)
}

// expiresIn sets how long the surface that is known now stays valid.
func (s *state) expiresIn(d time.Duration) {
	s.lifetime = d
	s.arm(d)
}

func (s *state) arm(d time.Duration) {
	s.due = time.Now().Add(d)
	s.expiry.Reset(d)
}

// mostPatience bounds how long an expired surface waits for an answer that was asked for only now.
const mostPatience = 10 * time.Second

// expire reports once that the last good surface may no longer be the server's, since it was not verified for
// its lifetime. A process that slept has to ask first, and one that has just asked waits for the answer.
func (s *state) expire() {
	patience := min(s.lifetime/Staleness, mostPatience)
	if now := time.Now(); now.Sub(s.due) > patience/2 { // the timer is late, so this process was stopped
		s.asked = now
	}
	if wait := patience - time.Since(s.asked); wait > 0 {
		s.arm(wait)
		return
	}
	if s.good.shot == nil { // nothing is known that could be stale
		s.arm(Staleness * s.options.interval(false))
	}
	if s.status.Stale || s.good.shot == nil {
		return
	}
	s.status.Stale = true
	s.publish()
	err := s.status.Err
	if err == nil {
		err = fmt.Errorf("the surface was not verified for %s", s.lifetime)
	}
	s.report(Event{Kind: Stale, Err: err})
}

// asks records that an answer is awaited, unless there is trouble already.
func (s *state) asks() {
	if s.status.Err == nil {
		s.asked = time.Now()
	}
}

// wait waits for a time and reports whether second ended it. A surface that expires meanwhile is reported.
func (s *state) wait(ctx context.Context, d time.Duration, second <-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return s.either(ctx.Done(), second)
}

// during runs what may take long. A surface that expires meanwhile is reported.
func (s *state) during(run func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run()
	}()
	s.either(ended, nil)
}

// either waits for the first of two and reports whether it was the second.
func (s *state) either(first, second <-chan struct{}) bool {
	for {
		select {
		case <-first:
			return false
		case <-second:
			return true
		case <-s.expiry.C:
			s.expire()
		}
	}
}

// forever is longer than anything is watched.
const forever = time.Duration(math.MaxInt64)

// report completes an event and emits it.
func (s *state) report(e Event) {
	e.Time, e.Server, e.State = time.Now(), s.source.Name, s.status.State
	finding.Sort(e.Findings)
	s.emit(e)
}

func (s *state) publish() { s.options.View.publish(s.status) }

// keep hands on the surface if it is complete, current and a new one.
func (s *state) keep() {
	if s.status.Current() && s.good.digest != "" && s.good.digest != s.kept {
		s.kept = s.good.digest
		s.options.Keep(s.good.shot)
	}
}

// outcome is the result of a reading.
type outcome struct {
	findings []finding.Finding
	first    bool // there was no surface before
	changed  bool // there is something to report
	moved    bool // the surface is another one, reported or not
}

// take makes what was read the good surface, unless ctx ends. Lists that failed stay as they were.
func (s *state) take(ctx context.Context, r reading) (o outcome, err error) {
	next := s.good.with(r)
	o.first = s.good.shot == nil
	var unsure []*snapshot.Snapshot
	if r.whole() {
		unsure = s.unsure
	}
	if o.findings, o.changed, err = s.compare(ctx, next, unsure); err != nil {
		return o, err
	}
	if r.whole() {
		s.unsure = nil
	}
	o.moved = o.changed || s.good.digest != "" && next.digest != "" && next.digest != s.good.digest
	s.good, s.status.Surface = next, next.shot
	return o, nil
}

// settle sets the state that a reading leads to and reports what it found.
func (s *state) settle(r reading, o outcome, tooMuch bool, err error) {
	recovered := err == nil && s.status.Stale
	if o.changed {
		s.status.Counts.Changes++
	}
	if err != nil {
		s.status.Counts.Failures++
		s.trouble(Degraded, tooMuch, err)
	} else {
		s.status.Stale = false
		s.become(s.connected(), nil)
	}
	if recovered {
		s.report(Event{Kind: Recovered, Cause: r.cause})
	}
	anew := r.cause == Reload || r.cause == Reconnection
	switch {
	case o.changed:
		s.report(Event{Kind: Changed, Cause: r.cause, Findings: o.findings})
	case err == nil && !recovered && (anew || r.announced && !o.first && !o.moved):
		s.report(Event{Kind: Unchanged, Cause: r.cause})
	}
}

// compare returns what to report about the next surface: what changed since the last good one, or the
// difference from Source.Saved if that is known and another one than before. unsure are further surfaces that
// may have been the last good one.
func (s *state) compare(ctx context.Context, next surface, unsure []*snapshot.Snapshot,
) (_ []finding.Finding, changed bool, err error) {
	var old, new *snapshot.Snapshot
	same := s.good.digest != "" && s.good.digest == next.digest && len(unsure) == 0
	if s.source.Saved != nil {
		old, new, unsure = s.source.Saved(), next.shot, nil
	} else if s.good.shot != nil && !same {
		old, new = s.good.against(next)
	}
	if old == nil {
		return nil, false, nil
	}
	ctx, cancel := within(ctx, s.options.Timeout, "undecided after")
	defer cancel()
	options := s.options.Diff
	found, err := host.Await(ctx, func() ([]finding.Finding, error) {
		return Since(append([]*snapshot.Snapshot{old}, unsure...), func(from *snapshot.Snapshot) (
			[]finding.Finding, error) {
			return diff.Compare(ctx, from, new, options)
		})
	})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return nil, false, fmt.Errorf("comparing: %w", err)
	}
	found = s.options.Judge(found)
	if s.source.Saved == nil {
		return found, len(found) > 0, nil
	}
	now := kit.Set(kit.Map(found, func(f finding.Finding) string {
		return fmt.Sprint(f.Fingerprint(), f.Level, f.Waiver != nil)
	}))
	if maps.Equal(now, s.reported) {
		return nil, false, nil
	}
	s.reported = now
	return found, true, nil
}

// Since returns what changed since a surface that a reader has seen, the first, or one of others that the
// reader may have seen: of these it adds findings in places that have none yet.
func Since(seen []*snapshot.Snapshot, compare func(from *snapshot.Snapshot) ([]finding.Finding, error),
) (all []finding.Finding, _ error) {
	known := map[string]bool{}
	for _, from := range seen {
		found, err := compare(from)
		if err != nil {
			return nil, err
		}
		var fresh []string
		for _, f := range found {
			if place := f.Rule + "\x00" + f.Item + "\x00" + f.Pointer(); !known[place] {
				all, fresh = append(all, f), append(fresh, place)
			}
		}
		for _, place := range fresh {
			known[place] = true
		}
	}
	return all, nil
}

// surface is the last good surface of a server. It is never changed, only replaced.
type surface struct {
	shot   *snapshot.Snapshot // nil = nothing yet. An incomplete list of it never arrived completely
	digest string             // empty unless the snapshot is complete
}

// with returns the surface after a reading: complete lists replace those before, the others stay.
func (s surface) with(r reading) surface {
	next := surface{shot: &snapshot.Snapshot{}}
	*next.shot = *r.hello
	for _, list := range r.lists {
		if s.shot != nil && !list.Whole() && s.shot.List(list.Kind).Whole() {
			list = s.shot.List(list.Kind)
		}
		next.shot.SetList(list)
	}
	next.digest = next.shot.Digest()
	return next
}

// against returns the two sides of a comparison with the next surface. A list that becomes known was not
// added, and an incomplete one is compared with nothing.
func (s surface) against(next surface) (old, new *snapshot.Snapshot) {
	before, after := *s.shot, *next.shot
	for _, list := range s.shot.Incomplete() {
		if !after.List(list.Kind).Whole() {
			after.SetList(snapshot.List{Kind: list.Kind})
		}
		before.SetList(after.List(list.Kind))
	}
	return &before, &after
}
