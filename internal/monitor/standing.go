package monitor

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// standing gives Prometheus how it stands with all servers at the moment of the scrape.
type standing struct {
	monitor *Monitor
	meter   *meter
}

// gauge is a row of what is told of each server.
type gauge struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	each func(s *standing, name string, now watch.Status, tell func(value float64, labels ...string))
}

// tellState tells 1 for the state in effect and 0 for the others.
func tellState(_ *standing, _ string, now watch.Status, tell func(float64, ...string)) {
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

// gauges are what is read from the status of a server.
func gauges() []gauge {
	row := func(kind prometheus.ValueType, name, help string, each func(*standing, string, watch.Status, func(float64, ...string)), labels ...string) gauge {
		return gauge{prometheus.NewDesc(name, help, append([]string{"server"}, labels...), nil), kind, each}
	}
	count := func(name, help string, of func(watch.Counts) int) gauge {
		return row(prometheus.CounterValue, name, help, func(_ *standing, _ string, now watch.Status, tell func(float64, ...string)) {
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

func tellUp(_ *standing, _ string, now watch.Status, tell func(float64, ...string)) {
	tell(one(now.State.Reached()))
}

func tellSeen(_ *standing, _ string, now watch.Status, tell func(float64, ...string)) {
	if !now.Seen.IsZero() {
		tell(float64(now.Seen.Truncate(time.Millisecond).UnixMilli()) / 1000)
	}
}

func tellItems(_ *standing, _ string, now watch.Status, tell func(float64, ...string)) {
	for _, kind := range snapshot.Kinds() {
		if now.Surface != nil && now.Surface.List(kind).State == snapshot.Complete {
			tell(float64(len(now.Surface.List(kind).Items())), kind.Word())
		}
	}
}

func tellBytes(s *standing, name string, now watch.Status, tell func(float64, ...string)) {
	if now.Surface != nil {
		tell(float64(s.meter.measure(name, now).bytes))
	}
}

func tellTokens(s *standing, name string, now watch.Status, tell func(float64, ...string)) {
	if now.Surface == nil {
		return
	}
	if n := s.meter.measure(name, now).tokens; n != nil {
		tell(float64(*n))
	}
}

// Describe names what Collect gives.
func (s *standing) Describe(descriptions chan<- *prometheus.Desc) {
	for _, g := range gauges() {
		descriptions <- g.desc
	}
}

// Collect gives it for every server once, whatever they are called.
func (s *standing) Collect(metrics chan<- prometheus.Metric) {
	told, rows := map[string]bool{}, gauges()
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
