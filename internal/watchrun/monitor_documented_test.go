package watchrun

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestMetricsAreDocumented compares docs/watch.md with the metrics, and has Prometheus' linter
// judge them.
func TestMetricsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, served []string
	for _, name := range regexp.MustCompile("`(mcpctl_\\w+)`").FindAllStringSubmatch(string(page), -1) {
		documented = append(documented, name[1])
	}
	m, _ := twoServers("", false)
	text := asked(m, "GET", "/metrics").Body.String()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("the linter of Prometheus: %v %v", problems, err)
	}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "# TYPE mcpctl_"); ok {
			served = append(served, "mcpctl_"+strings.Fields(name)[0])
		}
	}
	slices.Sort(documented)
	slices.Sort(served)
	if diff := cmp.Diff(served, documented); diff != "" {
		t.Errorf("docs/watch.md (-served +documented):\n%s", diff)
	}
}

// TestPageOfWatch compares the states, the events with their keys and the limits of docs/watch.md with the program's.
func TestPageOfWatch(t *testing.T) {
	data, err := os.ReadFile("../../docs/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(data)), " ")
	seconds := func(d time.Duration) string { return fmt.Sprint(int(d.Seconds())) }
	for _, sentence := range []string{
		fmt.Sprintf("Each output queues %d events.", maxQueued),
		fmt.Sprintf("tried again after %s second, then after twice as long each time, up to a minute.", seconds(firstPause)),
		"a command that fails three times",
		fmt.Sprintf("in one of the last %d unconfirmed events.", mostSent),
		fmt.Sprintf("At the end outputs have up to %s seconds after a signal, %s otherwise", seconds(signalTime), seconds(finishTime)),
		fmt.Sprintf("of at least %d characters", leastToken),
		fmt.Sprintf("does not read for %s seconds, or is %d events behind, is dropped", seconds(patience), maxWaiting),
		fmt.Sprintf("not verified for %s polling intervals", []string{3: "three"}[watch.Staleness]),
	} {
		if !strings.Contains(page, sentence) {
			t.Errorf("docs/watch.md does not say: %s", sentence)
		}
	}
	if maxTries != 3 || mostPause != time.Minute {
		t.Error("limits that docs/watch.md has as words are other ones")
	}
	_, states, _ := strings.Cut(page, "States are ")
	states, _, _ = strings.Cut(states, "## Events")
	for _, state := range watch.States() {
		if !strings.Contains(states, "`"+string(state)+"`") {
			t.Errorf("docs/watch.md lacks the state %s", state)
		}
	}
	_, table, _ := strings.Cut(page, "| event | says | further keys |")
	table, _, _ = strings.Cut(table, "## What a change can trigger")
	for _, event := range []watch.EventKind{watch.StateChanged, watch.Changed, watch.Unchanged, watch.Stale, watch.Recovered, "reload",
		"build", "summary"} {
		if !strings.Contains(table, "`"+string(event)+"`") {
			t.Errorf("docs/watch.md lacks the event %s", event)
		}
	}
	form := reflect.TypeFor[WatchEvent]()
	for i := range form.NumField() {
		key, _, _ := strings.Cut(form.Field(i).Tag.Get("json"), ",")
		common := slices.Contains([]string{"mcpctl", "time", "event", "server", "state"}, key) // the example has them
		if !common && !strings.Contains(table, "`"+key+"`") {
			t.Errorf("docs/watch.md lacks the key %s", key)
		}
	}
}
