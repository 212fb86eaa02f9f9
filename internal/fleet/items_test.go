package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func offering(t *testing.T, tools string) Surface {
	t.Helper()
	s, err := snapshot.Parse([]byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":` + tools + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return Surface{Server: report.Server{Name: "s", State: report.OK}, Snapshot: s}
}

// TestDescribingIsInterrupted: what a signal ends does not pass for all that the server offers.
func TestDescribingIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		never := make(chan struct{})
		defer close(never)
		s := offering(t, `[{"name":"t","inputSchema":{"type":"object"}}]`)
		cancel(errors.New("interrupted"))
		s.describe(ctx, ItemFilter{}, func(snapshot.Kind, snapshot.Item) (json.RawMessage, string) {
			<-never
			return nil, ""
		})
		if s.State != report.Partial || !s.Interrupted || s.Error == nil || s.Error.Message != "interrupted" || s.Tools != nil {
			t.Errorf("%q, %+v, %d tools", s.State, s.Error, len(s.Tools))
		}
	})
}
