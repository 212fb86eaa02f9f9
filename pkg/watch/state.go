package watch

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// state is what is known of a server, and what was told of it.
type state struct {
	source  Source
	options Options
	emit    func(Event)

	status    Status
	covered   bool            // the server announces changes of every list
	good      surface         // the last good one
	changedAt time.Time       // when a reading found a change last
	told      map[string]bool // fingerprints of the distance that was told last
	stale     bool            // Stale was told and Recovered was not
}

// become tells a new state, or a new reason for the same trouble without telling it.
func (s *state) become(now State, err error) {
	previous := s.status.State
	s.status.State, s.status.Err = now, err
	s.status.Connected = now.Reached() || now == Degraded
	s.status.Listening = s.status.Connected && s.covered
	if previous != now {
		s.status.Since = time.Now()
	}
	s.publish()
	if previous != now {
		s.tell(Event{Kind: StateChanged, Previous: previous, Err: err})
	}
}

// connected is the state of a server whose surface is current.
func (s *state) connected() State {
	if s.covered {
		return Live
	}
	return Polling
}

// trouble is the state of trouble, or Failed when there was too much of it.
func (s *state) trouble(now State, tooMuch bool, err error) {
	if tooMuch {
		now = Failed
	}
	s.become(now, err)
}

// giveUp tells once that the last good surface may no longer be the server's.
func (s *state) giveUp(err error) {
	if s.stale || s.good.shot == nil {
		return
	}
	s.stale = true
	s.tell(Event{Kind: Stale, Err: err})
}

// tell completes an event and hands it out.
func (s *state) tell(e Event) {
	e.Time, e.Server, e.State = time.Now(), s.source.Name, s.status.State
	e.Connected, e.Listening, e.VerifiedAt = s.status.Connected, s.status.Listening, s.status.VerifiedAt
	finding.Sort(e.Findings)
	s.emit(e)
}

func (s *state) publish() { s.options.View.publish(s.status) }

// outcome is what a reading came to.
type outcome struct {
	findings []finding.Finding
	first    bool // there was no surface before
	changed  bool
	silent   bool // the change was not announced, and should have been
	needless bool // a change was announced, and there is none
	note     string
}

// word is the outcome for whoever measures.
func (o outcome) word(err error) Outcome {
	switch {
	case err != nil:
		return Failure
	case o.changed:
		return Different
	}
	return Same
}

// measure makes what was read the good surface, unless ctx ends. Lists that failed stay as they were.
func (s *state) measure(ctx context.Context, r reading) (o outcome, err error) {
	next := s.good.with(r)
	o.first = s.good.shot == nil
	if o.findings, o.changed, err = s.compare(ctx, next); err != nil {
		return o, err
	}
	s.good, s.status.Surface = next, next.shot
	return o, nil
}

// settle tells what a reading came to, and the state that it leads to.
func (s *state) settle(r reading, o outcome, tooMuch bool, err error) {
	s.count(o, err)
	s.options.Observe(Attempt{Cause: r.cause, Outcome: o.word(err), Took: r.took})
	if err != nil {
		s.trouble(Degraded, tooMuch, err)
	} else {
		s.status.VerifiedAt = time.Now()
		s.become(s.connected(), nil)
	}
	s.report(r.cause, o, err)
	if err != nil && !o.first {
		s.giveUp(err)
	}
}

func (s *state) count(o outcome, err error) {
	counts := &s.status.Counts
	if o.changed {
		s.changedAt = time.Now()
		counts.Changes++
	}
	if o.silent {
		counts.Silent++
	}
	if o.needless {
		counts.Needless++
	}
	if err != nil {
		counts.Failures++
	}
}

// report tells what a reading came to, if that is worth an event.
func (s *state) report(cause Cause, o outcome, err error) {
	e := Event{Cause: cause, Findings: o.findings, Silent: o.silent, Note: o.note}
	recovered := err == nil && s.stale
	s.stale = s.stale && !recovered
	if recovered && s.source.Saved != nil { // a distance is nothing that happened meanwhile: it has an event of its own
		s.tell(Event{Kind: Recovered, Cause: cause})
		recovered = false
	}
	switch {
	case recovered:
		e.Kind = Recovered
	case o.changed:
		e.Kind = Changed
	case o.needless, cause == Reload && err == nil:
		e.Kind = Unchanged
	default:
		return
	}
	s.tell(e)
}

// compare finds what is to be told of the next surface, and whether there is something to tell: what changed since the
// last good surface, or the distance from what is saved, when that is another one.
func (s *state) compare(ctx context.Context, next surface) (found []finding.Finding, changed bool, err error) {
	if found, err = s.findings(ctx, next); err != nil || s.source.Saved == nil {
		return found, len(found) > 0, err
	}
	now := map[string]bool{}
	for _, f := range found {
		now[f.Fingerprint()] = true
	}
	if maps.Equal(now, s.told) {
		return nil, false, nil
	}
	s.told = now
	return found, true, nil
}

// findings are what changed since the last good surface, or the distance from what is saved.
func (s *state) findings(ctx context.Context, next surface) ([]finding.Finding, error) {
	var old, new *snapshot.Snapshot
	if s.source.Saved != nil {
		old, new = s.source.Saved(), next.shot
	} else if s.good.shot != nil && !s.good.same(next) {
		old, new = s.good.against(next)
	}
	if old == nil {
		return nil, nil
	}
	found, err := diff.Compare(ctx, old, new, s.options.Diff)
	if err != nil {
		return nil, err
	}
	return s.options.Judge(found), nil
}

// breaks tells whether a reading would tell of something broken.
func (s *state) breaks(ctx context.Context, r reading) bool {
	found, _ := s.findings(ctx, s.good.with(r)) // who asks heeds the end of ctx
	return slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Level == finding.Breaking && f.Waiver == nil })
}

// knows tells whether a list is as it was last.
func (s *state) knows(digest string, kind snapshot.Kind) bool {
	return s.good.shot != nil && digest != "" && digest == digestOf(s.good.shot.List(kind))
}

// surface is the last good surface of a server. It is never changed, only replaced.
type surface struct {
	shot    *snapshot.Snapshot // nil = nothing yet. A list of it that is not whole never arrived whole
	digest  string             // empty unless the snapshot is complete
	lacking []snapshot.Kind    // lists whose last reading failed
}

// with is the surface after a reading: the lists that arrived whole are new, the others stay as they are known best.
func (s surface) with(r reading) surface {
	next := surface{shot: &snapshot.Snapshot{}}
	*next.shot = *r.hello
	for _, kind := range snapshot.Kinds() {
		list, asked := r.list(kind)
		failed := asked && !list.Whole()
		switch {
		case s.shot == nil && !asked:
			list = snapshot.NewPart(kind, nil, "not asked for yet")
		case s.shot != nil && (!asked || failed && s.shot.List(kind).Whole()):
			list = s.shot.List(kind)
		}
		next.shot.SetList(list)
		if failed || !asked && s.lacks(kind) {
			next.lacking = append(next.lacking, kind)
		}
	}
	next.digest = next.shot.Digest()
	return next
}

// lacks tells whether the last reading of a list failed.
func (s surface) lacks(kind snapshot.Kind) bool { return slices.Contains(s.lacking, kind) }

// against gives the two sides of a comparison with the next surface. A list that becomes known is not one that was added,
// and one that is not whole yet is compared with nothing.
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

// same tells whether nothing can have changed.
func (s surface) same(next surface) bool { return s.digest != "" && s.digest == next.digest }
