package monitor

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/mcpctl/mcpctl/pkg/watch"
)

func scrape(t *testing.T, m *Monitor) string {
	t.Helper()
	response, body := ask(t, m.Handler(), "GET", "/metrics", "")
	if response.StatusCode != 200 {
		t.Fatalf("status %d: %s", response.StatusCode, body)
	}
	return body
}

// TestMetrics holds what is scraped against what was counted and published.
func TestMetrics(t *testing.T) {
	servers := five()
	servers[0].Name = "s"
	got := scrape(t, monitorOf(Options{Version: "v1.2.3"}, servers...))
	for _, want := range []string{
		`mcpctl_build_info{goversion="go1.`, `version="v1.2.3"} 1`,
		`mcpctl_server_state{server="s",state="live"} 1`, `mcpctl_server_state{server="s",state="polling"} 0`,
		`mcpctl_server_state{server="new",state="connecting"} 1`, `mcpctl_server_state{server="off",state="disabled"} 1`,
		`mcpctl_server_up{server="s"} 1`, `mcpctl_server_up{server="trouble"} 0`,
		`mcpctl_notifications_total{server="s"} 5`, `mcpctl_reconnects_total{server="s"} 2`, `mcpctl_reconnects_total{server="new"} 0`,
		`mcpctl_surface_items{kind="tool",server="s"} 2`, fmt.Sprintf(`mcpctl_surface_bytes{server="s"} %d`, len(`{"name":"one","inputSchema":{"type":"object","maximum":1.0e2}}`)+len(`{"name":"two","inputSchema":{"type":"object"}}`)),
		`mcpctl_connects_total{outcome="failed",server="s"} 1`, `mcpctl_connects_total{outcome="connected",server="s"} 1`,
		`mcpctl_refreshes_total{cause="poll",outcome="changed",server="s"} 2`,
		`mcpctl_refresh_duration_seconds_bucket{server="s",le="0.025"} 0`, `mcpctl_refresh_duration_seconds_bucket{server="s",le="0.05"} 1`,
		`mcpctl_refresh_duration_seconds_sum{server="s"} 3600.03`, `mcpctl_connect_duration_seconds_count{server="s"} 1`,
		`mcpctl_changes_total{kind="prompt",level="breaking",server="new"} 0`, `mcpctl_connects_total{outcome="failed",server="new"} 0`,
		`mcpctl_changes_total{kind="tool",level="breaking",server="s"} 1`, `mcpctl_changes_total{kind="server",level="waived",server="s"} 1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, absent := range []string{
		`mcpctl_changes_total{kind="tool",level="breaking",server="off"}`, `mcpctl_surface_items{kind="prompt"`, `mcpctl_surface_tokens{server="trouble"}`, `mcpctl_last_success_timestamp_seconds{server="new"}`,
	} {
		if strings.Contains(got, absent) {
			t.Errorf("there is %s", absent)
		}
	}
}

// TestMetricsAreWellFormed asks the parser and the linter of Prometheus, also when names are none that Prometheus takes, or the
// same; and no series is told twice.
func TestMetricsAreWellFormed(t *testing.T) {
	servers := five()
	servers[1].Name, servers[2].Name, servers[3].Name = "\xff\n", "\xfe\n", "new"
	m := monitorOf(Options{}, servers...)
	m.Attempt(servers[1].Name, watch.Attempt{Cause: watch.Start, Outcome: watch.Same})
	text := scrape(t, m)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || len(families) < 15 {
		t.Errorf("%d families, %v", len(families), err)
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	told := map[string]bool{}
	for line := range strings.Lines(text) {
		series := line[:strings.LastIndex(line, " ")]
		if told[series] && !strings.HasPrefix(line, "#") {
			t.Errorf("told twice: %s", series)
		}
		told[series] = true
	}
	if n := strings.Count(text, "\nmcpctl_server_up{"); n != 4 {
		t.Errorf("%d series, want one for each name that differs as Prometheus takes it", n)
	}
}

// TestHistogram holds the buckets against what Prometheus makes of them: each counts all that is not above its bound.
func TestHistogram(t *testing.T) {
	f := newFamily("x_seconds", histogram, "Help.", "server")
	for _, v := range []float64{.001, .005, .0051, 60, 61} {
		f.observe(v, `a"\`+"\n")
	}
	var out bytes.Buffer
	f.write(&out)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	got := families["x_seconds"].GetMetric()[0]
	if server := got.GetLabel()[0].GetValue(); server != "a\"\\\n" {
		t.Errorf("the server is %q", server)
	}
	h := got.GetHistogram()
	counts := map[float64]uint64{}
	for _, b := range h.GetBucket() {
		counts[b.GetUpperBound()] = b.GetCumulativeCount()
	}
	if counts[.005] != 2 || counts[.01] != 3 || counts[30] != 3 || counts[60] != 4 || h.GetSampleCount() != 5 || h.GetSampleSum() != 121.0111 {
		t.Errorf("%v, %d, %g", counts, h.GetSampleCount(), h.GetSampleSum())
	}
}

// TestSlowScrapersMakeRoom: whoever takes nothing of what it scraped is broken off once so many came after it, and keeps nobody out.
func TestSlowScrapersMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := monitorOf(Options{}, five()...).meter.handler()
		blocked := make(chan struct{})
		scrapers := make([]*slowWriter, scrapesAtOnce+1)
		for i := range scrapers {
			scrapers[i] = &slowWriter{entered: make(chan struct{}, 1), blocked: blocked}
			go h.ServeHTTP(scrapers[i], httptest.NewRequest("GET", "/metrics", nil))
			synctest.Wait()
		}
		for i, s := range scrapers {
			if len(s.entered) == 0 || s.late != (i == 0) {
				t.Errorf("scraper %d is sent something: %v, is broken off: %v", i, len(s.entered) > 0, s.late)
			}
		}
		close(blocked)
		synctest.Wait()
	})
}

// TestScrapesAreCompressed for who takes that.
func TestScrapesAreCompressed(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	monitorOf(Options{}, five()...).meter.handler().ServeHTTP(w, r)
	unpacked, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacked); err != nil || !strings.Contains(string(text), "mcpctl_build_info") {
		t.Errorf("%v: %.200s", err, text)
	}
}

// slowWriter takes nothing until it is let.
type slowWriter struct {
	entered chan<- struct{}
	blocked <-chan struct{}
	header  http.Header
	once    sync.Once
	wrote   func([]byte) // nil = nobody looks
	late    bool         // a deadline was set
}

func (w *slowWriter) SetWriteDeadline(time.Time) error {
	w.late = true
	return nil
}

func (w *slowWriter) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}
func (w *slowWriter) WriteHeader(int) {}
func (w *slowWriter) Write(p []byte) (int, error) {
	w.once.Do(func() { w.entered <- struct{}{} })
	<-w.blocked
	if w.wrote != nil {
		w.wrote(p)
	}
	return len(p), nil
}

// TestSeriesOfAServerEnd when it is not watched any more; the others go on.
func TestSeriesOfAServerEnd(t *testing.T) {
	servers := five()
	m := monitorOf(Options{}, servers[1], servers[0])
	if got := strings.Count(scrape(t, m), `server="trouble"`); got < 50 {
		t.Errorf("only %d series", got)
	}
	m.Attempt(odd, watch.Attempt{Cause: watch.Start, Outcome: watch.Same})
	m.Watch(servers[:1])
	got := scrape(t, m)
	if strings.Contains(got, "trouble") || !strings.Contains(got, `mcpctl_refreshes_total{cause="start",outcome="unchanged",server="a/b c?%41\".."} 1`) {
		t.Error(got)
	}
}

// TestSeriesAreBounded gives one server everything that can be counted.
func TestSeriesAreBounded(t *testing.T) {
	servers := five()[:1]
	m := monitorOf(Options{}, servers...)
	for _, cause := range []watch.Cause{watch.Start, watch.Notification, watch.Resumption, watch.Poll, watch.Reconnection, watch.Request, watch.Reload} {
		for _, outcome := range []watch.Outcome{watch.Same, watch.Different, watch.Failure} {
			m.Attempt(odd, watch.Attempt{Cause: cause, Outcome: outcome})
		}
	}
	for i := range 1000 {
		e := change(odd)
		e.Findings[0].Item, e.Findings[0].Rule = fmt.Sprint("tool/", i), fmt.Sprint("rule-", i)
		m.Count(e)
	}
	if got := strings.Count(scrape(t, m), "server=\"a/b"); got > 100 {
		t.Errorf("%d series of one server", got)
	}
}

// TestMetricsAreDocumented writes the table of docs/watch.md from the registry, or compares it.
func TestMetricsAreDocumented(t *testing.T) {
	m := monitorOf(Options{}, five()...)
	families := m.meter.families()
	slices.SortFunc(families, func(a, b *family) int { return strings.Compare(a.name, b.name) })
	table := "|metric|type|labels||\n|---|---|---|---|\n"
	for _, f := range families {
		if !strings.HasPrefix(f.name, "mcpctl_") {
			continue
		}
		labels := ""
		for _, l := range slices.Sorted(slices.Values(f.labels)) {
			labels += "`" + l + "` "
		}
		table += fmt.Sprintf("|`%s`|%s|%s|%s|\n", f.name, f.kind, strings.TrimSpace(labels), f.help)
	}
	const page, from, to = "../../docs/watch.md", "<!-- metrics -->\n", "<!-- end of metrics -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	start, end := bytes.Index(text, []byte(from))+len(from), bytes.Index(text, []byte(to))
	if start < len(from) || end < start {
		t.Fatalf("%s has no place for the table", page)
	}
	if *update {
		if err := os.WriteFile(page, slices.Concat(text[:start], []byte(table), text[end:]), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range regexp.MustCompile(`\bmcpctl_\w+`).FindAllString(string(text), -1) {
		if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(table, "`"+name+"`") {
			t.Errorf("%s speaks of %s, which does not exist", page, name)
		}
	}
	if diff := cmp.Diff(table, string(text[start:end])); diff != "" {
		t.Errorf("the table of %s is stale: run this test with -update (-registry +page):\n%s", page, diff)
	}
}

// BenchmarkScrape reads the metrics of a thousand servers.
func BenchmarkScrape(b *testing.B) {
	var servers []Server
	for i := range 1000 {
		servers = append(servers, Server{Name: fmt.Sprint("server-", i), Status: viewOf(status(watch.Live)), Refresh: make(chan struct{}, 1)})
	}
	m := monitorOf(Options{}, servers...)
	for _, s := range servers {
		m.Attempt(s.Name, watch.Attempt{Outcome: watch.Connected, Took: time.Second})
		m.Attempt(s.Name, watch.Attempt{Cause: watch.Start, Outcome: watch.Same, Took: time.Second})
	}
	h := m.Handler()
	for b.Loop() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		b.ReportMetric(float64(w.Body.Len()), "bytes")
		b.ReportMetric(float64(strings.Count(w.Body.String(), "\nmcpctl_"))/1000, "series/server")
	}
}
