package watch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

type state struct {
	source  Source
	options *Options
	emit    func(Event)

	status    Status
	covered   bool            // the server announces changes of every list
	hears     bool            // what it announces arrives, be it of some lists only
	lifetime  time.Duration   // of the surface that was read last
	expiry    *time.Timer     // ends with it
	good      surface         // the last good one
	since     string          // digest of the surface that the last change led to, or the first one
	changedAt time.Time       // when a reading found a change last
	told      map[string]bool // fingerprints of the distance that was told last, with its judgement
	aged      bool            // the surface is stale because of its age alone
}

// become tells a new state, or a new reason for the same trouble without telling it.
func (s *state) become(now State, why Trouble, err error) {
	previous := s.status.State
	s.status.State, s.status.Trouble, s.status.Err = now, why, err
	s.status.Connected = s.status.Connected && now != Reconnecting && now != Closed
	s.status.Listening = s.status.Connected && s.hears
	if previous != now {
		s.status.Since = time.Now()
	}
	s.publish()
	if previous != now {
		s.tell(Event{Kind: StateChanged, Previous: previous, Trouble: why, Err: err})
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
func (s *state) trouble(now State, tooMuch bool, why Trouble, err error) {
	if tooMuch {
		now = Failed
	}
	s.become(now, why, err)
}

// giveUp tells once that the last good surface may no longer be the server's.
func (s *state) giveUp(why Trouble, err error) {
	if s.status.Stale || s.good.shot == nil {
		return
	}
	s.status.Stale = true
	s.publish()
	s.tell(Event{Kind: Stale, Trouble: why, Err: err})
}

// expiresIn says how long the surface that was read now holds.
func (s *state) expiresIn(d time.Duration) {
	s.lifetime = d
	s.expiry.Reset(d)
}

// expire says that nothing was read for too long.
func (s *state) expire() {
	s.aged = !s.status.Stale
	s.giveUp(cmp.Or(s.status.Trouble, Unverified), fmt.Errorf("the surface was not verified for %s", s.lifetime))
}

// wait waits for a time, or until one of two things happens; true = it was the second. A surface that grows too old is told.
func (s *state) wait(ctx context.Context, d time.Duration, second <-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-second:
			return true
		case <-s.expiry.C:
			s.expire()
		}
	}
}

// meanwhile runs what may take long and ends by itself. A surface that grows too old meanwhile is told.
func (s *state) meanwhile(run func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run()
	}()
	for {
		select {
		case <-ended:
			return
		case <-s.expiry.C:
			s.expire()
		}
	}
}

// forever is longer than anything is watched.
const forever = time.Duration(math.MaxInt64)

// tell completes an event and hands it out.
func (s *state) tell(e Event) {
	e.Time, e.Server, e.State = time.Now(), s.source.Name, s.status.State
	e.Connected, e.Listening = s.status.Connected, s.status.Listening
	if e.VerifiedAt.IsZero() {
		e.VerifiedAt = s.status.VerifiedAt
	}
	finding.Sort(e.Findings)
	s.emit(e)
}

func (s *state) publish() { s.options.View.publish(s.status) }

type outcome struct {
	findings []finding.Finding
	first    bool // there was no surface before
	changed  bool
	moved    bool          // the surface is another one, whether that is told or not
	silent   []unannounced // earlier changes that should have been announced and were not
	lost     bool          // it was not announced, or that got lost
	needless bool          // a change was announced, and there is none
	note     string

	from, to string // digests of what the change before led to, and of what was read
}

// proof is an event of a change, with what it was proven from.
func (o outcome) proof(r reading) Event {
	e := Event{Kind: Changed, Cause: r.cause, Findings: o.findings, Note: o.note}
	if o.lost && o.changed {
		e.Trouble = NotificationLost
	}
	e.From, e.To, e.Announced, e.Confirmed, e.VerifiedAt = o.from, o.to, r.notified, len(r.sure) > 0, r.arrived
	return e
}

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
	o.first, o.from, o.to = s.good.shot == nil, cmp.Or(s.since, s.good.digest), next.digest
	if o.findings, o.changed, err = s.compare(ctx, next); err != nil {
		return o, err
	}
	o.moved = o.changed || s.good.digest != "" && next.digest != "" && next.digest != s.good.digest
	if o.first || o.changed || s.since == "" { // what nobody wants to hear of does not part two changes
		s.since = next.digest
	}
	s.good, s.status.Surface = next, next.shot
	return o, nil
}

// settle tells what a reading came to, and the state that it leads to.
func (s *state) settle(r reading, o outcome, tooMuch bool, err error) {
	s.count(o, err)
	s.options.Observe(Attempt{Cause: r.cause, Outcome: o.word(err), Took: r.took})
	why := Unreadable
	if r.notified {
		why = AnnouncedUnreadable
	}
	recovered := err == nil && s.status.Stale
	if err != nil {
		s.trouble(Degraded, tooMuch, why, err)
	} else {
		s.status.Stale = false
		s.become(s.connected(), "", nil)
	}
	s.report(r, o, recovered, err)
	if err != nil && !o.first {
		s.giveUp(why, err)
	}
}

func (s *state) count(o outcome, err error) {
	counts := &s.status.Counts
	if o.changed {
		counts.Changes++
		if !o.first {
			s.changedAt = time.Now()
		}
	}
	counts.Silent += len(o.silent)
	if o.needless {
		counts.Needless++
	}
	if err != nil {
		counts.Failures++
	}
}

// report tells what a reading came to, if that is worth an event.
func (s *state) report(r reading, o outcome, recovered bool, err error) {
	for _, u := range o.silent {
		s.tell(Event{Kind: Silent, Cause: r.cause, Trouble: ChangedSilently, From: u.from, To: u.to})
	}
	e := o.proof(r)
	// A distance is nothing that happened meanwhile, and nor is what happened after a surface that was merely old.
	if recovered && (s.source.Saved != nil || s.aged) {
		s.tell(Event{Kind: Recovered, Cause: r.cause})
		recovered, s.aged = false, false
	}
	switch {
	case recovered:
		e.Kind = Recovered
	case o.changed:
	case o.needless, r.cause == Reload && err == nil:
		e = Event{Kind: Unchanged, Cause: r.cause, Note: o.note}
	default:
		return
	}
	s.tell(e)
}

// compare finds what is to be told of the next surface, and whether there is something to tell: what changed since the
// last good surface, or the distance from what is saved, when that is known and another one.
func (s *state) compare(ctx context.Context, next surface) (found []finding.Finding, changed bool, err error) {
	found, known, err := s.findings(ctx, next)
	if err != nil || !known || s.source.Saved == nil {
		return found, len(found) > 0, err
	}
	now := lists.Set(lists.Map(found, func(f finding.Finding) string { return fmt.Sprint(f.Fingerprint(), f.Level, f.Waiver != nil) }))
	if maps.Equal(now, s.told) {
		return nil, false, nil
	}
	s.told = now
	return found, true, nil
}

// findings are what changed since the last good surface, or the distance from what is saved; known = there is one to compare with.
func (s *state) findings(ctx context.Context, next surface) (_ []finding.Finding, known bool, _ error) {
	var old, new *snapshot.Snapshot
	if s.source.Saved != nil {
		old, new = s.source.Saved(), next.shot
	} else if s.good.shot != nil && (s.good.digest == "" || s.good.digest != next.digest) {
		old, new = s.good.against(next)
	}
	if old == nil {
		return nil, false, nil
	}
	if limit := s.options.Timeout; limit > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, limit, &timeoutError{limit, "undecided after"})
		defer cancel()
		ctx = limited
	}
	options := s.options.Diff
	found, err := host.Await(ctx, func() ([]finding.Finding, error) { return diff.Compare(ctx, old, new, options) })
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return nil, true, fmt.Errorf("comparing: %w", err)
	}
	return s.options.Judge(found), true, nil
}

// breaks tells whether a reading would tell of something broken.
func (s *state) breaks(ctx context.Context, r reading) bool {
	found, _, _ := s.findings(ctx, s.good.with(r)) // who asks heeds the end of ctx
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
