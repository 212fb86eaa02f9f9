package watchrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// receiver is an output of a test.
type receiver struct {
	mu     sync.Mutex
	got    []string // "server items" of each change, "server stale" and the like, and what is special about it
	notes  bytes.Buffer
	answer func(try int) error // nil = success
	tries  []time.Duration     // since the beginning
	began  time.Time
	takes  time.Duration
}

func (r *receiver) send(ctx context.Context, kind string, line []byte) error {
	r.mu.Lock()
	r.tries = append(r.tries, time.Since(r.began))
	n := len(r.tries)
	r.mu.Unlock()
	select {
	case <-time.After(r.takes):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answer != nil {
		if err := r.answer(n); err != nil {
			return err
		}
	}
	var e WatchEvent
	if err := json.Unmarshal(line, &e); err != nil || e.Event != kind {
		return fmt.Errorf("%v, or %q is not %q", err, e.Event, kind)
	}
	text := e.Server
	if kind != "changed" {
		text += " " + kind
	}
	for _, f := range e.Findings {
		text += " " + map[string]string{"tool-added": "+", "tool-removed": "-"}[f.Rule] + strings.TrimPrefix(f.Item, "tool/")
	}
	if e.Dropped > 0 {
		text += fmt.Sprint(" dropped:", e.Dropped)
	}
	if e.Repeated {
		text += " repeated"
	}
	r.got = append(r.got, text)
	return nil
}

// queue returns a queue for the receiver.
func (r *receiver) queue(t *testing.T, state *stateFolder) *outputQueue {
	return newOutputQueue(t.Context(), "--exec", "x", host.Process{Err: &r.notes}, state, r.send)
}

// received returns what arrived until now.
func (r *receiver) received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// feed is the servers whose changes go to a queue.
type feed struct {
	*testing.T
	*outputQueue
	receiver *receiver
	present  map[string]*snapshot.Snapshot
}

// queued runs a test with a queue for r in a bubble. Servers a and b offer the tool "0" at first.
func queued(t *testing.T, r *receiver, state *stateFolder, test func(feed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r.began = time.Now()
		f := feed{t, r.queue(t, state), r, map[string]*snapshot.Snapshot{}}
		for _, server := range []string{"a", "b"} {
			f.start(server, offering("0"))
		}
		test(f)
		f.cancel()
		<-f.ended
	})
}

// start begins to watch a server of which a surface is known, and which offers that.
func (f feed) start(server string, last *snapshot.Snapshot) {
	f.present[server] = last
	f.begin(server, last, last, compared)
	f.take(WatchEvent{Event: "state", Server: server, State: "live"}, last)
}

// compared names the tools that only one of two surfaces has.
func compared(_ context.Context, old, new *snapshot.Snapshot) (found []finding.Finding, _ error) {
	for _, item := range old.Tools.Items() {
		if new.Tools.Absent(item.Key) {
			found = append(found, finding.Finding{Rule: "tool-removed", Item: "tool/" + item.Key})
		}
	}
	for _, item := range new.Tools.Items() {
		if old.Tools.Absent(item.Key) {
			found = append(found, finding.Finding{Rule: "tool-added", Item: "tool/" + item.Key})
		}
	}
	return found, nil
}

// offers changes what a server offers.
func (f feed) offers(server string, tools ...string) {
	to := offering(tools...)
	found, _ := compared(context.Background(), f.present[server], to)
	f.present[server] = to
	f.take(WatchEvent{Event: "changed", Server: server, State: "live", Findings: found}, to)
	f.settled(server, to)
}

func (f feed) says(server, kind string) { f.take(WatchEvent{Event: kind, Server: server}, nil) }

// want compares what arrived.
func (f feed) want(what string, want ...string) {
	f.Helper()
	if diff := cmp.Diff(want, f.receiver.received()); diff != "" {
		f.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// ends ends the queue and returns how long that took and what it said.
func (f feed) ends(limit time.Duration, stop <-chan struct{}) (time.Duration, string) {
	began := time.Now()
	finish(host.Process{Err: &f.receiver.notes}, []*outputQueue{f.outputQueue}, limit, stop, "a second signal ends it")
	return time.Since(began), f.receiver.notes.String()
}

// TestQueueKeepsTheOrder of each server, and adding never waits for the receiver.
func TestQueueKeepsTheOrder(t *testing.T) {
	queued(t, &receiver{takes: time.Second}, nil, func(f feed) {
		began := time.Now()
		for n := range 3 {
			f.offers("a", fmt.Sprint(n+1))
			f.says("b", []string{"stale", "recovered", "stale"}[n])
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("adding took %v", took)
		}
		time.Sleep(time.Minute)
		f.want("events", "a -0 +1", "b stale", "a -1 +2", "b recovered", "a -2 +3", "b stale")
	})
}

// TestFullQueueMergesTheChanges of a server into one that says so. What is under way arrives as it is, and another server's
// changes as well.
func TestFullQueueMergesTheChanges(t *testing.T) {
	queued(t, &receiver{takes: 100 * time.Millisecond}, nil, func(f feed) {
		f.offers("a", "1")
		synctest.Wait() // it is being delivered
		f.offers("b", "1")
		f.says("a", "stale")
		f.says("a", "recovered")
		for n := range maxQueued {
			f.offers("a", fmt.Sprint(n+2))
		}
		f.says("a", "stale")
		f.offers("a", "last")
		f.mu.Lock()
		changes, outages, _ := f.left()
		f.mu.Unlock()
		if changes != maxQueued+3 || outages != 2 {
			t.Errorf("%d changes and %d outages are left", changes, outages)
		}
		time.Sleep(time.Minute)
		f.want("events", "a -0 +1", "b -0 +1", "a recovered", "a -1 +last repeated", "a stale")
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.waiting) > 0 || f.bytes != 0 || f.lags["a"].pending != 0 {
			t.Errorf("left: %d events of %d bytes, %+v", len(f.waiting), f.bytes, f.lags["a"])
		}
	})
}

// TestUnreachableOutput is tried for as long as it takes, with pauses that double up to a minute, and noted once.
func TestUnreachableOutput(t *testing.T) {
	down := markedError{errors.New("connection refused"), errUnreachable}
	r := &receiver{answer: func(n int) error {
		if n <= 9 {
			return down
		}
		return nil
	}}
	queued(t, r, nil, func(f feed) {
		f.offers("a", "1")
		f.offers("a", "2")
		time.Sleep(time.Hour)
		f.want("events", "a -0 +1", "a -1 +2")
		var tries []float64
		for _, at := range r.tries {
			tries = append(tries, at.Seconds())
		}
		if diff := cmp.Diff([]float64{0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 243}, tries); diff != "" {
			t.Errorf("tries (-want +got):\n%s", diff)
		}
		if got := r.notes.String(); got != "mcpctl: --exec cannot be reached, and is tried again: connection refused\n" {
			t.Errorf("noted %q", got)
		}
	})
}

// TestEndIsTriedAtOnce: an output may be there again since the last attempt, and the next one would come too late.
func TestEndIsTriedAtOnce(t *testing.T) {
	down := markedError{errors.New("connection refused"), errUnreachable}
	for name, c := range map[string]struct {
		until time.Duration // it is down
		took  time.Duration
		want  []string
	}{
		"there again":            {time.Minute, 0, []string{"a -0 +1", "a -1 +2"}},
		"a moment later":         {2*time.Minute + 2*time.Second, 3 * time.Second, []string{"a -0 +1", "a -1 +2"}},
		"not in the time it has": {time.Hour, 8 * time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := &receiver{}
			r.answer = func(int) error {
				if time.Since(r.began) < c.until {
					return down
				}
				return nil
			}
			queued(t, r, nil, func(f feed) {
				f.offers("a", "1")
				f.offers("a", "2")
				time.Sleep(time.Until(r.began.Add(90 * time.Second))) // the pause is from 63 s to 123 s
				if name != "there again" {
					time.Sleep(30 * time.Second) // 120 s
				}
				took, _ := f.ends(8*time.Second, nil)
				f.want("events", c.want...)
				if took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
			})
		})
	}
}

// TestRefusals are final: at once, or the third failure of what was reached. They are noted and counted.
func TestRefusals(t *testing.T) {
	refused := markedError{errors.New("HTTP 410 Gone"), errRefused}
	for name, c := range map[string]struct {
		answer func(int) error
		tries  int
		got    []string
		notes  string
	}{
		"refused": {func(n int) error { return []error{refused, nil}[min(n-1, 1)] }, 2, []string{"a -1 +2 dropped:1"},
			"mcpctl: --exec: a change of a was not delivered: HTTP 410 Gone\nmcpctl: --exec: 1 change was refused\n"},
		"failed": {func(n int) error { return []error{io.EOF, io.EOF, io.EOF, nil}[min(n-1, 3)] }, 4, []string{"a -1 +2 dropped:1"},
			"mcpctl: --exec: a change of a was not delivered: EOF\nmcpctl: --exec: 1 change was refused\n"},
		"failed twice": {func(n int) error { return []error{io.EOF, io.EOF, nil}[min(n-1, 2)] }, 4, []string{"a -0 +1", "a -1 +2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			queued(t, &receiver{answer: c.answer}, nil, func(f feed) {
				f.offers("a", "1")
				f.offers("a", "2")
				time.Sleep(time.Minute)
				f.want("events", c.got...)
				_, notes := f.ends(time.Second, nil)
				if diff := cmp.Diff(c.notes, notes); diff != "" || len(f.receiver.tries) != c.tries {
					t.Errorf("%d tries, notes (-want +got):\n%s", len(f.receiver.tries), diff)
				}
			})
		})
	}
}

// TestOutputsEndInTime has receivers of every kind; the line about it says what is waited for, and the last one what is lost.
func TestOutputsEndInTime(t *testing.T) {
	waits := "mcpctl: waiting up to 8s for --exec to take 3 events; a second signal ends it\n"
	lost := "mcpctl: --exec: 2 changes were lost, not delivered before the end; --state DIR keeps what is not delivered\n" +
		"mcpctl: --exec: 1 stale or recovered event was not delivered\n"
	for name, c := range map[string]struct {
		takes, second, took time.Duration
		says                string
	}{
		"quick":           {0, 0, 0, ""},
		"slow":            {2 * time.Second, 0, 6 * time.Second, waits},
		"hangs":           {time.Hour, 0, 8 * time.Second, waits + lost},
		"a second signal": {time.Hour, 3 * time.Second, 3 * time.Second, waits + lost},
	} {
		t.Run(name, func(t *testing.T) {
			queued(t, &receiver{takes: c.takes}, nil, func(f feed) {
				f.offers("a", "1")
				f.offers("a", "2")
				f.says("b", "stale")
				stop := make(chan struct{})
				if c.second > 0 {
					time.AfterFunc(c.second, func() { close(stop) })
				}
				took, says := f.ends(8*time.Second, stop)
				if diff := cmp.Diff(c.says, says); diff != "" || took != c.took {
					t.Errorf("took %v (-want +got):\n%s", took, diff)
				}
			})
		})
	}
}

// TestOutputsDoNotDelayEachOther while they deliver, nor when they end.
func TestOutputsDoNotDelayEachOther(t *testing.T) {
	queued(t, &receiver{takes: time.Hour}, nil, func(slow feed) {
		r := &receiver{began: time.Now()}
		fast := feed{slow.T, r.queue(slow.T, nil), r, map[string]*snapshot.Snapshot{}}
		fast.start("a", offering("0"))
		slow.offers("a", "1")
		fast.offers("a", "1")
		synctest.Wait()
		fast.want("at once", "a -0 +1")
		finish(host.Process{Err: &r.notes}, []*outputQueue{slow.outputQueue, fast.outputQueue}, time.Second, nil, "")
	})
}

// TestNextRunDelivers what the last one did not, as one change from what the output confirmed, whenever the last one was
// killed, and whether the server moved on or back meanwhile. An event that may have arrived counts as if it had, too, and so does
// one that arrived before the state directory had its surface.
func TestNextRunDelivers(t *testing.T) {
	hangs := func() *receiver { return &receiver{takes: time.Hour} }
	for name, c := range map[string]struct {
		first *receiver
		did   func(feed)
		kept  []string // what a run knows that begins then
		now   []string // what the server offers then
		want  []string
	}{
		"nothing":   {&receiver{}, func(f feed) { f.offers("a", "1") }, []string{"1"}, []string{"1"}, nil},
		"under way": {hangs(), func(f feed) { f.offers("a", "1") }, []string{"1"}, []string{"1"}, []string{"a -0 +1 repeated"}},
		"and not kept yet": {hangs(), func(f feed) { f.offers("a", "1") }, []string{"0"}, []string{"1"},
			[]string{"a -0 +1 repeated"}},
		"several": {hangs(), func(f feed) { f.offers("a", "1"); f.offers("a", "2"); f.offers("a", "2", "3") }, []string{"2", "3"},
			[]string{"2", "3"}, []string{"a -0 -1 +2 +3 repeated"}},
		"moved on": {hangs(), func(f feed) { f.offers("a", "0", "1") }, []string{"0", "1"}, []string{"0", "1", "2"},
			[]string{"a +1 +2 repeated"}},
		"moved back": {hangs(), func(f feed) { f.offers("a", "0", "1") }, []string{"0", "1"}, []string{"0"},
			[]string{"a -1 repeated"}},
		"partly confirmed": {&receiver{takes: time.Second}, func(f feed) {
			f.offers("a", "0", "1")
			f.offers("a", "0", "1", "2")
			f.offers("a", "0", "1", "2", "3")
			time.Sleep(1500 * time.Millisecond)
		}, []string{"0", "1", "2", "3"}, []string{"0", "1", "2", "3"}, []string{"a +2 +3 repeated"}},
		"confirmed and not kept yet": {&receiver{}, func(f feed) { f.offers("a", "1") }, []string{"0"}, []string{"1"}, nil},
		"confirmed, not kept yet and moved back": {&receiver{}, func(f feed) { f.offers("a", "1") }, []string{"0"}, []string{"0"},
			[]string{"a +0 -1 repeated"}},
		"an outage alone": {hangs(), func(f feed) { f.says("a", "stale") }, []string{"0"}, []string{"0"}, nil},
		"refused": {&receiver{answer: func(int) error { return errRefused }}, func(f feed) { f.offers("a", "1") }, []string{"1"},
			[]string{"1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			state := &stateFolder{path: dir}
			queued(t, c.first, state, func(f feed) {
				c.did(f)
				synctest.Wait()
				f.saved("a", offering(c.kept...))
			})
			r := &receiver{}
			synctest.Test(t, func(t *testing.T) {
				f := feed{t, r.queue(t, state), r, map[string]*snapshot.Snapshot{}}
				last, now := offering(c.kept...), offering(c.now...)
				f.begin("a", last, last, compared)
				f.take(WatchEvent{Event: "state", Server: "a", State: "connecting"}, last)
				f.take(WatchEvent{Event: "state", Server: "a", State: "live"}, now)
				if !slices.Equal(c.kept, c.now) { // what standard output gets
					found, _ := compared(context.Background(), last, now)
					f.take(WatchEvent{Event: "changed", Server: "a", State: "live", Findings: found}, now)
				}
				f.settled("a", now)
				f.saved("a", now)
				synctest.Wait()
				f.want("events of the next run", c.want...)
				if took, notes := f.ends(time.Second, nil); took > 0 || notes != "" {
					t.Errorf("it ended after %v: %s", took, notes)
				}
			})
			if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
				t.Errorf("files are left: %q", left)
			}
		})
	}
}

// TestLagIsPrivate: its file is the user's alone, is no snapshot to others, and the value of the flag is not in its name.
func TestLagIsPrivate(t *testing.T) {
	dir := t.TempDir()
	queued(t, &receiver{takes: time.Hour}, &stateFolder{path: dir}, func(f feed) {
		f.offers("a", "1")
		_, notes := f.ends(time.Second, nil)
		if !strings.HasSuffix(notes, "--exec: the next run with this --state delivers the changes of a\n") {
			t.Errorf("noted %q", notes)
		}
	})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || !isLagFile(entries[0].Name()) || filepath.Ext(entries[0].Name()) == ".json" {
		t.Fatalf("%v, files %v", err, entries)
	}
	if info, err := entries[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
}

// TestWebhookAnswers says which answers another try may change.
func TestWebhookAnswers(t *testing.T) {
	for status, again := range map[int]bool{200: false, 204: false, 302: false, 400: false, 404: false, 408: true, 410: false, 429: true,
		503: true} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if string(body) != "{}\n" || r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%q as %s", body, r.Header.Get("Content-Type"))
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		err := webhookOutput(host.Process{}, site.URL+"/?key=hidden", "")(t.Context(), "changed", []byte("{}\n"))
		site.Close()
		if (err == nil) != slices.Contains([]int{200, 204}, status) || err != nil && errors.Is(err, errUnreachable) != again {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestWebhookSignature is the one that GitHub documents (validating webhook deliveries), and there is none without a secret.
func TestWebhookSignature(t *testing.T) {
	if got := signature("It's a Secret to Everybody", []byte("Hello, World!")); got !=
		"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" {
		t.Error(got)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"", "s3cret", "file:" + file} {
		var got []string
		site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header["X-Hub-Signature-256"] }))
		p := host.Process{Environ: []string{"MCPCTL_WEBHOOK_SECRET=" + secret}}
		value, err := webhookSecret(p)
		if err != nil || webhookOutput(p, site.URL, value)(t.Context(), "changed", []byte("{}")) != nil {
			t.Error(err)
		}
		site.Close()
		if want := []string{signature("s3cret", []byte("{}"))}; secret == "" && got != nil || secret != "" && !slices.Equal(got, want) {
			t.Errorf("secret %q: %q", secret, got)
		}
	}
	p := host.Process{Environ: []string{"MCPCTL_WEBHOOK_SECRET=file:" + file + "x"}}
	if _, err := webhookSecret(p); err == nil || !strings.HasPrefix(err.Error(), "MCPCTL_WEBHOOK_SECRET: open ") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestQueueOutlivesKills kills a queue at random moments, while surfaces come faster than its output takes them, the output hears
// of changes without saying so, and the state directory lags behind: who follows the events knows the surface in the end.
func TestQueueOutlivesKills(t *testing.T) {
	for seed := range uint64(100) {
		random, hearing := rand.New(rand.NewPCG(seed, 46)), rand.New(rand.NewPCG(seed, 47)) // of the run, and of its output
		dir, known := t.TempDir(), map[string]bool{"0": true}
		state := &stateFolder{path: dir}
		kept, now := offering("0"), offering("0")
		var story []string
		var writing sync.Mutex
		tell := func(line string) {
			writing.Lock()
			defer writing.Unlock()
			story = append(story, line)
		}
		run := func(t *testing.T, changes int, hears func() (heard bool, err error)) {
			r := &receiver{began: time.Now()}
			send := func(ctx context.Context, _ string, line []byte) error {
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
					return context.Cause(ctx)
				}
				heard, err := hears()
				if heard {
					for _, f := range eventOf(t, line).Findings {
						known[strings.TrimPrefix(f.Item, "tool/")] = f.Rule == "tool-added"
					}
				}
				tell(fmt.Sprintf("heard %v, confirmed %v: %s", heard, err == nil, itemsOf(eventOf(t, line))))
				return err
			}
			q := newOutputQueue(t.Context(), "--exec", "x", host.Process{Err: &r.notes}, state, send)
			f := feed{t, q, r, map[string]*snapshot.Snapshot{}}
			tell("a run begins with " + toolsOf(kept) + " and finds " + toolsOf(now))
			f.begin("a", kept, kept, compared)
			f.take(WatchEvent{Event: "state", Server: "a", State: "live"}, now)
			move := func(from *snapshot.Snapshot) {
				found, _ := compared(t.Context(), from, now)
				f.take(WatchEvent{Event: "changed", Server: "a", State: "live", Findings: found}, now)
			}
			if toolsOf(kept) != toolsOf(now) {
				move(kept)
			}
			keep := func() {
				if changes == 0 || random.IntN(3) > 0 { // else a list failed, or standard output is slow
					f.settled("a", now)
					f.saved("a", now)
					kept = now
				}
			}
			keep()
			for range changes {
				time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
				before := now
				if now = randomSurface(random); toolsOf(now) != toolsOf(before) {
					tell("now " + toolsOf(now))
					move(before)
					keep()
				}
			}
			time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
			if changes == 0 {
				time.Sleep(time.Hour)
			}
			f.cancel()
			<-f.ended
		}
		for range 4 {
			synctest.Test(t, func(t *testing.T) {
				run(t, 1+random.IntN(5), func() (bool, error) {
					heard := hearing.IntN(3) > 0
					if heard && hearing.IntN(2) == 0 {
						return true, nil
					}
					return heard, markedError{io.EOF, errUnreachable}
				})
			})
			now = randomSurface(random)
		}
		synctest.Test(t, func(t *testing.T) { run(t, 0, func() (bool, error) { return true, nil }) })
		var knows []string
		for tool, there := range known {
			if there {
				knows = append(knows, tool)
			}
		}
		slices.Sort(knows)
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		if got := fmt.Sprint(knows); got != toolsOf(now) || len(left) > 0 {
			t.Fatalf("seed %d: the output knows %s of %s; files %q:\n%s", seed, got, toolsOf(now), left, strings.Join(story, "\n"))
		}
	}
}

func randomSurface(random *rand.Rand) *snapshot.Snapshot {
	var tools []string
	for n := range 3 {
		if random.IntN(2) == 0 {
			tools = append(tools, fmt.Sprint(n))
		}
	}
	return offering(tools...)
}

func toolsOf(s *snapshot.Snapshot) string {
	var names []string
	for _, item := range s.Tools.Items() {
		names = append(names, item.Key)
	}
	return fmt.Sprint(names)
}

func eventOf(t *testing.T, line []byte) (e WatchEvent) {
	if err := json.Unmarshal(line, &e); err != nil {
		t.Error(err)
	}
	return e
}

func itemsOf(e WatchEvent) (all []string) {
	for _, f := range e.Findings {
		all = append(all, f.Rule+" "+f.Item)
	}
	return all
}
