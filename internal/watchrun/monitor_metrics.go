package watchrun

import (
	"net/http"
	"runtime"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// metrics are the counters of a run, and the state of its servers at each scrape.
type metrics struct {
	monitor     *monitor
	registry    *prometheus.Registry
	changes     *prometheus.CounterVec
	undelivered *prometheus.CounterVec
}

func newMetrics(m *monitor, version string) *metrics {
	t := &metrics{
		monitor: m, registry: prometheus.NewRegistry(),
		changes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcpctl_changes_total", Help: "Findings in reported changes, by level (or waived).",
		}, []string{"server", "level"}),
		undelivered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcpctl_undelivered_changes_total", Help: "Changes that an output did not receive.",
		}, []string{"output"}),
	}
	clients := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mcpctl_event_clients", Help: "Clients that listen to events.",
	}, m.events.size)
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "mcpctl_build_info", Help: "1, with the version of mcpctl and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	t.registry.MustRegister(t.changes, t.undelivered, clients, build, t, collectors.NewGoCollector(), process)
	return t
}

func (t *metrics) handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

// expect begins to count what an alert may ask for: an increase is seen only after a value of 0.
func (t *metrics) expect(server string) {
	for _, level := range []finding.Level{finding.Breaking, finding.Warning, finding.Info} {
		t.changes.WithLabelValues(label(server), level.String())
	}
}

func (t *metrics) found(server string, findings []finding.Finding) {
	for _, f := range findings {
		level := f.Level.String()
		if f.Waiver != nil {
			level = "waived"
		}
		t.changes.WithLabelValues(label(server), level).Inc()
	}
}

func (t *metrics) forget(server string) {
	t.changes.DeletePartialMatch(prometheus.Labels{"server": label(server)})
}

// label returns a name as Prometheus accepts it.
func label(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// family is a metric of each server that is computed at the scrape.
type family struct {
	description *prometheus.Desc
	kind        prometheus.ValueType
	values      valuesOf
}

func newFamily(name, help string, kind prometheus.ValueType, values valuesOf, labels ...string) family {
	return family{prometheus.NewDesc(name, help, append([]string{"server"}, labels...), nil), kind, values}
}

// valuesOf adds the values of a metric for one server.
type valuesOf func(now watch.Status, add func(value float64, labels ...string))

// families returns the metrics of each server.
func families() []family {
	number := func(name, help string, kind prometheus.ValueType, value func(watch.Status) float64) family {
		add := func(now watch.Status, add func(float64, ...string)) { add(value(now)) }
		return newFamily(name, help, kind, add)
	}
	gauge, counter := prometheus.GaugeValue, prometheus.CounterValue
	return []family{
		newFamily("mcpctl_server_state", "1 for the state of the server, else 0.", gauge, addStates, "state"),
		number("mcpctl_server_up", "1 if the server is connected and its surface current.", gauge,
			func(now watch.Status) float64 { return asNumber(now.Current()) }),
		number("mcpctl_server_connected", "1 if the server is connected, as far as is known.", gauge,
			func(now watch.Status) float64 { return asNumber(now.Connected) }),
		number("mcpctl_server_listening", "1 if notifications of the server arrive.", gauge,
			func(now watch.Status) float64 { return asNumber(now.Listening) }),
		newFamily("mcpctl_last_success_timestamp_seconds", "When all lists arrived.", gauge, addVerified),
		number("mcpctl_readings_total", "Times that lists were read, successfully or not.", counter,
			func(now watch.Status) float64 { return float64(now.Counts.Readings) }),
		number("mcpctl_failures_total", "Readings and connections that failed.", counter,
			func(now watch.Status) float64 { return float64(now.Counts.Failures) }),
		number("mcpctl_notifications_total", "Changes that the server announced.", counter,
			func(now watch.Status) float64 { return float64(now.Counts.Announcements) }),
		number("mcpctl_connections_total", "Times that the server was connected to.", counter,
			func(now watch.Status) float64 { return float64(now.Counts.Connections) }),
		newFamily("mcpctl_surface_items", "Items in the last good surface.", gauge, addItems, "kind"),
		newFamily("mcpctl_surface_tokens", "Estimated tokens of instructions and tools.", gauge, addTokens),
	}
}

func addStates(now watch.Status, add func(float64, ...string)) {
	for _, state := range watch.States() {
		add(asNumber(now.State == state), string(state))
	}
}

func asNumber(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func addVerified(now watch.Status, add func(float64, ...string)) {
	if !now.VerifiedAt.IsZero() {
		add(float64(now.VerifiedAt.UnixMilli()) / 1000)
	}
}

func addItems(now watch.Status, add func(float64, ...string)) {
	for _, kind := range snapshot.Kinds() {
		if now.Surface != nil && now.Surface.List(kind).State == snapshot.Complete {
			add(float64(len(now.Surface.List(kind).Items())), kind.Word())
		}
	}
}

func addTokens(now watch.Status, add func(float64, ...string)) {
	if now.Surface != nil && now.Surface.Tools.Whole() {
		add(float64(check.Tokens(now.Surface)))
	}
}

// Describe sends the descriptions of the metrics of servers.
func (t *metrics) Describe(descriptions chan<- *prometheus.Desc) {
	for _, f := range families() {
		descriptions <- f.description
	}
}

// Collect sends the metrics of every server; of two names that are the same for Prometheus the first.
func (t *metrics) Collect(values chan<- prometheus.Metric) {
	seen := map[string]bool{}
	for _, s := range *t.monitor.servers.Load() {
		name := label(s.name)
		if seen[name] {
			continue
		}
		seen[name] = true
		now := s.now()
		for _, f := range families() {
			f.values(now, func(value float64, labels ...string) {
				all := append([]string{name}, labels...)
				values <- prometheus.MustNewConstMetric(f.description, f.kind, value, all...)
			})
		}
	}
}
