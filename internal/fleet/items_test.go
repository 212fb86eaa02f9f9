package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
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

// TestPriceInTime: tokens that are not counted within the time of a server are a failure of it, and its items are listed all the same.
func TestPriceInTime(t *testing.T) {
	s := offering(t, `[{"name":"t","inputSchema":{"type":"object"}}]`)
	s.describe(t.Context(), time.Nanosecond, &check.Prices{}, ItemFilter{}, itself)
	if s.State != report.Partial || s.Error == nil || s.Error.Stage != "counting tokens" || s.Error.Message != "undecided after 1ns" || s.Error.Hint != TakeLonger || len(s.Tools) != 1 {
		t.Errorf("%q, %+v, %d tools", s.State, s.Error, len(s.Tools))
	}
	if Status([]Surface{s}) != 3 {
		t.Errorf("status %d", Status([]Surface{s}))
	}
}

// TestDescribingIsInterrupted: what a signal ends does not pass for all that the server offers.
func TestDescribingIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		never := make(chan struct{})
		defer close(never)
		s := offering(t, `[{"name":"t","inputSchema":{"type":"object"}}]`)
		cancel(errors.New("interrupted"))
		s.describe(ctx, 0, &check.Prices{}, ItemFilter{}, func(snapshot.Kind, snapshot.Item) (json.RawMessage, string) {
			<-never
			return nil, ""
		})
		if s.State != report.Partial || !s.Interrupted || s.Error == nil || s.Error.Message != "interrupted" || s.Tools != nil {
			t.Errorf("%q, %+v, %d tools", s.State, s.Error, len(s.Tools))
		}
	})
}
