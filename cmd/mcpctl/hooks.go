package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/mcpctl/mcpctl/internal/process"
)

// Bounds of what changes set off. None of it ever keeps a server from being watched.
const (
	hooksAtOnce   = 4
	hooksWaiting  = 64
	commandTime   = time.Minute
	postTime      = 10 * time.Second
	postAttempts  = 3
	shownOfOutput = 2 << 10
)

// hook is something to do with the event of a change, given as a line of JSON.
type hook func(ctx context.Context, event []byte) error

// hooks do things with events, a few at a time, in the background.
type hooks struct {
	each   []hook
	fail   func(format string, args ...any)
	queue  chan job
	ending sync.WaitGroup
}

// job is one thing to do with one event.
type job struct {
	hook  hook
	event []byte
}

// start begins to work until finish is called; the end of ctx breaks off what is under way.
func (h *hooks) start(ctx context.Context) {
	h.queue = make(chan job, hooksWaiting)
	for range min(len(h.each)*hooksAtOnce, hooksAtOnce) {
		h.ending.Go(func() {
			for next := range h.queue {
				if err := next.hook(ctx, next.event); err != nil {
					h.fail("%v", err)
				}
			}
		})
	}
}

// fire hands an event over. More than fit are dropped, and that is said.
func (h *hooks) fire(event []byte) {
	for _, do := range h.each {
		select {
		case h.queue <- job{do, event}:
		default:
			h.fail("an event was not passed on: %d are waiting already", hooksWaiting)
		}
	}
}

// finish waits for all that was handed over.
func (h *hooks) finish() {
	close(h.queue)
	h.ending.Wait()
}

// runCommand runs a command line of the system's shell with the event on its standard input.
func runCommand(line string, environ []string) hook {
	return func(ctx context.Context, event []byte) error {
		said := process.Tail{Limit: shownOfOutput}
		command := process.ShellCommand{Line: line, Env: environ, Stdin: event, Limit: commandTime}
		if err := command.Run(ctx, &said, &said); err != nil {
			return fmt.Errorf("running --exec: %w%s", err, process.Quoted(said.String()))
		}
		return nil
	}
}

// post sends the event to a URL, signed with the secret if there is one, three times at most.
func post(to, secret string) hook {
	client := &http.Client{Timeout: postTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, event []byte) error {
		once := func() (struct{}, error) { return struct{}{}, postOnce(ctx, client, to, secret, event) }
		if _, err := backoff.Retry(ctx, once, backoff.WithMaxTries(postAttempts)); err != nil {
			return fmt.Errorf("posting to --webhook: %w", err)
		}
		return nil
	}
}

func postOnce(ctx context.Context, client *http.Client, to, secret string, event []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(event))
	if err != nil {
		return backoff.Permanent(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "mcpctl/"+version())
	if secret != "" {
		request.Header.Set("X-Mcpctl-Signature-256", "sha256="+signature(secret, event))
	}
	reply, err := client.Do(request)
	if where, ok := errors.AsType[*url.Error](err); ok {
		return where.Err // without the URL, which may hold a secret
	}
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode < 200 || reply.StatusCode > 299 {
		return fmt.Errorf("HTTP %s", reply.Status)
	}
	return nil
}

// signature is the HMAC-SHA256 of a text, in hexadecimal digits.
func signature(secret string, text []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}
