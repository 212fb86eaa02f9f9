package monitor

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

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
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
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

type plainWriter struct{ io.Writer }

// Close does nothing.
func (plainWriter) Close() error { return nil }

// scrapesAtOnce bounds what reading metrics may cost.
const scrapesAtOnce = 4

// handler serves all families, compressed for those who take that.
func (t *meter) handler() http.Handler {
	places := make(chan struct{}, scrapesAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			http.Error(w, "too many scrapes at once", http.StatusServiceUnavailable)
			return
		}
		var page bytes.Buffer // made before any of it is sent: a slow reader holds up no counting
		families := t.families()
		slices.SortFunc(families, func(a, b *family) int { return cmp.Compare(a.name, b.name) })
		for _, f := range families {
			f.write(&page)
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		var out io.WriteCloser = plainWriter{w}
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			out = gzip.NewWriter(w)
		}
		_, _ = page.WriteTo(out) // an error is that whoever asked is gone
		_ = out.Close()
	})
}
