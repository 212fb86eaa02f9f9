package live

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Bounds of what changes set off. None of it ever keeps a server from being watched.
const (
	atOnce        = 4   // deliveries of one output
	mostQueued    = 256 // changes that wait for one output
	commandTime   = time.Minute
	postTime      = 10 * time.Second
	postAttempts  = 3
	finishTime    = 30 * time.Second // for what is still to be passed on at the end
	shownOfOutput = 2 << 10
)

// delivery is one change that is passed on.
type delivery struct {
	id       string // the same however often it is tried; of this run and output
	server   string
	sequence int    // of the server's changes, from 1
	event    []byte // a line of JSON
}

// queue passes changes on to one output in the background: those of a server one after the other, those of several servers
// at once. Queues know nothing of each other, so that one output that stands still holds up no other.
type queue struct {
	name string // as messages have it
	note func(format string, args ...any)
	send func(context.Context, delivery) error
	run  string // tells the deliveries of this run from those of others

	ctx    context.Context // of deliveries
	cancel context.CancelFunc
	places chan struct{}
	ending sync.WaitGroup

	mu       sync.Mutex
	queued   int
	count    int
	sequence map[string]int
	waiting  map[string][]delivery // by server; a server that is here is being served
}

// queues are the outputs that the options name. The end of ctx breaks off what is under way.
func (o Options) queues(ctx context.Context, p host.Process) []*queue {
	var all []*queue
	if o.Exec != "" {
		all = append(all, newQueue(ctx, "--exec", p.Note, command(p, o.Exec)))
	}
	if o.Post.URL != "" {
		all = append(all, newQueue(ctx, "--webhook", p.Note, o.Post.sender(p)))
	}
	return all
}

func newQueue(ctx context.Context, name string, note func(string, ...any), send func(context.Context, delivery) error) *queue {
	q := &queue{
		name: name, note: note, send: send, run: rand.Text()[:8], places: make(chan struct{}, atOnce),
		sequence: map[string]int{}, waiting: map[string][]delivery{},
	}
	q.ctx, q.cancel = context.WithCancel(ctx)
	return q
}

// add hands a change over. More than fit are dropped, and that is said.
func (q *queue) add(server string, event []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sequence[server]++ // of what is dropped, too: whoever gets the next one sees that one is missing
	if q.queued == mostQueued {
		q.note("%s: a change of %s was not passed on: %d are waiting already", q.name, report.Visible(server), mostQueued)
		return
	}
	q.queued++
	q.count++
	d := delivery{id: q.run + "-" + strconv.Itoa(q.count), server: server, sequence: q.sequence[server], event: event}
	waiting, served := q.waiting[server]
	q.waiting[server] = append(waiting, d)
	if !served {
		q.ending.Go(func() { q.serve(server) })
	}
}

// serve passes the changes of a server on until there are none left.
func (q *queue) serve(server string) {
	for {
		next, ok := q.next(server)
		if !ok {
			return
		}
		q.places <- struct{}{}
		err := q.send(q.ctx, next)
		<-q.places
		if err != nil {
			q.note("%v", err)
		}
	}
}

func (q *queue) next(server string) (delivery, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := q.waiting[server]
	if len(waiting) == 0 {
		delete(q.waiting, server)
		return delivery{}, false
	}
	q.queued--
	q.waiting[server] = waiting[1:]
	return waiting[0], true
}

// finish waits for all that was handed over, within its time; what is left then is given up.
func (q *queue) finish() {
	late := time.AfterFunc(finishTime, func() {
		q.mu.Lock()
		left := q.queued
		q.waiting, q.queued = map[string][]delivery{}, 0
		q.mu.Unlock()
		q.note("%s: not done %s after the end: %d further changes were not passed on", q.name, finishTime, left)
		q.cancel()
	})
	defer late.Stop()
	q.ending.Wait()
	q.cancel()
}

// command runs a command line of the system's shell with the event on its standard input.
func command(p host.Process, line string) func(context.Context, delivery) error {
	return func(ctx context.Context, d delivery) error {
		said := process.Tail{Limit: shownOfOutput}
		environ := append(p.Environ[:len(p.Environ):len(p.Environ)], "MCPCTL_DELIVERY="+d.id, "MCPCTL_SEQUENCE="+strconv.Itoa(d.sequence))
		command := process.ShellCommand{Line: line, Env: environ, Stdin: d.event, Limit: commandTime}
		if err := command.Run(ctx, &said, &said); err != nil {
			return fmt.Errorf("running --exec: %w%s", err, process.Quoted(said.String()))
		}
		return nil
	}
}

// Webhook is where changes are posted.
type Webhook struct {
	URL    string // empty = nowhere
	Secret string // signs posts; empty = they are not signed
}

func (w Webhook) check() error {
	if w.URL != "" && !strings.HasPrefix(w.URL, "http://") && !strings.HasPrefix(w.URL, "https://") {
		return exit.Usagef("--webhook is a URL that begins with http:// or https://")
	}
	return nil
}

// sender posts an event, three times at most.
func (w Webhook) sender(p host.Process) func(context.Context, delivery) error {
	client := &http.Client{Timeout: postTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, d delivery) error {
		once := func() (struct{}, error) { return struct{}{}, w.post(ctx, client, p.Version, d) }
		if _, err := backoff.Retry(ctx, once, backoff.WithMaxTries(postAttempts)); err != nil {
			return fmt.Errorf("posting to --webhook: %w", err)
		}
		return nil
	}
}

func (w Webhook) post(ctx context.Context, client *http.Client, version string, d delivery) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(d.event))
	if err != nil {
		return backoff.Permanent(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "mcpctl/"+version)
	request.Header.Set("X-Mcpctl-Delivery", d.id)
	request.Header.Set("X-Mcpctl-Sequence", strconv.Itoa(d.sequence))
	if w.Secret != "" {
		request.Header.Set("X-Mcpctl-Signature-256", "sha256="+signature(w.Secret, d.event))
	}
	reply, err := client.Do(request)
	if where, ok := err.(*url.Error); ok {
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
