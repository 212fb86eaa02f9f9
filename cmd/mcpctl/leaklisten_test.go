package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// TestNothingLeaksOverHTTP looks for the corpus in all that watch --listen serves, of servers that report what they know.
func TestNothingLeaksOverHTTP(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: a process cannot be asked to end there")
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

// served are the paths of the interface that are asked for.
var served = []string{"/metrics", "/healthz", "/v1/servers", "/v1/servers/s", "/v1/events", "/nowhere", "/v1/servers/nobody"}

// listen watches the place, and looks into all that is served meanwhile.
func (l *leak) listen() {
	ctx, cancel := context.WithTimeout(l.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "mcpctl", "watch", "--config", "mcp.json", "--listen", "127.0.0.1:0", "--format", "ndjson", "--verbose")
	cmd.Dir = l.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + l.dir}, l.lines("environ")...)
	var told bytes.Buffer
	cmd.Stdout = &told
	says, err := cmd.StderrPipe()
	if err != nil {
		l.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	lines := bufio.NewReader(says)
	address := ""
	var said strings.Builder
	for address == "" && err == nil {
		var line string
		line, err = lines.ReadString('\n')
		said.WriteString(line)
		_, address, _ = strings.Cut(strings.TrimSpace(line), "listening on ")
	}
	if address == "" {
		l.Fatalf("it never listened: %s", &said)
	}
	answers := l.ask(ctx, address)
	for !strings.Contains(answers, "***") && ctx.Err() == nil { // until the first reading is told
		<-time.After(100 * time.Millisecond)
		answers = l.ask(ctx, address)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	rest, _ := io.ReadAll(lines)
	_ = cmd.Wait()
	text := said.String() + string(rest) + told.String() + answers
	for _, p := range l.secrets {
		l.look(text, p)
	}
	if !strings.Contains(answers, "***") || !strings.Contains(answers, "mcpctl_") {
		l.Errorf("nothing was told: %.3000s", text)
	}
}

// ask gives all that is served; of the stream, which has no end, what comes within half a second.
func (l *leak) ask(ctx context.Context, address string) string {
	var all strings.Builder
	for _, path := range served {
		ctx, cancel := ctx, context.CancelFunc(func() {})
		if path == "/v1/events" {
			ctx, cancel = context.WithTimeout(ctx, 500*time.Millisecond)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, nil)
		if err != nil {
			l.Fatal(err)
		}
		reply, err := http.DefaultClient.Do(request)
		if err == nil {
			body, _ := io.ReadAll(reply.Body)
			_ = reply.Body.Close()
			all.WriteString("\n# GET " + path + " " + reply.Status + "\n" + string(body))
		}
		cancel()
	}
	return all.String()
}
