package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// remarks are what a follower notes.
type remarks struct {
	mu  sync.Mutex
	all []string
}

func (r *remarks) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, fmt.Sprintf(format, args...))
}

// following passes the changes of a journal on to a test, and counts those that are dropped.
func following(t *testing.T, j *journal.Journal, send func(context.Context, journal.Entry) error) (f *follower, noted *remarks, dropped map[string]int) {
	noted, dropped = &remarks{}, map[string]int{}
	return follow(t.Context(), "--test", j, noted.note, func(_, server string, n int) { dropped[server] += n }, send), noted, dropped
}

// change adds a change of a server.
func change(j *journal.Journal, server string) {
	j.Add(server, "changed", true, nil, func(journal.Place) []byte { return []byte("{}") })
}

// TestDeadOutputStarvesNobody: one output that never ends takes nothing from another.
func TestDeadOutputStarvesNobody(t *testing.T) {
	const changes = 145
	synctest.Test(t, func(t *testing.T) {
		j := journal.New()
		dead, _, _ := following(t, j, func(ctx context.Context, _ journal.Entry) error {
			<-ctx.Done()
			return ctx.Err()
		})
		var passed sync.WaitGroup
		passed.Add(changes)
		quick, noted, _ := following(t, j, func(context.Context, journal.Entry) error {
			passed.Done()
			return nil
		})
		for i := range changes {
			change(j, fmt.Sprint("server", i%7))
		}
		passed.Wait()
		quick.finish()
		if began := time.Now(); len(noted.all) > 0 {
			t.Errorf("noted %q", noted.all)
		} else if dead.finish(); time.Since(began) > finishTime {
			t.Errorf("the end took %v", time.Since(began))
		}
	})
}

// TestOutputsEndAtOnce: two slow ones have the time at the end together, not one after the other.
func TestOutputsEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := journal.New()
		slow := func(context.Context, journal.Entry) error {
			time.Sleep(8 * time.Second)
			return nil
		}
		one, _, _ := following(t, j, slow)
		slower, _, _ := following(t, j, func(ctx context.Context, e journal.Entry) error { return errors.Join(slow(ctx, e), slow(ctx, e)) })
		for range 20 {
			change(j, "s")
		}
		began := time.Now()
		finish([]*follower{one, slower})
		if took := time.Since(began); took > finishTime+16*time.Second {
			t.Errorf("the end took %v", took)
		}
	})
}

// TestInOrderForEachServer: changes of a server are passed on one after the other, those of another one meanwhile.
func TestInOrderForEachServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []string
		hold := make(chan struct{})
		j := journal.New()
		f, _, _ := following(t, j, func(_ context.Context, e journal.Entry) error {
			if e.Server == "slow" {
				<-hold
			}
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprintf("%s %d %s", e.Server, e.Change, e.ID[len(e.ID)-1:]))
			return nil
		})
		for _, server := range []string{"slow", "slow", "other", "slow"} {
			change(j, server)
		}
		synctest.Wait()
		close(hold)
		f.finish()
		if diff := cmp.Diff([]string{"other 1 3", "slow 1 1", "slow 2 2", "slow 3 4"}, got); diff != "" {
			t.Errorf("passed on (-want +got):\n%s", diff)
		}
	})
}

// TestOutage is over after hours: what the journal still has is passed on in order, what it has not is told, by server.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		down, got := true, map[string][]int{}
		j := journal.Bounded(4, journal.KeptBytes)
		f, noted, dropped := following(t, j, func(_ context.Context, e journal.Entry) error {
			mu.Lock()
			defer mu.Unlock()
			if down {
				return temporaryError{errors.New("nobody there"), 0}
			}
			got[e.Server] = append(got[e.Server], e.Change)
			return nil
		})
		for range 5 {
			change(j, "a")
			change(j, "b")
			time.Sleep(time.Hour)
		}
		mu.Lock()
		down = false
		mu.Unlock()
		time.Sleep(2 * longestPause)
		f.finish()
		if diff := cmp.Diff(map[string][]int{"a": {4, 5}, "b": {4, 5}}, got); diff != "" {
			t.Errorf("passed on (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"a": 3, "b": 3}, dropped); diff != "" {
			t.Errorf("dropped (-want +got):\n%s", diff)
		}
		if all := strings.Join(noted.all, "\n"); strings.Count(all, "nobody there") != 1 || strings.Count(all, "works again") != 1 || !strings.Contains(all, "--test: not passed on: 3 of the changes of a: ") {
			t.Errorf("noted:\n%s", all)
		}
	})
}

// TestNothingOfOneServerBlocksAnother: a post that is never taken holds up its own server alone, also at the end.
func TestNothingOfOneServerBlocksAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		taken := 0
		j := journal.New()
		f, noted, dropped := following(t, j, func(_ context.Context, e journal.Entry) error {
			if strings.HasPrefix(e.Server, "poison") {
				return temporaryError{errors.New("HTTP 500"), 0}
			}
			mu.Lock()
			defer mu.Unlock()
			taken++
			return nil
		})
		for i := range 2 * atOnce {
			change(j, fmt.Sprint("poison", i))
		}
		change(j, "poison0")
		time.Sleep(time.Hour)
		change(j, "well")
		f.finish()
		if taken != 1 || len(dropped) != 2*atOnce || dropped["poison0"] != 2 {
			t.Errorf("%d taken, dropped %v, noted %q", taken, dropped, noted.all)
		}
	})
}

// TestPostsCarryTheirPlace: what is posted again is the same delivery, and receivers can tell the order.
func TestPostsCarryTheirPlace(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header.Get("X-Mcpctl-Delivery")+" "+r.Header.Get("X-Mcpctl-Sequence"))
		switch len(got) {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer server.Close()
	j := journal.New()
	all := Options{Post: Webhook{URL: server.URL}}.followers(t.Context(), host.Process{Quiet: true}, j, func(string, string, int) {})
	change(j, "s")
	change(j, "s")
	change(j, "s")
	all[0].finish()
	if len(got) != 4 || got[0] != got[1] || !strings.HasSuffix(got[0], "-1 1") || !strings.HasSuffix(got[2], "-2 2") || !strings.HasSuffix(got[3], "-3 3") {
		t.Errorf("posted %q", got)
	}
}

// TestReceiverSetsThePace: one that asks to wait is not posted to before, for a minute at most.
func TestReceiverSetsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := []time.Duration{20 * time.Second, 0, time.Hour}
		var tried []time.Time
		j := journal.New()
		f, _, _ := following(t, j, func(context.Context, journal.Entry) error {
			if tried = append(tried, time.Now()); len(tried) > len(asked) {
				return nil
			}
			return temporaryError{errors.New("busy"), asked[len(tried)-1]}
		})
		change(j, "s")
		time.Sleep(5 * time.Minute)
		f.finish()
		if len(tried) != 4 || tried[1].Sub(tried[0]) != asked[0] || tried[2].Sub(tried[1]) > 2*time.Second || tried[3].Sub(tried[2]) != longestPause {
			t.Errorf("tried at %v", tried)
		}
	})
}

// TestRetryAfter of a receiver is what the next try waits for.
func TestRetryAfter(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		}))
		err := Webhook{URL: server.URL}.sender(host.Process{})(t.Context(), journal.Entry{})
		if again, ok := errors.AsType[temporaryError](err); !ok || again.wait != 7*time.Second {
			t.Errorf("%d: %v, wait %v", status, err, again.wait)
		}
		server.Close()
	}
}

// TestRefusedChangeIsCounted with those that an output did not pass on.
func TestRefusedChangeIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := journal.New()
		f, noted, dropped := following(t, j, func(context.Context, journal.Entry) error { return errors.New("HTTP 410 Gone") })
		change(j, "s")
		f.finish()
		if dropped["s"] != 1 || len(noted.all) != 1 {
			t.Errorf("dropped %v, noted %q", dropped, noted.all)
		}
	})
}

// TestPostsShareConnections: as many as are posted at once, and not one for each.
func TestPostsShareConnections(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	j := journal.New()
	all := Options{Post: Webhook{URL: server.URL}}.followers(t.Context(), host.Process{Quiet: true}, j, func(string, string, int) {})
	for i := range 40 {
		change(j, fmt.Sprint(i))
	}
	all[0].finish()
	if n := opened.Load(); n > atOnce {
		t.Errorf("%d connections", n)
	}
}

// TestChatFormats hold all that changed, in texts in which nothing that a server sent is a link, a mention or markup.
func TestChatFormats(t *testing.T) {
	removed := finding.Finding{Rule: "tool-removed", Level: finding.Breaking, Server: "s", Item: "tool/<!channel>```[x](http://evil)\x1b", Message: "It is gone & <https://evil|here>."}
	event := report.Event{Event: "changed", Server: "<@U1>", Cause: "poll", Findings: report.Findings{removed}}
	e := journal.Entry{Place: journal.Place{ID: "R-1"}, Server: event.Server, Kind: "changed", Line: eventLine(event, journal.Place{ID: "R-1"})}
	slack := body(t, Webhook{Format: "slack"}, e)["text"].(string)
	if strings.ContainsAny(slack, "<>\x1b") || strings.Count(slack, "`") != 6 || !strings.HasPrefix(slack, "&lt;@U1&gt; changed: 1 breaking, 0 warning, 0 info\n```\n") {
		t.Errorf("slack: %q", slack)
	}
	var runs []string
	card := body(t, Webhook{Format: "teams"}, e)["attachments"].([]any)[0].(map[string]any)["content"].(map[string]any)
	for _, block := range card["body"].([]any) {
		if block.(map[string]any)["type"] != "RichTextBlock" {
			t.Errorf("a block that knows Markdown: %v", block)
		}
		runs = append(runs, block.(map[string]any)["inlines"].([]any)[0].(map[string]any)["text"].(string))
	}
	if len(runs) != 2 || !strings.Contains(runs[1], "tool-removed") || strings.Contains(runs[1], "\x1b") {
		t.Errorf("teams: %q", runs)
	}
	for range 500 {
		event.Findings = append(event.Findings, removed)
		removed.Item += "x"
	}
	e.Line = eventLine(event, e.Place)
	if long := body(t, Webhook{Format: "slack"}, e)["text"].(string); len(long) > 2*chatBytes || !strings.Contains(long, " more lines: the event R-1 has them\n```") {
		t.Errorf("%d bytes, ending in %q", len(long), long[len(long)-80:])
	}
}

func body(t *testing.T, w Webhook, e journal.Entry) map[string]any {
	t.Helper()
	raw, err := w.body(e)
	if err != nil {
		t.Fatal(err)
	}
	value, err := rawjson.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return value.(map[string]any)
}

// TestWebhookThatCannotBe is told before anything is watched, without the URL, which may hold a secret.
func TestWebhookThatCannotBe(t *testing.T) {
	for _, address := range []string{"http://", "https://?key=s3cr3t", "http://[::1/s3cr3t", "http://host:port/s3cr3t", "http://a b/s3cr3t"} {
		err := Webhook{URL: address}.check()
		if err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
