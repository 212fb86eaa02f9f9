package probe

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLimit: a request has its time, which begins anew after a person was asked.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timer requestTimer
		const limit = 10 * time.Second
		ctx, stop := timer.limit(t.Context(), limit)
		defer stop()
		time.Sleep(4 * time.Second)
		resume := timer.pause(limit)
		time.Sleep(time.Hour)
		inner := timer.pause(limit) // a second question within the first
		time.Sleep(time.Minute)
		inner()
		time.Sleep(time.Minute)
		resume()
		began := time.Now()
		if ctx.Err() != nil {
			t.Error("the time was up")
		}
		<-ctx.Done()
		var late *timeoutError
		if took := time.Since(began); took != 10*time.Second || !errors.As(context.Cause(ctx), &late) {
			t.Errorf("the time was up %v after the questions, of %v", took, context.Cause(ctx))
		}
	})
}

// TestLimitOfTheNextRequest: questions of an earlier request do not matter, not even those answered late.
func TestLimitOfTheNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var timer requestTimer
		const limit = time.Second
		_, stop := timer.limit(t.Context(), limit)
		resume := timer.pause(limit)
		stop()
		ctx, stop := timer.limit(t.Context(), limit)
		defer stop()
		began := time.Now()
		time.Sleep(time.Second / 2)
		resume()
		<-ctx.Done()
		if took := time.Since(began); took != time.Second {
			t.Errorf("the time was up after %v, want 1s", took)
		}
	})
}
