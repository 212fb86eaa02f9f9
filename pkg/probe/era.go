package probe

import (
	"context"
	"slices"
	"time"
)

// patience is how long server/discover may stay unanswered before initialize is sent as well.
const patience = 2 * time.Second

// answer is what came of one of the two openings of the protocol.
type answer struct {
	hello hello
	err   error
}

// opening finds out in which era a server speaks. Both openings may be under way at once: a result of discover that lists
// our version wins over initialize, so that a slow server of the new era is not taken for one of the old, and a server
// that keeps silent on discover costs no more than patience and grace.
type opening struct {
	caller caller
	grace  time.Duration // what discover gets after initialize was answered

	discovered  <-chan answer // nil once it has been answered
	initialized <-chan answer // nil unless initialize is under way
	quiet, late <-chan time.Time

	discover, initialize *answer // as far as they are known
}

// negotiate opens the protocol on a fresh link. An error that matches errAnew says that initialize may still work, on a
// link of its own.
func (c caller) negotiate(ctx context.Context, grace time.Duration) (hello, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := opening{caller: c, grace: grace, quiet: time.After(patience)}
	o.discovered = ask(ctx, c.discover)
	for !o.settled() {
		select {
		case a := <-o.discovered:
			o.discovered, o.quiet, o.discover = nil, nil, &a
			if !o.decided() {
				o.sendInitialize(ctx)
			}
		case <-o.quiet:
			o.quiet = nil
			o.sendInitialize(ctx)
		case a := <-o.initialized:
			o.initialized, o.initialize = nil, &a
			o.late = time.After(o.lateness())
		case <-o.late:
			o.discovered = nil
		}
	}
	return o.outcome()
}

// ask runs one opening beside the caller; the channel has room, so the goroutine ends with ctx at the latest.
func ask(ctx context.Context, open func(context.Context) (hello, error)) <-chan answer {
	answers := make(chan answer, 1)
	go func() {
		var a answer
		a.err = guard(func() (err error) {
			a.hello, err = open(ctx)
			return err
		})
		answers <- a
	}()
	return answers
}

// sendInitialize sends initialize unless that was done.
func (o *opening) sendInitialize(ctx context.Context) {
	if o.initialized != nil || o.initialize != nil {
		return
	}
	version := o.version()
	o.initialized = ask(ctx, func(ctx context.Context) (hello, error) { return o.caller.initialize(ctx, version) })
}

// settled tells that nothing more is to be waited for.
func (o *opening) settled() bool {
	return o.discover != nil && o.decided() || o.initialize != nil && o.discovered == nil
}

// decided tells that discover's answer leaves nothing to ask with initialize on this link.
func (o *opening) decided() bool {
	return o.isModern() || final(o.discover.err) || lost(o.discover.err)
}

// isModern tells that the server answered discover with a list that has our version.
func (o *opening) isModern() bool {
	return o.discover != nil && o.discover.err == nil && slices.Contains(o.discover.hello.supported, modern)
}

// lateness is how long discover may still take once initialize was answered. A refusal is worth a longer wait.
func (o *opening) lateness() time.Duration {
	if o.initialize.err != nil {
		return max(o.grace, patience)
	}
	return o.grace
}

// version is the one to ask for with initialize.
func (o *opening) version() string {
	switch {
	case o.discover == nil:
		return legacy
	case o.discover.err != nil:
		return newestLegacy(supportedBy(o.discover.err))
	}
	return newestLegacy(o.discover.hello.supported)
}

// outcome is the hello that won, or why there is none.
func (o *opening) outcome() (hello, error) {
	if o.isModern() {
		return o.discover.hello, nil
	}
	if o.initialize == nil {
		return hello{supported: supportedBy(o.discover.err)}, anew(o.discover.err, lost(o.discover.err))
	}
	h, err := o.initialize.hello, o.initialize.err
	discovered := o.discover != nil && o.discover.err == nil
	if discovered {
		h.supported = o.discover.hello.supported
	}
	return h, anew(err, lost(err) || discovered && hasAnswer(err))
}
