package compare

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
)

// TestServerNamedTwice refuses a shard that names a server twice: one of the two would replace the other.
func TestServerNamedTwice(t *testing.T) {
	shard := ShardReport{"a.json", &report.Report{
		Shard:   &report.Shard{Index: 1, Total: 1},
		Servers: []report.Server{{Name: "s"}, {Name: "t"}, {Name: "s"}},
	}}
	err := checkServers(&config.Config{}, fleet.Selection{}, []ShardReport{shard})
	if err == nil || !strings.Contains(err.Error(), `names the server "s" twice`) {
		t.Errorf("%v", err)
	}
}
