package fleet

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
)

// podOf is a pod of a StatefulSet whose API answers by a function.
func podOf(t *testing.T, ordinal int, answer http.HandlerFunc) *statefulSet {
	api := httptest.NewTLSServer(answer)
	t.Cleanup(api.Close)
	s := &statefulSet{name: "mcpctl-watch", ordinal: ordinal, api: strings.TrimPrefix(api.URL, "https://"), account: t.TempDir()}
	for name, text := range map[string]string{
		"token": "a-token\n", "namespace": "mcp",
		"ca.crt": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})),
	} {
		if err := os.WriteFile(filepath.Join(s.account, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestStatefulSet(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		answer, want string
	}{
		"three":     {200, `{"kind": "Scale", "spec": {"replicas": 3}, "status": {"replicas": 2}}`, "2/3 <nil>"},
		"none":      {200, `{"kind": "Scale", "spec": {}}`, "2/1 <nil>"}, // of a set that goes, this one has nothing to watch
		"forbidden": {403, `{"kind": "Status"}`, "0/0 asking how many pods mcpctl-watch has: the API answers 403 Forbidden: let the service account get statefulsets/scale"},
		"no JSON":   {200, `<html>`, "0/0 asking how many pods mcpctl-watch has: invalid character"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := podOf(t, 1, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/apis/apps/v1/namespaces/mcp/statefulsets/mcpctl-watch/scale" || r.Header.Get("Authorization") != "Bearer a-token" {
					t.Errorf("asked for %s as %q", r.URL, r.Header.Get("Authorization"))
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.answer)
			})
			part, err := pod.shard("")
			if got := fmt.Sprintf("%d/%d %v", part.Index, part.Count, err); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	stranger := podOf(t, 0, nil)
	if err := os.Remove(filepath.Join(stranger.account, "ca.crt")); err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.shard(""); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an API that nobody vouches for: %v", err)
	}
}

// TestRecounts tells another number of parts, once, and stays with the last one while the API fails.
func TestRecounts(t *testing.T) {
	answers := make(chan string)
	pod := podOf(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		answer := <-answers
		if answer == "" {
			w.WriteHeader(500)
		}
		fmt.Fprintf(w, `{"spec": {"replicas": %s}}`, answer)
	})
	var said strings.Builder
	f := &Fleet{process: host.Process{Err: &said}, selected: Selection{Shard: Shard{1, 2, pod}}}
	counts := f.selected.Shard.recounts(t.Context(), f.process, time.Millisecond)
	for _, answer := range []string{"2", "", "", "2", "3"} {
		select {
		case answers <- answer:
		case n := <-counts:
			t.Fatalf("%d parts, which were not told", n)
		}
	}
	f.Divide(<-counts)
	if part := f.selected.Shard; part.Index != 1 || part.Count != 3 {
		t.Errorf("part %d of %d", part.Index, part.Count)
	}
	if strings.Count(said.String(), "the API answers 500 Internal Server Error: this stays part 1 of 2\n") != 1 {
		t.Error(said.String())
	}
	close(answers)
	if other := (&Fleet{selected: Selection{Shard: Shard{Index: 1, Count: 2}}}).Recounts(t.Context()); other != nil {
		t.Error("parts that nobody counts are counted")
	}
}
