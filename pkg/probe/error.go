package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// Error is one failure of one server, at one stage, with all that helps to fix it. It contains no
// secrets.
type Error struct {
	Server string // configured name
	Stage  Stage  // what was being done
	Code   Code   // what kind of failure it is; empty = nothing is known
	Facts  Facts  // what was seen of it
	Err    error  // the cause
	Stderr string // the last 8 KiB that it wrote to stderr, unescaped; "…" before them = there was more
	Hint   string // of an error of Server.Verify or HTTP.Authorize that has a method Hint() string
}

// Error names the server and the stage once, then the cause.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s: %v", e.Server, e.Stage, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Failures returns the *Errors that a result's Err is made of, in order.
func Failures(err error) []*Error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return kit.Flat(joined.Unwrap(), Failures)
	}
	if failure, ok := errors.AsType[*Error](err); ok {
		return []*Error{failure}
	}
	return nil
}

// ErrNotTried is the cause of a server that was left out, or given up on the way, because another one failed
// first.
var ErrNotTried = errors.New("not tried to the end, since another server failed first")

// ErrNoLogin is what [Authorize] returns about a refusal of a server at which the user cannot log in.
var ErrNoLogin = errors.New("there is no login for this server")

// cause is an error as it may be shown: without secrets, and matching what the original matches.
type cause struct {
	text     string
	original error
}

// Error returns the text, without secrets.
func (c *cause) Error() string { return c.text }

// Is reports what the original error is.
func (c *cause) Is(target error) bool { return errors.Is(c.original, target) }

// Answered reports whether it is an answer of the server, not silence.
func (e *Error) Answered() bool { return hasAnswer(originalOf(e)) }

// As finds an RPCError and nothing else: other errors hold their text unmasked.
func (c *cause) As(target any) bool {
	answer, ok := target.(**RPCError)
	return ok && errors.As(c.original, answer)
}

// timeoutError reports that the time was up.
type timeoutError struct {
	limit  time.Duration
	silent bool // no message came from the server
}

// Error names the limit.
func (e *timeoutError) Error() string {
	if e.silent {
		return fmt.Sprintf("no MCP reply within %s", e.limit)
	}
	return fmt.Sprintf("no answer within %s", e.limit)
}

// Is makes a timeout match context.DeadlineExceeded.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// limited returns ctx with the time limit of an attempt; 0 = none. The clock stands from pause to resume.
func limited(ctx context.Context, limit time.Duration) (_ context.Context, cancel func(),
	pause func() (resume func())) {
	ctx, end := context.WithCancelCause(ctx)
	if limit <= 0 {
		return ctx, func() { end(nil) }, func() func() { return func() {} }
	}
	late := time.Now().Add(limit)
	timer := time.AfterFunc(limit, func() { end(&timeoutError{limit: limit}) })
	return ctx, func() { timer.Stop(); end(nil) }, func() func() {
		if !timer.Stop() {
			return func() {}
		}
		left := time.Until(late)
		return func() { timer.Reset(left) }
	}
}

// ended replaces err by why ctx ended, when it did: what failed then without an answer, failed of that.
func ended(ctx context.Context, err error, heard bool) error {
	why := context.Cause(ctx)
	if why == nil || hasAnswer(err) {
		return err
	}
	if timeout, ok := errors.AsType[*timeoutError](why); ok {
		timeout = &timeoutError{limit: timeout.limit, silent: !heard}
		if stream, ok := errors.AsType[*transport.StreamError](err); ok { // it came as far as that
			return &transport.StreamError{Endpoint: stream.Endpoint, Err: timeout}
		}
		return timeout
	}
	return why
}

// refusedStart reports that Server.Verify refused to start or contact a server, and says all of it.
type refusedStart struct{ error }

// Unwrap returns the reason.
func (e *refusedStart) Unwrap() error { return e.error }

// plain returns the text of an error without the layers that say nothing to a user.
func plain(err error) string {
	var request *url.Error
	var start *process.StartError
	var unauthorized *transport.CredentialsError
	var handshake *transport.HandshakeError
	var foreign *transport.NotHTTPError
	switch {
	case errors.As(err, &unauthorized): // its cause is not the server's
		return unauthorized.Error()
	case errors.As(err, &start):
		return strings.TrimPrefix(start.Error(), "starting ") // the stage says it
	case unreachable(err):
		return networkCause(err)
	case errors.As(err, &request):
		return plain(request.Err)
	case errors.As(err, &handshake):
		return handshake.Error()
	case errors.As(err, &foreign):
		return foreign.Error()
	case is[*transport.ReplyError](err):
	case transport.CutOff(err):
		return "the server closed the connection instead of answering"
	}
	return err.Error()
}

// is reports whether an error of type E is in err.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// unreachable reports whether no server was reached at all: no address, no connection, no trust.
func unreachable(err error) bool {
	dial, ok := errors.AsType[*net.OpError](err)
	return ok && (dial.Op == "dial" || dial.Op == "proxyconnect") || is[*net.DNSError](err) ||
		untrusted(err) || notTLS(err)
}

// networkCause returns why no connection was made, without the layers that package net puts around it.
func networkCause(err error) string {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "proxyconnect" {
		if inner, ok := errors.AsType[*net.OpError](dial.Err); ok && inner.Addr != nil {
			return "proxy " + inner.Addr.String() + ": " + networkCause(dial.Err)
		}
		return "proxy: " + networkCause(dial.Err)
	}
	var lookup *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return "no such host"
	case lookup != nil:
		return "lookup " + lookup.Name + ": " + lookup.Err
	case refused(err):
		return "connection refused"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "connection timed out"
	}
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	text := strings.TrimPrefix(err.Error(), "tls: failed to verify certificate: ")
	return strings.TrimPrefix(strings.TrimPrefix(text, "x509: "), "http: ")
}

// untrusted reports whether the server's certificate was not accepted.
func untrusted(err error) bool {
	return is[*tls.CertificateVerificationError](err) || is[x509.UnknownAuthorityError](err) ||
		is[x509.HostnameError](err) || is[x509.CertificateInvalidError](err)
}

// notTLS reports whether one side speaks TLS and the other does not.
func notTLS(err error) bool {
	return is[tls.RecordHeaderError](err) ||
		err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// lost reports whether the connection is gone.
func lost(err error) bool { return is[*transport.LostError](err) }

// exited returns how a server ended that should have answered; empty when it did not end.
func exited(err error) string {
	if end, ok := errors.AsType[*transport.LostError](err); ok {
		return end.Exit
	}
	return ""
}

// errorKind is what the prober itself finds wrong, as opposed to what a system or a server reports.
type errorKind int

const (
	badUsage   errorKind = iota // the probe makes no sense as it was asked for
	badVersion                  // no protocol version in common
	badShape                    // a result is not what the method returns
	overLimit                   // a result is over a limit
)

// kindError is an error that the prober itself found; see errorKind.
type kindError struct {
	kind errorKind
	text string
}

// Error returns the text.
func (e *kindError) Error() string { return e.text }

func (k errorKind) errorf(format string, args ...any) error {
	return &kindError{kind: k, text: fmt.Sprintf(format, args...)}
}

func (k errorKind) in(err error) bool {
	found, ok := errors.AsType[*kindError](err)
	return ok && found.kind == k
}

// panicError is a bug of ours that one server's oddity brought to light.
type panicError struct{ value any }

// Error returns the value of the panic.
func (e *panicError) Error() string { return fmt.Sprintf("panic in the prober: %v", e.value) }

// recovered, deferred, turns a panic into an error, so that it costs one server and not the run.
func recovered(err *error) {
	if value := recover(); value != nil {
		*err = &panicError{value}
	}
}

// guard runs work and turns a panic in it into an error.
func guard(work func() error) (err error) {
	defer recovered(&err)
	return work()
}

// Notice is something a server did that is wrong or odd but lost nothing: a repeated cursor, a list it
// declares and does not have, a reply with invalid UTF-8.
type Notice struct {
	Stage   Stage  // when it was seen
	Code    string // one of the Notice constants
	Message string // one sentence
}

// The codes of notices; they are permanent.
const (
	// the server had to be started or contacted anew for initialize
	NoticeRestarted = "handshake-restarted"
	// initialize was answered with a version that has no initialize
	NoticeVersionOdd      = "version-not-for-era"
	NoticeInitializedLost = "initialized-refused" // notifications/initialized was refused
	NoticeContentType     = "content-type-odd"    // a JSON reply has another Content-Type, or none
	// there is no capabilities object, so every list was asked for
	NoticeNoCapabilities  = "capabilities-missing"
	NoticeUndeclared      = "capability-undeclared" // a list is answered whose capability is not declared
	NoticeInstructionsOdd = "instructions-not-text" // instructions are there but are not a string
	// a capability is declared, its list answered with "method not found"
	NoticeNotImplemented = "declared-not-implemented"
	// nextCursor had been followed already; the list was ended there
	NoticeCursorRepeated = "cursor-repeated"
	NoticeCursorOdd      = "cursor-not-text" // nextCursor is a number; it was followed as it is
	// a cursor was refused on the way; the list was read from its start again
	NoticeListRestarted = "list-restarted"
	// an item is not an object or has no name (uri, uriTemplate)
	NoticeItemOdd = "item-without-key"
	// two items of a list have the same name (uri, uriTemplate)
	NoticeDuplicate      = "duplicate-name"
	NoticeMemberRepeated = "member-repeated" // a result has a member twice; the last one counts
	NoticeInvalidUTF8    = "invalid-utf8"    // a result is not valid UTF-8
	// the surface holds a secret that the server was given; it was masked
	NoticeSecretEchoed = "secret-echoed"
	// a result of 2026-07-28 lacks resultType, ttlMs or cacheScope
	NoticeFieldsMissing = "result-fields-missing"
)

// Stage is what the probe was doing.
type Stage string

// The stages, in the order in which they happen.
const (
	Starting         Stage = "starting"
	Connecting       Stage = "connecting"
	Handshake        Stage = "handshake"
	ListingTools     Stage = "listing tools"
	ListingPrompts   Stage = "listing prompts"
	ListingResources Stage = "listing resources"
	ListingTemplates Stage = "listing resource templates"
	ListingSkills    Stage = "listing skills"
	Calling          Stage = "calling a tool"
	Prompting        Stage = "getting a prompt"
	Reading          Stage = "reading a resource"
	Completing       Stage = "completing an argument"
	Pinging          Stage = "pinging"
	Watching         Stage = "watching"
	Closing          Stage = "closing"
)

// order returns the position of a stage among those that an attempt goes through.
func (s Stage) order() int {
	return slices.Index([]Stage{
		Starting, Connecting, Handshake, ListingTools, ListingPrompts, ListingResources, ListingTemplates,
		ListingSkills,
		Calling, Prompting, Reading, Completing, Pinging, Watching, Closing,
	}, s)
}
