package watchrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Limits of --exec and --webhook.
const (
	maxQueued     = 256 // changes that wait for one output; the oldest is dropped for a new one
	maxTries      = 3
	firstPause    = time.Second // before the second try; it doubles
	commandTime   = time.Minute
	postTime      = 10 * time.Second
	finishTime    = 30 * time.Second // for what is left when watching has ended
	shownOfOutput = 2 << 10          // bytes of what a failed command wrote
	shortReply    = 4 << 10          // bytes; after a longer one the connection is closed
)

// outputQueue passes changes to one output, one after the other. It delays neither watching nor another
// output.
type outputQueue struct {
	name    string                              // the flag
	send    func(context.Context, []byte) error // delivers one change
	note    func(format string, args ...any)
	cancel  context.CancelFunc // ends deliveries
	ended   chan struct{}      // closed when all are delivered or given up
	waiting chan report.Event  // changes to deliver

	adding sync.Mutex   // held by add, which may drop the oldest change first
	missed atomic.Int64 // changes that the output did not receive since the last one that it did
	left   int          // changes that waited when deliveries were canceled
}

// outputs returns the queues of the outputs that the options name. The end of ctx ends deliveries at once.
func (o Options) outputs(ctx context.Context, p host.Process) []*outputQueue {
	var all []*outputQueue
	if o.Exec != "" {
		all = append(all, newOutputQueue(ctx, "--exec", p.Note, commandOutput(p, o.Exec)))
	}
	if o.Webhook != "" {
		all = append(all, newOutputQueue(ctx, "--webhook", p.Note, webhookOutput(p, o.Webhook)))
	}
	return all
}

// newOutputQueue returns a queue that passes changes to send in a goroutine of its own, until finish. After
// the end of ctx it only counts what is left.
func newOutputQueue(
	ctx context.Context, name string, note func(string, ...any), send func(context.Context, []byte) error,
) *outputQueue {
	q := &outputQueue{name: name, send: send, note: note}
	q.ended, q.waiting = make(chan struct{}), make(chan report.Event, maxQueued)
	ctx, q.cancel = context.WithCancel(ctx)
	go func() {
		defer close(q.ended)
		for e := range q.waiting {
			if ctx.Err() != nil {
				q.left++
				continue
			}
			q.deliver(ctx, e)
		}
	}()
	return q
}

// add queues a change. If the queue is full, the oldest is dropped.
func (q *outputQueue) add(e report.Event) {
	q.adding.Lock()
	defer q.adding.Unlock()
	for {
		select {
		case q.waiting <- e:
			return
		default:
		}
		select {
		case <-q.waiting:
			q.missed.Add(1)
		default:
		}
	}
}

// deliver passes a change on, in up to three tries.
func (q *outputQueue) deliver(ctx context.Context, e report.Event) {
	dropped := q.missed.Load()
	e.Dropped = int(dropped)
	line := report.EventJSON(e)
	pause := paced(firstPause)
	for try := 1; ; try++ {
		err := q.send(ctx, line)
		if err == nil {
			q.missed.Add(-dropped)
			return
		}
		if errors.Is(err, errRefused) || try == maxTries || ctx.Err() != nil {
			q.note("%s: a change of %s was not delivered: %v", q.name, report.Visible(e.Server), err)
			q.missed.Add(1)
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause *= 2
	}
}

// finish delivers what is left, to all outputs within the same time.
func finish(outputs []*outputQueue) {
	var ending sync.WaitGroup
	for _, q := range outputs {
		ending.Go(q.finish)
	}
	ending.Wait()
}

// finish waits until all changes are delivered, for at most finishTime, and notes how many were not. No
// change may be added afterwards.
func (q *outputQueue) finish() {
	close(q.waiting)
	late := time.AfterFunc(finishTime, q.cancel)
	<-q.ended
	late.Stop()
	q.cancel()
	if q.left > 0 {
		q.note("%s: watching has ended, and %d changes were not delivered", q.name, q.left)
	}
}

// errRefused marks an answer that another try would not change.
var errRefused = errors.New("refused")

// commandOutput runs a shell command with the change on its standard input.
func commandOutput(p host.Process, line string) func(context.Context, []byte) error {
	return func(ctx context.Context, change []byte) error {
		output := process.Tail{Limit: shownOfOutput}
		command := process.ShellCommand{Line: line, Env: p.Environ, Stdin: change, Limit: commandTime}
		if err := command.Run(ctx, &output, &output); err != nil {
			return fmt.Errorf("%w%s", err, process.Quoted(output.String()))
		}
		return nil
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

// webhookOutput posts a change. Redirects are not followed.
func webhookOutput(p host.Process, to string) func(context.Context, []byte) error {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: postTime, CheckRedirect: stay}
	return func(ctx context.Context, change []byte) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(change))
		if err != nil {
			return errRefused
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("User-Agent", "mcpctl/"+p.Version)
		reply, err := client.Do(request)
		if where, ok := err.(*url.Error); ok {
			err = where.Err // without the URL
		}
		if err != nil {
			return err
		}
		defer reply.Body.Close()
		_, _ = io.CopyN(io.Discard, reply.Body, shortReply) // the connection serves the next post
		return answered(reply)
	}
}

// answered returns the error of an answer to a post. 404 may be a receiver that is being replaced.
func answered(reply *http.Response) error {
	err := fmt.Errorf("HTTP %s", strings.TrimSpace(reply.Status))
	switch code := reply.StatusCode; {
	case code >= 200 && code <= 299:
		return nil
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly,
		code == http.StatusTooManyRequests, code == http.StatusNotFound:
		return err
	}
	return fmt.Errorf("%w: %w", errRefused, err)
}
