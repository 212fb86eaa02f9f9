package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestGoogleTriesAgain: what fails for a moment is asked for again, a write without a condition too, and what fails for long comes to
// an end by itself. Google's library alone does neither.
func TestGoogleTriesAgain(t *testing.T) {
	var asked, fails atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Add(1); {
		case n <= fails.Load() && n%2 == 1: // the answer is lost
			connection, _, _ := http.NewResponseController(w).Hijack()
			_ = connection.Close()
		case n <= fails.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.Method == http.MethodPost:
			_, _ = fmt.Fprint(w, `{"kind": "storage#object", "name": "a.json", "generation": "1"}`)
		default:
			w.Header().Set("X-Goog-Generation", "1")
			_, _ = fmt.Fprint(w, "{}")
		}
	}))
	defer server.Close()
	server.Config.SetKeepAlivesEnabled(false) // or what reads is asked for once more by net/http
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	none := ""
	for _, r := range []request{{Op: "put"}, {Op: "put", If: &none}, {Op: "get"}} {
		r.At, r.body = "gs://fleet/a.json", []byte("{}")
		for _, c := range []struct {
			fails, asked int32
			kind         string
		}{{0, 1, ""}, {3, 4, ""}, {1000, attempts, "failed"}} {
			asked.Store(0)
			fails.Store(c.fails)
			all := &buckets{open: map[string]*bucket{}}
			if a := all.answer(context.Background(), r); a.Kind != c.kind || asked.Load() != c.asked {
				t.Errorf("%s with %d failures: %q %s, asked %d times, want %q and %d", r.Op, c.fails, a.Kind, a.Error, asked.Load(), c.kind, c.asked)
			}
		}
	}
}

// TestBucketIsAskedForAgain: that a bucket could not be seen into once says nothing of it later. Whoever watches for weeks meets both.
func TestBucketIsAskedForAgain(t *testing.T) {
	var denied atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasSuffix(r.URL.Path, "/o"):
			w.WriteHeader(http.StatusNotFound)
		case denied.Load():
			w.WriteHeader(http.StatusForbidden)
		default:
			_, _ = fmt.Fprint(w, "{}")
		}
	}))
	defer server.Close()
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	all := &buckets{open: map[string]*bucket{}}
	for _, c := range []struct {
		denied bool
		kind   string
	}{{true, "denied"}, {false, "absent"}, {true, "absent"}} { // the last because a bucket that was there is not asked for any more
		denied.Store(c.denied)
		if a := all.answer(context.Background(), request{Op: "get", At: "gs://fleet/a.json"}); a.Kind != c.kind {
			t.Errorf("%q %s, want %q", a.Kind, a.Error, c.kind)
		}
	}
}
