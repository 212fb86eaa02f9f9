package monitor

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// meter counts what happens. Servers are the only label without a fixed set of values; those no longer watched are forgotten.
type meter struct {
	monitor                      *Monitor
	connects, refreshes, changes *family
	connecting, refreshing       *family
	undelivered                  *family
	subscribers, dropped         atomic.Int64
	scrapes                      scrapes
	sizes                        sync.Map // size by server: counting tokens takes a while
	measuring                    sync.Mutex
}

func newMeter(m *Monitor) *meter {
	return &meter{
		monitor:     m,
		connects:    newFamily("mcpctl_connects_total", counter, "Attempts to connect to the server, by outcome.", "server", "outcome"),
		refreshes:   newFamily("mcpctl_refreshes_total", counter, "Readings of the server's lists, by what caused them and by outcome.", "server", "cause", "outcome"),
		changes:     newFamily("mcpctl_changes_total", counter, "Findings in changes that were told, by level (or waived) and by kind of item.", "server", "level", "kind"),
		undelivered: newFamily("mcpctl_undelivered_changes_total", counter, "Changes that an output did not pass on.", "server", "output"),
		connecting:  newFamily("mcpctl_connect_duration_seconds", histogram, "Time that successful attempts to connect took.", "server"),
		refreshing:  newFamily("mcpctl_refresh_duration_seconds", histogram, "Time that readings took, with the repetitions of those that failed.", "server"),
	}
}

func (t *meter) families() []*family {
	build := newFamily("mcpctl_build_info", gauge, "1, with the version of mcpctl and of the Go that built it.", "version", "goversion")
	build.set(1, t.monitor.options.Version, runtime.Version())
	listening := newFamily("mcpctl_event_subscribers", gauge, "Clients that listen to events now.")
	listening.set(float64(t.subscribers.Load()))
	dropped := newFamily("mcpctl_event_subscribers_dropped_total", counter, "Clients that were too slow to take events.")
	dropped.set(float64(t.dropped.Load()))
	all := []*family{t.connects, t.refreshes, t.changes, t.connecting, t.refreshing, t.undelivered, build, listening, dropped}
	return append(append(all, t.standing()...), ofProcess()...)
}

func (t *meter) attempt(server string, a watch.Attempt) {
	server = label(server)
	switch {
	case a.Cause != "":
		t.refreshes.add(1, server, string(a.Cause), string(a.Outcome))
		t.refreshing.observe(a.Took.Seconds(), server)
		return
	case a.Outcome == watch.Connected:
		t.connecting.observe(a.Took.Seconds(), server)
	}
	t.connects.add(1, server, string(a.Outcome))
}

// expect begins to count what an alert may ask for: an increase is seen only of what was 0 before.
func (t *meter) expect(server string) {
	for _, outcome := range []watch.Outcome{watch.Connected, watch.Failure} {
		t.connects.add(0, label(server), string(outcome))
	}
	for _, level := range []finding.Level{finding.Breaking, finding.Warning, finding.Info} {
		t.changes.add(0, label(server), level.String(), "server")
		for _, kind := range snapshot.Kinds() {
			t.changes.add(0, label(server), level.String(), kind.Word())
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
		t.changes.add(1, label(server), level, kind)
	}
}

func (t *meter) forget(server string) {
	for _, f := range []*family{t.connects, t.refreshes, t.changes, t.connecting, t.refreshing, t.undelivered} {
		f.forget(label(server))
	}
	t.sizes.Delete(server)
}

// label is a name as Prometheus takes it.
func label(name string) string { return strings.ToValidUTF8(name, "\uFFFD") }

// standing are the families that are read from every server's status at the scrape; of equal names for Prometheus the first.
func (t *meter) standing() []*family {
	rows := standingRows()
	families := lists.Map(rows, func(row standingRow) *family {
		return newFamily(row.name, row.kind, row.help, append([]string{"server"}, row.labels...)...)
	})
	told := map[string]bool{}
	for _, server := range *t.monitor.servers.Load() {
		name := label(server.Name)
		if told[name] {
			continue
		}
		told[name] = true
		now := server.now()
		for i, row := range rows {
			row.each(t, server.Name, now, func(value float64, labels ...string) {
				families[i].set(value, append([]string{name}, labels...)...)
			})
		}
	}
	return families
}

// standingRow is what is told of each server.
type standingRow struct {
	name, kind, help string
	labels           []string
	each             func(t *meter, name string, now watch.Status, tell func(value float64, labels ...string))
}

func standingRows() []standingRow {
	count := func(name, help string, of func(watch.Counts) int) standingRow {
		return standingRow{name, counter, help, nil, func(_ *meter, _ string, now watch.Status, tell func(float64, ...string)) {
			tell(float64(of(now.Counts)))
		}}
	}
	truth := func(name, help string, of func(watch.Status) bool) standingRow {
		return standingRow{name, gauge, help, nil, func(_ *meter, _ string, now watch.Status, tell func(float64, ...string)) {
			tell(asNumber(of(now)))
		}}
	}
	return []standingRow{
		{"mcpctl_server_state", gauge, "1 for the state that the server is in, 0 for the others.", []string{"state"}, tellState},
		truth("mcpctl_server_up", "1 if the server is connected and its surface known and current, otherwise 0.", watch.Status.Current),
		truth("mcpctl_server_connected", "1 if a connection to the server stands, as far as is known, otherwise 0.", func(now watch.Status) bool { return now.Connected }),
		truth("mcpctl_server_listening", "1 if what the server announces arrives, otherwise 0.", func(now watch.Status) bool { return now.Listening }),
		{"mcpctl_last_success_timestamp_seconds", gauge, "When the server's whole surface last arrived (verifiedAt); absent before the first time.", nil, tellVerified},
		count("mcpctl_notifications_total", "Announcements of changes that the server sent.", func(c watch.Counts) int { return c.Announcements }),
		count("mcpctl_needless_notifications_total", "Announcements behind which there was no change.", func(c watch.Counts) int { return c.Needless }),
		count("mcpctl_silent_changes_total", "Changes that the server should have announced and did not.", func(c watch.Counts) int { return c.Silent }),
		count("mcpctl_reconnects_total", "Connections to the server after the first.", func(c watch.Counts) int { return max(c.Connections-1, 0) }),
		{"mcpctl_surface_items", gauge, "Items in the last good surface, by kind; absent for a kind that is not offered or not known.", []string{"kind"}, tellItems},
		{"mcpctl_surface_bytes", gauge, "Bytes of all items in the last good surface.", nil, func(t *meter, name string, now watch.Status, tell func(float64, ...string)) {
			if now.Surface != nil {
				tell(float64(t.measure(name, now).bytes))
			}
		}},
		{"mcpctl_surface_tokens", gauge, "Tokens that the server costs every conversation: its instructions and tools.", nil, func(t *meter, name string, now watch.Status, tell func(float64, ...string)) {
			if now.Surface != nil && now.Surface.Tools.Whole() {
				tell(float64(*t.measure(name, now).tokens))
			}
		}},
	}
}

// tellState tells 1 for the state in effect and 0 for the others.
func tellState(_ *meter, _ string, now watch.Status, tell func(float64, ...string)) {
	for _, state := range watch.States() {
		tell(asNumber(now.State == state), string(state))
	}
}

func asNumber(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func tellVerified(_ *meter, _ string, now watch.Status, tell func(float64, ...string)) {
	if !now.VerifiedAt.IsZero() {
		tell(float64(now.VerifiedAt.Truncate(time.Millisecond).UnixMilli()) / 1000)
	}
}

func tellItems(_ *meter, _ string, now watch.Status, tell func(float64, ...string)) {
	for _, kind := range snapshot.Kinds() {
		if now.Surface != nil && now.Surface.List(kind).State == snapshot.Complete {
			tell(float64(len(now.Surface.List(kind).Items())), kind.Word())
		}
	}
}

// size is what a surface takes up.
type size struct {
	surface *snapshot.Snapshot
	bytes   int
	tokens  *int // nil = its tools are not known
}

func (t *meter) measure(server string, now watch.Status) size {
	t.measuring.Lock() // counted once, however many ask
	defer t.measuring.Unlock()
	if known, ok := t.sizes.Load(server); ok && known.(size).surface == now.Surface {
		return known.(size)
	}
	known := sizeOf(now)
	t.sizes.Store(server, known)
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

// began is about when the program started.
var began = time.Now()

// ofProcess are the families about the program, named as by Prometheus' clients; what only /proc tells is absent elsewhere.
func ofProcess() []*family {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	families := []*family{
		one("go_goroutines", "Goroutines that exist now.", float64(runtime.NumGoroutine())),
		one("go_memstats_alloc_bytes", "Bytes of the heap in use.", float64(memory.Alloc)),
		one("go_memstats_sys_bytes", "Bytes that Go has from the system.", float64(memory.Sys)),
		one("process_start_time_seconds", "When the process started, in seconds since 1970.", float64(began.UnixMilli())/1000),
	}
	if pages, ok := residentPages(); ok {
		families = append(families, one("process_resident_memory_bytes", "Memory of the process that is not swapped out, in bytes.", pages*float64(os.Getpagesize())))
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		families = append(families, one("process_open_fds", "File descriptors that are open.", float64(len(open)-1)))
	}
	return families
}

func one(name, help string, value float64) *family {
	f := newFamily(name, gauge, help)
	f.set(value)
	return f
}

// residentPages is the second number of /proc/self/statm (proc_pid_statm(5)).
func residentPages() (float64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if fields := bytes.Fields(text); err == nil && len(fields) > 1 {
		n, err := strconv.ParseFloat(string(fields[1]), 64)
		return n, err == nil
	}
	return 0, false
}

// Kinds of metrics (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4).
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
)

// family is one metric with all its series, written here as text: Prometheus' client library was an eighth of the program.
// Its linter and parser judge in the tests.
type family struct {
	name, kind, help string
	labels           []string

	mu     sync.Mutex
	series map[string]*series
}

// series is one metric with certain values of its labels.
type series struct {
	values  []string
	value   float64  // the sum of a histogram
	buckets []uint64 // of a histogram, as many as durations; those above count elsewhere
	count   uint64   // of a histogram
}

func newFamily(name, kind, help string, labels ...string) *family {
	return &family{name: name, kind: kind, help: help, labels: labels, series: map[string]*series{}}
}

// durations are the buckets of histograms, in seconds: from a local process to a server that is given up.
func durations() []float64 {
	return []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
}

// of is the series with these values of labels. The caller holds the lock.
func (f *family) of(values []string) *series {
	key := strings.Join(values, "\xff") // no valid UTF-8, so no part of a value
	if f.series[key] == nil {
		f.series[key] = &series{values: slices.Clone(values)}
	}
	return f.series[key]
}

func (f *family) add(n float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of(values).value += n
}

func (f *family) set(value float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of(values).value = value
}

func (f *family) observe(value float64, values ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.of(values)
	if s.buckets == nil {
		s.buckets = make([]uint64, len(durations()))
	}
	if i, _ := slices.BinarySearch(durations(), value); i < len(s.buckets) {
		s.buckets[i]++
	}
	s.value, s.count = s.value+value, s.count+1
}

// forget drops the series whose first label, the server, has this value.
func (f *family) forget(server string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.series, func(_ string, s *series) bool { return s.values[0] == server })
}

// write writes the family with its series in the order of their labels; nothing when it has none.
func (f *family) write(w *bytes.Buffer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.series) == 0 {
		return
	}
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	for _, key := range lists.SortedKeys(f.series) {
		s := f.series[key]
		labels := f.pairs(s.values)
		if f.kind != histogram {
			f.sample(w, "", labels, s.value)
			continue
		}
		var sum uint64
		for i, bound := range durations() {
			sum += s.buckets[i]
			f.sample(w, "_bucket", append(labels, `le="`+number(bound)+`"`), float64(sum))
		}
		f.sample(w, "_bucket", append(labels, `le="+Inf"`), float64(s.count))
		f.sample(w, "_sum", labels, s.value)
		f.sample(w, "_count", labels, float64(s.count))
	}
}

// pairs are the labels with their values, in the order of their names.
func (f *family) pairs(values []string) []string {
	escaper := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	pairs := make([]string, len(f.labels), len(f.labels)+1)
	for i, name := range f.labels {
		pairs[i] = name + `="` + escaper.Replace(values[i]) + `"`
	}
	slices.Sort(pairs)
	return pairs
}

func (f *family) sample(w *bytes.Buffer, suffix string, labels []string, value float64) {
	w.WriteString(f.name + suffix)
	if len(labels) > 0 {
		w.WriteString("{" + strings.Join(labels, ",") + "}")
	}
	w.WriteString(" " + number(value) + "\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// scrapesAtOnce is how many clients may be sent metrics at once. Each has a page of its own, and the oldest makes room.
const scrapesAtOnce = 16

// handler serves all families, compressed for those who take that.
func (t *meter) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		packed := strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
		page, done := t.monitor.shared.take(r.Context(), w, func() ([]byte, string) { return t.page(packed), "" }) // nobody else has w
		if done(); page == nil {
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		if packed {
			w.Header().Set("Content-Encoding", "gzip")
		}
		defer t.scrapes.begin(http.NewResponseController(w))()
		_, _ = w.Write(page.text) // an error is that whoever asked is gone
	})
}

// page is all families as text, made before any of it is sent: a slow reader holds up no counting.
func (t *meter) page(packed bool) []byte {
	var page bytes.Buffer
	families := t.families()
	slices.SortFunc(families, func(a, b *family) int { return cmp.Compare(a.name, b.name) })
	for _, f := range families {
		f.write(&page)
	}
	if !packed {
		return page.Bytes()
	}
	var small bytes.Buffer
	out := gzip.NewWriter(&small)
	_, _ = page.WriteTo(out) // a buffer takes all
	_ = out.Close()
	return small.Bytes()
}

// scrapes are the clients that are sent metrics, the oldest first.
type scrapes struct {
	mu      sync.Mutex
	sending []*http.ResponseController
}

// begin breaks off the oldest one if there are too many. The function that it gives ends this one.
func (s *scrapes) begin(one *http.ResponseController) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sending = append(s.sending, one); len(s.sending) > scrapesAtOnce {
		_ = s.sending[0].SetWriteDeadline(time.Now()) // a recorder has none
		s.sending = s.sending[1:]
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sending = slices.DeleteFunc(s.sending, func(c *http.ResponseController) bool { return c == one })
	}
}
