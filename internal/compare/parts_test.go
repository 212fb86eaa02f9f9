package compare

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/report"
)

// TestServerNamedTwice refuses a part that names a server twice: one of the two would vanish among the others.
func TestServerNamedTwice(t *testing.T) {
	part := PartReport{"a.json", &report.Report{
		Part: &report.Part{Index: 1, Count: 1}, Servers: []report.Server{{Name: "s"}, {Name: "t"}, {Name: "s"}},
	}}
	_, err := toldBy([]PartReport{part})
	if err == nil || !strings.Contains(err.Error(), `names the server "s" twice`) {
		t.Errorf("%v", err)
	}
}
