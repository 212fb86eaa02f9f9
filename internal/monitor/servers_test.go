package monitor

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// TestSurface is the snapshot file, of a server with any name.
func TestSurface(t *testing.T) {
	servers := five()
	response, body := ask(t, monitorOf(Options{}, servers...).Handler(), "GET", "/v1/servers/"+url.PathEscape(odd), "")
	var got struct {
		Name, Digest string
		AgeSeconds   int
		Current      bool
		Surface      json.RawMessage
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || response.StatusCode != 200 {
		t.Fatalf("%d %v %s", response.StatusCode, err, body)
	}
	surface, err := snapshot.Parse(got.Surface)
	if err != nil {
		t.Fatal(err)
	}
	want := servers[0].Status().Surface.Digest()
	if surface.Digest() != want || got.Digest != want || got.Name != odd || got.AgeSeconds != 60 || !got.Current {
		t.Errorf("got %+v, want digest %s", got, want)
	}
	if !strings.Contains(body, "1.0e2") || !strings.Contains(body, "<x>") {
		t.Errorf("values are not as they were written: %s", body)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../docs/snapshot.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(got.Surface)))
	if err != nil || schema.Validate(value) != nil {
		t.Errorf("no snapshot: %v %v", err, schema.Validate(value))
	}
}

// TestWhatRunnersObey is escaped in all that is answered, and the same to whoever parses it.
func TestWhatRunnersObey(t *testing.T) {
	const text = "\n::error::x ##[error] ##vso[task.x] \u0085\u202e\x1b[0Ksection_start:1:a\r"
	surface := &snapshot.Snapshot{Protocol: "2025-11-25", Instructions: text}
	now := watch.Status{State: watch.Live, Surface: surface, VerifiedAt: time.Now()}
	server := Server{Name: "##[x", Status: func() watch.Status { return now }}
	for _, path := range []string{"/v1/servers", "/v1/servers/%23%23%5Bx", "/v1/servers/%23%23%5By", "/%23%23%5B"} {
		_, body := ask(t, monitorOf(Options{}, server).Handler(), "GET", path, "")
		if strings.ContainsAny(body, "\u0085\u202e\x1b\r") || strings.Contains(body, "##[") || strings.Contains(body, "##vso[") || !json.Valid([]byte(body)) {
			t.Errorf("%s: %q", path, body)
		}
		if path == "/v1/servers/%23%23%5Bx" {
			var got struct{ Surface json.RawMessage }
			_ = json.Unmarshal([]byte(body), &got)
			if same, err := snapshot.Parse(got.Surface); err != nil || same.Digest() != surface.Digest() {
				t.Errorf("%v: another surface in %s", err, body)
			}
		}
	}
}

// TestETag stays with the surface and the state, and changes with either.
func TestETag(t *testing.T) {
	now := status(watch.Live)
	server := Server{Name: "s", Refresh: make(chan struct{}, 1), Status: func() watch.Status { return now }}
	m := monitorOf(Options{}, server)
	tag := func() string {
		response, _ := ask(t, m.Handler(), "GET", "/v1/servers/s", "")
		return response.Header.Get("ETag")
	}
	first := tag()
	now.VerifiedAt, now.Counts.Readings = time.Now(), 9
	if response, body := ask(t, m.Handler(), "GET", "/v1/servers/s", "", "If-None-Match: "+first); response.StatusCode != 304 || body != "" {
		t.Errorf("a newer reading of the same gets %d %q", response.StatusCode, body)
	}
	now.State = watch.Degraded
	second := tag()
	now.Surface = &snapshot.Snapshot{Protocol: "2025-11-25"}
	third := tag()
	if first == second || second == third || first == third || !strings.HasPrefix(first, `W/"`) {
		t.Errorf("tags %q, %q, %q", first, second, third)
	}
	if response, _ := ask(t, m.Handler(), "GET", "/v1/servers/s", "", "If-None-Match: "+first); response.StatusCode != 200 {
		t.Errorf("an old tag gets %d", response.StatusCode)
	}
}

// TestTooOld: a connection that stands makes no old surface current, and the trouble has a name.
func TestTooOld(t *testing.T) {
	old := status(watch.Live)
	old.Stale = true
	_, body := ask(t, monitorOf(Options{}, Server{Name: "s", Status: viewOf(old)}).Handler(), "GET", "/v1/servers/s", "")
	if !strings.Contains(body, `"current":false`) || !strings.Contains(body, `"trouble":"unverified"`) {
		t.Error(body)
	}
}

// TestNearestNames helps who mistypes a name or a path.
func TestNearestNames(t *testing.T) {
	m := monitorOf(Options{}, five()[1:3]...)
	for path, want := range map[string][]string{
		"/v1/servers/troubel": {"trouble"},
		"/v1/servers/a%2Fb":   nil,
		"/metrcs":             {"/metrics"},
	} {
		_, body := ask(t, m.Handler(), "GET", path, "")
		var got problem
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Nearest); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	for _, path := range []string{"/page", "/v1", "/v1/", "/v1/servers/", "/v1/servers/a/b", "/metric"} {
		if response, body := ask(t, m.Handler(), "GET", path, ""); response.StatusCode != 404 || !strings.Contains(body, "openapi.json") {
			t.Errorf("%s gets %d %s", path, response.StatusCode, body)
		}
	}
}

// TestReadiness comes with the last first outcome, and goes with the end alone.
func TestReadiness(t *testing.T) {
	m := New(Options{})
	steps := []struct {
		what    string
		servers []Server
		want    int
		says    string
	}{
		{"before anything", nil, 503, `"waiting"`},
		{"one is new", five(), 503, `"servers":5,"waiting":1`},
		{"all had an outcome, good or bad", five()[:2], 200, `"servers":2,"waiting":0`},
		{"a server is added", five(), 200, `"servers":5,"waiting":1`},
		{"all are removed", nil, 200, `"servers":0`},
	}
	for _, s := range steps {
		m.Watch(s.servers)
		if response, body := ask(t, m.Handler(), "GET", "/readyz", ""); response.StatusCode != s.want || !strings.Contains(body, s.says) {
			t.Errorf("%s: %d %s", s.what, response.StatusCode, body)
		}
	}
	m.Close()
	if response, _ := ask(t, m.Handler(), "GET", "/readyz", ""); response.StatusCode != 503 {
		t.Errorf("after the end: %d", response.StatusCode)
	}
	if response, _ := ask(t, m.Handler(), "GET", "/healthz", ""); response.StatusCode != 200 {
		t.Errorf("health after the end: %d", response.StatusCode)
	}
}

// TestRefreshing reads a server once a second at most, and never forgets who asked last.
func TestRefreshing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := make(chan struct{}, 1)
		m := monitorOf(Options{}, Server{Name: "s", Refresh: c, Status: viewOf(status(watch.Live))})
		post := func() bool {
			response, body := ask(t, m.Handler(), "POST", "/v1/servers/s/refresh", "")
			if response.StatusCode != 202 {
				t.Fatalf("%d %s", response.StatusCode, body)
			}
			return strings.Contains(body, `"coalesced":true`)
		}
		if post() || len(c) != 1 {
			t.Error("the first does not ask at once")
		}
		<-c
		time.Sleep(100 * time.Millisecond)
		if post() || !post() || !post() || len(c) != 0 {
			t.Error("those within the same second are not answered by one reading")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(c) != 1 {
			t.Error("who asked later is forgotten")
		}
		if !post() { // the reading that was asked for has not begun
			t.Error("a reading that waits is not the answer")
		}
		time.Sleep(time.Minute)
		if !post() || len(c) != 1 {
			t.Error("a reading that waits is not the answer after a while")
		}
	})
}
