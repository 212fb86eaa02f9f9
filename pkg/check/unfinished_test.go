package check_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestUnfinished: a server that takes longer than it may is named, and nothing is told of it.
func TestUnfinished(t *testing.T) {
	s, err := snapshot.Parse([]byte(`{"protocolVersion":"2025-11-25","tools":[{"name":"t","inputSchema":{"type":"object"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	found, err := check.Run(t.Context(), []check.Subject{{Name: "s", Snapshot: s}}, check.Options{Timeout: time.Nanosecond})
	var cut *check.UnfinishedError
	if len(found) != 0 || !errors.As(err, &cut) || !slices.Equal(cut.Servers, []string{"s"}) {
		t.Errorf("%v, %d findings", err, len(found))
	}
}
