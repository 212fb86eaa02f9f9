package monitor

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestPageLoadsNothing but what is in it, and may ask nobody but us; it names no server, for it needs no token.
func TestPageLoadsNothing(t *testing.T) {
	m := monitorOf(Options{Token: "t0ken"}, five()...)
	response, body := ask(t, m.Handler(), "GET", "/", "")
	policy := response.Header.Get("Content-Security-Policy")
	if response.StatusCode != 200 || strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || !strings.Contains(policy, "connect-src 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("%s, policy %s", response.Status, policy)
	}
	if strings.Contains(body, "SCRIPT") || strings.Contains(body, "trouble\"") && strings.Contains(body, odd) || strings.Contains(strings.ReplaceAll(body, "http://www.w3.org/2000/svg", ""), "http") {
		t.Errorf("the page: %s", body)
	}
}

// TestChangesAreStories of one server, the newest first, in text that hides nothing.
func TestChangesAreStories(t *testing.T) {
	m := monitorOf(Options{}, five()...)
	hidden := change(odd)
	hidden.Findings = report.Findings{{Rule: "tool-added", Level: finding.Info, Server: odd, Item: "tool/\u202ex\x1b", Message: "It is new."}}
	tell(m, hidden)
	tell(m, change("trouble"))
	_, body := ask(t, m.Handler(), "GET", "/v1/servers/"+url.PathEscape(odd)+"/changes", "")
	var got changed
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, c := range got.Changes {
		words = append(words, c.Level)
	}
	if diff := cmp.Diff([]string{"info", "breaking"}, words); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text := got.Changes[0].Text; strings.ContainsAny(text, "\u202e\x1b") || !strings.Contains(text, "tool-added") || strings.Contains(text, "tool-removed") {
		t.Errorf("%q", text)
	}
}

// TestPastIsRecent: readings and hours that are long over are forgotten.
func TestPastIsRecent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{})
		for i := range 2 * shownReadings {
			m.Attempt("s", watch.Attempt{Cause: watch.Poll, Outcome: watch.Same, Took: time.Duration(i) * time.Millisecond})
		}
		m.Attempt("s", watch.Attempt{Cause: watch.Poll, Outcome: watch.Failure, Took: time.Hour})
		m.Count(change("s"))
		time.Sleep(2 * time.Hour)
		m.Count(change("s"))
		m.Count(change("s"))
		readings, hours := m.past.tell("s")
		if len(readings) != shownReadings || readings[0] != shownReadings || hours[shownHours-3] != 1 || hours[shownHours-1] != 2 {
			t.Errorf("readings %v, changes %v", readings, hours)
		}
		time.Sleep(30 * time.Hour)
		if _, hours := m.past.tell("s"); len(hours) != shownHours || hours[0]+hours[shownHours-1] != 0 {
			t.Errorf("after a day: %v", hours)
		}
	})
}
