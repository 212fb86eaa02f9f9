package watchrun

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// metrics are the counters of a run, and the state of its servers at each scrape.
type metrics struct {
	monitor  *monitor
	registry *prometheus.Registry
	changes  *prometheus.CounterVec
}

// newMetrics returns the metrics of a monitor in a registry of their own, with those of the Go runtime and of
// the process.
func newMetrics(m *monitor) *metrics {
	t := &metrics{
		monitor: m, registry: prometheus.NewRegistry(),
		changes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcpctl_changes_total", Help: "Findings in reported changes, by level (or waived).",
		}, []string{"server", "level"}),
	}
	clients := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mcpctl_event_clients", Help: "Clients that listen to events.",
	}, m.events.size)
	t.registry.MustRegister(t.changes, clients, t, collectors.NewGoCollector(),
		collectors.NewBuildInfoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return t
}

// expect begins to count what an alert may ask for: an increase is seen only after a value of 0.
func (t *metrics) expect(server string) {
	for _, level := range []finding.Level{finding.Breaking, finding.Warning, finding.Info} {
		t.changes.WithLabelValues(label(server), level.String())
	}
}

// found counts the findings of a reported change, waived ones apart from the others of their level.
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

// Describe sends nothing: the metrics of servers are known at the scrape.
func (t *metrics) Describe(chan<- *prometheus.Desc) {}

// Collect sends the metrics of every server; of two names that are the same for Prometheus the first.
func (t *metrics) Collect(values chan<- prometheus.Metric) {
	seen := map[string]bool{}
	for _, s := range *t.monitor.servers.Load() {
		name := label(s.name)
		if seen[name] {
			continue
		}
		seen[name] = true
		add := func(kind prometheus.ValueType, metric, help string, value float64, further ...string) {
			labels, all := []string{"server"}, []string{name}
			if len(further) > 0 {
				labels, all = append(labels, further[0]), append(all, further[1])
			}
			description := prometheus.NewDesc("mcpctl_"+metric, help, labels, nil)
			values <- prometheus.MustNewConstMetric(description, kind, value, all...)
		}
		addMetrics(s.now(), add)
	}
}

// addMetric adds a metric of a server. further are the name of another label and its value.
type addMetric func(kind prometheus.ValueType, metric, help string, value float64, further ...string)

// addMetrics adds the metrics of a server with this status.
func addMetrics(now watch.Status, add addMetric) {
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	for _, state := range watch.States() {
		add(gauge, "server_state", "1 for the state of the server, else 0.",
			asNumber(now.State == state), "state", string(state))
	}
	add(gauge, "server_up", "1 if the server is connected and its surface current.", asNumber(now.Current()))
	if !now.VerifiedAt.IsZero() {
		seconds := float64(now.VerifiedAt.UnixMilli()) / 1000
		add(gauge, "last_success_timestamp_seconds", "When all lists arrived.", seconds)
	}
	n := now.Counts
	add(counter, "readings_total", "Readings of lists, successful or not.", float64(n.Readings))
	add(counter, "failures_total", "Readings and connections that failed.", float64(n.Failures))
	add(counter, "notifications_total", "Changes that the server announced.", float64(n.Announcements))
	add(counter, "connections_total", "Connections to the server.", float64(n.Connections))
	if now.Surface == nil {
		return
	}
	for _, kind := range snapshot.Kinds() {
		if list := now.Surface.List(kind); list.State == snapshot.Complete {
			add(gauge, "surface_items", "Items in the last good surface.", float64(len(list.Items())),
				"kind", kind.Word())
		}
	}
	if now.Surface.Tools.Whole() {
		tokens := float64(check.Tokens(now.Surface))
		add(gauge, "surface_tokens", "Estimated tokens of instructions and tools.", tokens)
	}
}

func asNumber(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
