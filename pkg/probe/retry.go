package probe

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// again runs one attempt after another as long as the failure can heal and there are tries left.
func again(ctx context.Context, retries int, once func() error) {
	attempt := func() (struct{}, error) { return struct{}{}, healing(once()) }
	_, _ = backoff.Retry(ctx, attempt, // what went wrong is in the last result
		backoff.WithBackOff(pace()), backoff.WithMaxElapsedTime(0), backoff.WithMaxTries(uint(max(retries, 0))+1))
}

// pace is exponential with a quarter of jitter, from half a second to half a minute.
func pace() backoff.BackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: 500 * time.Millisecond, RandomizationFactor: 0.25, Multiplier: 2, MaxInterval: 30 * time.Second,
	}
}

// healing tells backoff what to make of the failures of one attempt: all of them must be of a kind that can heal.
func healing(err error) error {
	if err == nil {
		return nil
	}
	var wait time.Duration
	for _, failure := range Failures(err) {
		if !failure.heals() {
			return backoff.Permanent(err)
		}
		wait = max(wait, failure.askedWait())
	}
	if wait > 0 {
		return &backoff.RetryAfterError{Duration: min(wait, longestWait)}
	}
	return err
}

// longestWait bounds what a server may ask for with Retry-After.
const longestWait = time.Minute

// askedWait is how long the server asks to wait (RFC 9110, Retry-After: seconds or a date); 0 = it does not.
func (e *Error) askedWait() time.Duration {
	status, ok := errors.AsType[*transport.HTTPError](originalOf(e))
	if !ok {
		return 0
	}
	if seconds, err := strconv.Atoi(status.RetryAfter); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(status.RetryAfter); err == nil {
		return time.Until(date)
	}
	return 0
}

// heals tells whether the same attempt may succeed a moment later.
func (e *Error) heals() bool {
	err := originalOf(e)
	var status *transport.HTTPError
	var limit *timeoutError
	early := e.Stage.order() <= Handshake.order()
	switch {
	case errors.As(err, &status):
		return status.Status == 429 || status.Status >= 500 && status.Status != 501
	case errors.As(err, &limit), exited(err) != "":
		return early
	}
	return refused(err) || cutOff(err) || lookupHeals(err)
}

// What Windows says in the place of ECONNREFUSED and ECONNRESET.
const (
	wsaRefused = syscall.Errno(10061)
	wsaReset   = syscall.Errno(10054)
)

// refused tells that nobody took the connection.
func refused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, wsaRefused)
}

// cutOff tells that the connection ended in the place of an answer.
func cutOff(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, wsaReset) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func lookupHeals(err error) bool {
	var lookup *net.DNSError
	return errors.As(err, &lookup) && lookup.IsTemporary && !lookup.IsNotFound
}
