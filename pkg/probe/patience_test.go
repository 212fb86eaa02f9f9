package probe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPatience: a request has its time, and the time in which a person is asked does not count.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{attempt: attempt{options: Options{Timeout: 10 * time.Second}}}
		began := time.Now()
		ctx, stop := s.paused.limit(t.Context(), s.attempt.timeout())
		defer stop()
		time.Sleep(4 * time.Second)
		resume := s.paused.pause()
		time.Sleep(time.Hour)
		inner := s.paused.pause() // a second question within the first
		time.Sleep(time.Minute)
		inner()
		resume()
		time.Sleep(5 * time.Second)
		if ctx.Err() != nil {
			t.Errorf("the time was up after %v", time.Since(began))
		}
		<-ctx.Done()
		var late *timeoutError
		if took := time.Since(began) - time.Hour - time.Minute; took < 10*time.Second || took > 10*time.Second+2*pausedStep || !errors.As(context.Cause(ctx), &late) {
			t.Errorf("the time was up after %v without the questions, of %v", took, context.Cause(ctx))
		}
	})
}

// TestPatienceOfTheNextRequest: questions of an earlier request are forgotten.
func TestPatienceOfTheNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{attempt: attempt{server: Server{Timeout: time.Second}}}
		resume := s.paused.pause()
		time.Sleep(time.Hour)
		resume()
		began := time.Now()
		ctx, stop := s.paused.limit(t.Context(), s.attempt.timeout())
		defer stop()
		<-ctx.Done()
		if took := time.Since(began); took != time.Second {
			t.Errorf("the time was up after %v, want 1s", took)
		}
	})
}

// TestNoPatienceNeeded: without a limit only the caller ends a request.
func TestNoPatienceNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		ctx, stop := s.paused.limit(t.Context(), s.attempt.timeout())
		time.Sleep(24 * time.Hour)
		if ctx.Err() != nil {
			t.Error("the time was up")
		}
		stop()
		<-ctx.Done()
	})
}
