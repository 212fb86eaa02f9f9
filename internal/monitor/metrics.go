package monitor

import (
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// meter counts what happens, and gives it to Prometheus together with how it stands. Servers are the only label without
// a fixed set of values, and those that are not watched any more are forgotten.
type meter struct {
	registry               *prometheus.Registry
	connects, refreshes    *prometheus.CounterVec
	connecting, refreshing *prometheus.HistogramVec
	changes                *prometheus.CounterVec
	subscribers, dropped   atomic.Int64
	sizes                  sizes
}

// durations are the buckets of histograms, in seconds: from a local process to a server that is given up.
func durations() []float64 {
	return []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
}

func newMeter(m *Monitor) *meter {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: durations()}, []string{"server"})
	}
	t := &meter{
		registry:   prometheus.NewRegistry(),
		connects:   counter("mcpctl_connects_total", "Attempts to connect to the server, by outcome.", "server", "outcome"),
		refreshes:  counter("mcpctl_refreshes_total", "Readings of the server's lists, by what caused them and by outcome.", "server", "cause", "outcome"),
		changes:    counter("mcpctl_changes_total", "Findings in changes that were told, by level (or waived) and by kind of item.", "server", "level", "kind"),
		connecting: histogram("mcpctl_connect_duration_seconds", "Time that successful attempts to connect took."),
		refreshing: histogram("mcpctl_refresh_duration_seconds", "Time that readings took, with the repetitions of those that failed."),
	}
	t.registry.MustRegister(
		t.connects, t.refreshes, t.changes, t.connecting, t.refreshing, &gauges{monitor: m, meter: t},
		t.build(m.options.Version), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "mcpctl_event_subscribers", Help: "Clients that listen to events now."},
			func() float64 { return float64(t.subscribers.Load()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "mcpctl_event_subscribers_dropped_total", Help: "Clients that were too slow to take events."},
			func() float64 { return float64(t.dropped.Load()) }),
	)
	return t
}

// build is a constant that tells which program this is.
func (t *meter) build(version string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mcpctl_build_info", Help: "1, with the version of mcpctl and of the Go that built it.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
}

// scrapesAtOnce and scrapeTime bound what reading metrics may cost.
const (
	scrapesAtOnce = 4
	scrapeTime    = 10 * time.Second
)

func (t *meter) handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesAtOnce, Timeout: scrapeTime})
}

func (t *meter) attempt(server string, a watch.Attempt) {
	server = label(server)
	switch {
	case a.Cause != "":
		t.refreshes.WithLabelValues(server, string(a.Cause), string(a.Outcome)).Inc()
		t.refreshing.WithLabelValues(server).Observe(a.Took.Seconds())
		return
	case a.Outcome == watch.Connected:
		t.connecting.WithLabelValues(server).Observe(a.Took.Seconds())
	}
	t.connects.WithLabelValues(server, string(a.Outcome)).Inc()
}

// expect begins to count what an alert may ask for: an increase is seen only of what was 0 before.
func (t *meter) expect(server string) {
	for _, outcome := range []watch.Outcome{watch.Connected, watch.Failure} {
		t.connects.WithLabelValues(label(server), string(outcome))
	}
	for _, level := range []finding.Level{finding.Breaking, finding.Warning, finding.Info} {
		t.changes.WithLabelValues(label(server), level.String(), "server")
		for _, kind := range snapshot.Kinds() {
			t.changes.WithLabelValues(label(server), level.String(), kind.Word())
		}
	}
}

func (t *meter) found(server string, findings []finding.Finding) {
	for _, f := range findings {
		level, kind := f.Level.String(), "server"
		if f.Waiver != nil {
			level = "waived"
		}
		if word, _, ok := strings.Cut(f.Item, "/"); ok {
			kind = word
		}
		t.changes.WithLabelValues(label(server), level, kind).Inc()
	}
}

// forget drops all that was counted of a server.
func (t *meter) forget(server string) {
	of := prometheus.Labels{"server": label(server)}
	for _, vec := range []interface{ DeletePartialMatch(prometheus.Labels) int }{t.connects, t.refreshes, t.changes, t.connecting, t.refreshing} {
		vec.DeletePartialMatch(of)
	}
	t.sizes.forget(server)
}

// label is a name as Prometheus takes it.
func label(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// sizes remembers what surfaces take up, for counting tokens takes a while. The zero value is ready.
type sizes struct {
	mu    sync.Mutex
	known map[string]size
}

// gauges give Prometheus how it stands with all servers at the moment of the scrape.
type gauges struct {
	monitor *Monitor
	meter   *meter
}

// gauge is a row of what is told of each server.
type gauge struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	each func(s *gauges, name string, now watch.Status, tell func(value float64, labels ...string))
}

// tellState tells 1 for the state in effect and 0 for the others.
func tellState(_ *gauges, _ string, now watch.Status, tell func(float64, ...string)) {
	for _, state := range watch.States() {
		tell(one(now.State == state), string(state))
	}
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// gaugeRows are what is read from the status of a server.
func gaugeRows() []gauge {
	row := func(kind prometheus.ValueType, name, help string, each func(*gauges, string, watch.Status, func(float64, ...string)), labels ...string) gauge {
		return gauge{prometheus.NewDesc(name, help, append([]string{"server"}, labels...), nil), kind, each}
	}
	count := func(name, help string, of func(watch.Counts) int) gauge {
		return row(prometheus.CounterValue, name, help, func(_ *gauges, _ string, now watch.Status, tell func(float64, ...string)) {
			tell(float64(of(now.Counts)))
		})
	}
	return []gauge{
		row(prometheus.GaugeValue, "mcpctl_server_state", "1 for the state that the server is in, 0 for the others.", tellState, "state"),
		row(prometheus.GaugeValue, "mcpctl_server_up", "1 if the server is connected and its surface known and current, otherwise 0.", tellUp),
		row(prometheus.GaugeValue, "mcpctl_last_success_timestamp_seconds", "When the server's whole surface was last known to be current; absent before the first time.", tellSeen),
		count("mcpctl_notifications_total", "Announcements of changes that the server sent.", func(c watch.Counts) int { return c.Announcements }),
		count("mcpctl_needless_notifications_total", "Announcements behind which there was no change.", func(c watch.Counts) int { return c.Needless }),
		count("mcpctl_silent_changes_total", "Changes that the server should have announced and did not.", func(c watch.Counts) int { return c.Silent }),
		count("mcpctl_reconnects_total", "Connections to the server after the first.", func(c watch.Counts) int { return max(c.Connections-1, 0) }),
		row(prometheus.GaugeValue, "mcpctl_surface_items", "Items in the last good surface, by kind; absent for a kind that is not offered or not known.", tellItems, "kind"),
		row(prometheus.GaugeValue, "mcpctl_surface_bytes", "Bytes of all items in the last good surface.", tellBytes),
		row(prometheus.GaugeValue, "mcpctl_surface_tokens", "Tokens that the server costs every conversation: its instructions and tools.", tellTokens),
	}
}

func tellUp(_ *gauges, _ string, now watch.Status, tell func(float64, ...string)) {
	tell(one(now.State.Reached()))
}

func tellSeen(_ *gauges, _ string, now watch.Status, tell func(float64, ...string)) {
	if !now.Seen.IsZero() {
		tell(float64(now.Seen.Truncate(time.Millisecond).UnixMilli()) / 1000)
	}
}

func tellItems(_ *gauges, _ string, now watch.Status, tell func(float64, ...string)) {
	for _, kind := range snapshot.Kinds() {
		if now.Surface != nil && now.Surface.List(kind).State == snapshot.Complete {
			tell(float64(len(now.Surface.List(kind).Items())), kind.Word())
		}
	}
}

func tellBytes(s *gauges, name string, now watch.Status, tell func(float64, ...string)) {
	if now.Surface != nil {
		tell(float64(s.meter.measure(name, now).bytes))
	}
}

func tellTokens(s *gauges, name string, now watch.Status, tell func(float64, ...string)) {
	if now.Surface == nil {
		return
	}
	if n := s.meter.measure(name, now).tokens; n != nil {
		tell(float64(*n))
	}
}

// Describe names what Collect gives.
func (s *gauges) Describe(descriptions chan<- *prometheus.Desc) {
	for _, g := range gaugeRows() {
		descriptions <- g.desc
	}
}

// Collect gives it for every server once, whatever they are called.
func (s *gauges) Collect(metrics chan<- prometheus.Metric) {
	told, rows := map[string]bool{}, gaugeRows()
	for _, server := range *s.monitor.servers.Load() {
		name := label(server.Name)
		if told[name] {
			continue
		}
		told[name] = true
		now := server.now()
		for _, g := range rows {
			g.each(s, server.Name, now, func(value float64, labels ...string) {
				metrics <- prometheus.MustNewConstMetric(g.desc, g.kind, value, append([]string{name}, labels...)...)
			})
		}
	}
}

// size is what a surface takes up.
type size struct {
	surface *snapshot.Snapshot
	bytes   int
	tokens  *int // nil = its tools are not known
}

// measure is the size of the surface that a server has now, which is not nil.
func (t *meter) measure(server string, now watch.Status) size {
	t.sizes.mu.Lock()
	known := t.sizes.known[server]
	t.sizes.mu.Unlock()
	if known.surface == now.Surface {
		return known
	}
	known = sizeOf(now)
	t.sizes.mu.Lock()
	defer t.sizes.mu.Unlock()
	if t.sizes.known == nil {
		t.sizes.known = map[string]size{}
	}
	t.sizes.known[server] = known
	return known
}

func sizeOf(now watch.Status) size {
	s := size{surface: now.Surface}
	for _, kind := range snapshot.Kinds() {
		for _, item := range now.Surface.List(kind).Items() {
			s.bytes += len(item.Raw)
		}
	}
	if now.Surface.Tools.Whole() {
		n := check.Tokens(now.Surface)
		s.tokens = &n
	}
	return s
}

func (s *sizes) forget(server string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, server)
}
