package probe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestLargeServersTakeTurns reads servers above 4 MiB one after the other, each until its result is taken, and stops the
// clock of those that wait: one result is held for longer than a server may take.
func TestLargeServersTakeTurns(t *testing.T) {
	t.Parallel()
	var servers []Server
	for i := range 3 {
		s := httptest.NewServer(&tiny{instead: func(w http.ResponseWriter, _ *http.Request, method string, id json.RawMessage, _ int) bool {
			if method != "tools/list" {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","description":%q,"inputSchema":{"type":"object"}}]}}`,
				id, strings.Repeat("x", 5<<20))
			return true
		}})
		t.Cleanup(s.Close)
		servers = append(servers, Server{Name: fmt.Sprint("large", i), HTTP: &HTTP{URL: s.URL}})
	}
	began := time.Now()
	for result := range All(t.Context(), servers[:1], Options{Timeout: time.Minute}) {
		if result.Err != nil {
			t.Fatal(result.Err)
		}
	}
	limit := max(time.Second, 10*time.Since(began)) // ten times what one alone takes here
	taken := 0
	for result := range All(t.Context(), servers, Options{Timeout: limit}) {
		if result.Err != nil || len(result.Snapshot.Tools.Items()) != 1 {
			t.Errorf("%s: %v", result.Server.Name, result.Err)
		}
		if taken++; taken == 1 {
			<-time.After(limit + limit/3)
		}
	}
	if taken != len(servers) {
		t.Errorf("%d results of %d", taken, len(servers))
	}
}
