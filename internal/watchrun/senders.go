package watchrun

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
)

// Limits of one attempt at an output.
const (
	commandTime   = time.Minute
	postTime      = 10 * time.Second
	shownOfOutput = 2 << 10 // bytes of what a failed command wrote
	shortReply    = 4 << 10 // bytes; after a longer one the connection is closed
)

// A sendFunc makes one attempt to pass on an event of a kind. An error that is neither errRefused nor
// errUnreachable is that of an output which was reached and failed.
type sendFunc func(ctx context.Context, kind string, event []byte) error

var (
	errRefused     = errors.New("refused")     // another attempt would not change the answer
	errUnreachable = errors.New("unreachable") // the output heard nothing, or asks to come back
)

// markedError is an error that matches one of these, without their text.
type markedError struct {
	error
	mark error
}

// Unwrap returns the error without its mark.
func (m markedError) Unwrap() error { return m.error }

// Is makes it match its mark.
func (m markedError) Is(target error) bool { return target == m.mark }

// outputs returns the queues of the outputs that the options name. The end of ctx ends deliveries at once.
func (o Options) outputs(ctx context.Context, p host.Process, state *stateFolder) ([]*outputQueue, error) {
	var all []*outputQueue
	secret, err := webhookSecret(p)
	if err != nil {
		return nil, err
	}
	if o.Exec != "" {
		all = append(all, newOutputQueue(ctx, "--exec", o.Exec, p, state, commandOutput(p, o.Exec)))
	}
	if o.Webhook != "" {
		post := webhookOutput(p, o.Webhook, secret)
		all = append(all, newOutputQueue(ctx, "--webhook", o.Webhook, p, state, post))
	}
	return all, nil
}

// notStarted are the statuses with which a shell says that it could not start the command.
var notStarted = []int{126, 127}

// commandOutput runs a shell command with the event on its standard input, and its kind in MCPCTL_EVENT.
func commandOutput(p host.Process, line string) sendFunc {
	return func(ctx context.Context, kind string, event []byte) error {
		output := process.Tail{Limit: shownOfOutput}
		command := process.ShellCommand{Line: line, Stdin: event, Limit: commandTime,
			Env: append(slices.Clip(p.Environ), "MCPCTL_EVENT="+kind)}
		err := command.Run(ctx, &output, &output)
		if err == nil {
			return nil
		}
		ended, ran := errors.AsType[*exec.ExitError](err)
		_, system := errors.AsType[syscall.Errno](err)
		failed := fmt.Errorf("%w%s", err, process.Quoted(output.String()))
		if ran && slices.Contains(notStarted, ended.ExitCode()) || system ||
			errors.Is(err, exec.ErrNotFound) {
			return markedError{failed, errUnreachable}
		}
		return failed
	}
}

// checkWebhook checks a URL without showing it: it may hold a secret.
func checkWebhook(text string) error {
	to, err := url.Parse(text)
	if text != "" && (err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https") {
		return errWebhook
	}
	return nil
}

// webhookSecret returns the secret of MCPCTL_WEBHOOK_SECRET, a value or file:PATH; empty if it is not set.
func webhookSecret(p host.Process) (string, error) {
	secret, _ := p.Lookup("MCPCTL_WEBHOOK_SECRET")
	path, isFile := strings.CutPrefix(secret, "file:")
	if !isFile {
		return secret, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", exit.Usagef("MCPCTL_WEBHOOK_SECRET: %w", err)
	}
	if secret = strings.TrimSpace(string(text)); secret == "" {
		return "", exit.Usagef("MCPCTL_WEBHOOK_SECRET: %s is empty", path)
	}
	return secret, nil
}

// webhookOutput posts an event, signed as GitHub signs if there is a secret. Redirects are not followed.
func webhookOutput(p host.Process, to, secret string) sendFunc {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: postTime, CheckRedirect: stay}
	return func(ctx context.Context, _ string, event []byte) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(event))
		if err != nil {
			return errRefused
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("User-Agent", "mcpctl/"+p.Version)
		if secret != "" {
			request.Header.Set("X-Hub-Signature-256", signature(secret, event))
		}
		reply, err := client.Do(request)
		if where, ok := err.(*url.Error); ok {
			err = where.Err // without the URL
		}
		if err != nil {
			return markedError{err, errUnreachable}
		}
		defer reply.Body.Close()
		_, _ = io.CopyN(io.Discard, reply.Body, shortReply) // the connection serves the next post
		return answered(reply)
	}
}

// signature returns the HMAC of a body, as receivers of GitHub's webhooks check it.
func signature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return fmt.Sprintf("sha256=%x", mac.Sum(nil))
}

// answered returns the error of an answer to a post.
func answered(reply *http.Response) error {
	err := fmt.Errorf("HTTP %s", strings.TrimSpace(reply.Status))
	switch code := reply.StatusCode; {
	case code >= 200 && code <= 299:
		return nil
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests:
		return markedError{err, errUnreachable}
	}
	return markedError{err, errRefused}
}
