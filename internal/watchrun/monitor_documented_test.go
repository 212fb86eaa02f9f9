package watchrun

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
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
