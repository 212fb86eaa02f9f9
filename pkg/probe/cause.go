package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// timeoutError is the end of the time that one attempt at a server has.
type timeoutError struct{ limit time.Duration }

// Error names the limit.
func (e *timeoutError) Error() string { return fmt.Sprintf("no answer within %s", e.limit) }

// Is makes a timeout match context.DeadlineExceeded.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// limited is ctx with the time limit of an attempt; 0 = none.
func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, &timeoutError{limit})
}

// ended replaces err by why ctx ended, when it did: what failed then without an answer, failed of that.
func ended(ctx context.Context, err error, heard string) error {
	why := context.Cause(ctx)
	if why == nil || hasAnswer(err) {
		return err
	}
	var limit *timeoutError
	if !errors.As(why, &limit) {
		return why
	}
	if heard == "" {
		return fmt.Errorf("%w; nothing was heard from the server", why)
	}
	return fmt.Errorf("%w; the last thing heard was %s", why, heard)
}

// plain is the text of an error without the layers that say nothing to a user.
func plain(err error) string {
	var request *url.Error
	var start *process.StartError
	var unauthorized *transport.CredentialsError
	switch {
	case errors.As(err, &unauthorized): // its cause is not the server's
		return unauthorized.Error()
	case errors.As(err, &start):
		return strings.TrimPrefix(start.Error(), "starting ") // the stage says it
	case errors.As(err, &request):
		return plain(request.Err)
	case cutOff(err):
		return "the server closed the connection instead of answering"
	}
	text := err.Error()
	for _, layer := range []string{"transport error: ", "failed to send request: "} {
		for strings.HasPrefix(text, layer) {
			text = strings.TrimPrefix(text, layer)
		}
	}
	return text
}

// unreachable tells that no server was reached at all: no address, no connection, no trust.
func unreachable(err error) bool {
	var dial *net.OpError
	return errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect") || noSuchHost(err) || untrusted(err) || notTLS(err)
}

func noSuchHost(err error) bool {
	var lookup *net.DNSError
	return errors.As(err, &lookup)
}

// untrusted tells that the server's certificate was not accepted.
// unknownAuthority tells that nobody we trust signed the certificate.
func unknownAuthority(err error) bool {
	_, ok := errors.AsType[x509.UnknownAuthorityError](err)
	return ok
}

func untrusted(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid)
}

// notTLS tells that one side speaks TLS and the other does not.
func notTLS(err error) bool {
	var header tls.RecordHeaderError
	return errors.As(err, &header) || err != nil && strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// exited tells how a server ended that should have answered; empty when it did not end.
func exited(err error) string {
	var end *transport.LostError
	if errors.As(err, &end) && end.Exited {
		return end.Exit
	}
	return ""
}
