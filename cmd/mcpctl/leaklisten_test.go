package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// TestNothingLeaksOverHTTP looks for the corpus in all that watch --listen serves, of servers that report what they know.
func TestNothingLeaksOverHTTP(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: commands of the places are those of a Unix shell")
	}
	for _, place := range []string{"env-surface", "env-stderr", "env-handshake", "header-body", "helper-surface"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", "leak", place+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			newLeak(t, corpus(), archive).listen()
		})
	}
}

// listen watches the place, and looks into all that is served meanwhile.
func (l *leak) listen() {
	address := "127.0.0.1:" + freePort()
	ctx, cancel := context.WithTimeout(l.Context(), time.Minute)
	defer cancel()
	var told bytes.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.command(ctx, "watch --listen "+address+" --format ndjson --verbose", &told)
	}()
	answers := ""
	whole := func() bool { return strings.Contains(answers, "***") && strings.Contains(answers, "mcpctl_") }
	for !whole() && ctx.Err() == nil { // until the first reading is reported
		answers = ""
		for _, path := range []string{"/metrics", "/healthz", "/v1/servers", "/v1/servers/s", "/v1/events", "/nowhere",
			"/v1/servers/nobody"} {
			answers += get(ctx, "http://"+address+path)
		}
	}
	cancel()
	<-ended
	l.look(told.String() + answers)
	if !whole() {
		l.Errorf("nothing was served: %.3000s", told.String()+answers)
	}
}

// get returns what is served at an address; of a stream, which has no end, what comes at once.
func get(ctx context.Context, url string) string {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err.Error()
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer reply.Body.Close()
	body, _ := io.ReadAll(reply.Body)
	return fmt.Sprintf("\n# GET %s %s\n%s", url, reply.Status, body)
}
