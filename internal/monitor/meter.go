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
		t.connects, t.refreshes, t.changes, t.connecting, t.refreshing, &standing{monitor: m, meter: t},
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
