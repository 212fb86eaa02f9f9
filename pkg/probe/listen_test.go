package probe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestListen hears what the server of each case announces, until that is what the case wants.
func TestListen(t *testing.T) {
	files, err := filepath.Glob("testdata/listen/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) != 3 {
				t.Fatalf("reading the case: %v, %d files", err, len(archive.Files))
			}
			var how asked
			if err := yaml.Unmarshal(archive.Files[0].Data, &how); err != nil {
				t.Fatal(err)
			}
			listenTo(t, how, archive.Files[1].Data, string(archive.Files[2].Data))
		})
	}
}

func listenTo(t *testing.T, how asked, script []byte, want string) {
	log := filepath.Join(t.TempDir(), "log.jsonl")
	server := how.server(t, t.TempDir(), append(script, "log: "+log+"\n"...))
	session, err := Open(t.Context(), server, Options{Environ: os.Environ(), Timeout: 5 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	select {
	case <-session.Listen():
	case <-time.After(5 * time.Minute):
		t.Fatal("it is not known whether the server announces anything")
	}
	if _, err := session.List(t.Context(), snapshot.Tools); err != nil && !strings.Contains(want, "lost") {
		t.Error(err)
	}
	h := hearing{session: session, log: log}
	late := time.After(5 * time.Minute)
	for h.listen(); h.String() != want; h.listen() {
		select {
		case <-session.Signal():
		case <-time.After(10 * time.Millisecond): // the server's log moves without a signal
		case <-late:
			t.Fatalf("-want +got\n%s", cmp.Diff(want, h.String()))
		}
	}
}

// hearing is all that a session reported until now.
type hearing struct {
	session *Session
	log     string
	resumed bool
	last    snapshot.News
	changed map[snapshot.Kind]bool
}

func (h *hearing) listen() {
	h.last = h.session.News()
	h.resumed = h.resumed || h.last.Resumed
	for _, kind := range h.last.Changed {
		if h.changed == nil {
			h.changed = map[snapshot.Kind]bool{}
		}
		h.changed[kind] = true
	}
}

// String is a line for whether all is covered, what changed, how often the server was asked to announce,
// how often it got an answer of ours, and the loss.
func (h *hearing) String() string {
	text := fmt.Sprintf("covered: %v\nresumed: %v\n", h.last.Covered, h.resumed)
	for _, kind := range snapshot.Kinds() {
		if h.changed[kind] {
			text += fmt.Sprintf("changed: %s\n", kind)
		}
	}
	log, _ := os.ReadFile(h.log)
	text += fmt.Sprintf("asked: %d\n", bytes.Count(log, []byte(`"request":"GET `))+bytes.Count(log,
		[]byte(`"method":"subscriptions/listen"`)))
	if n := bytes.Count(log, []byte(`"id":"p","result":{}`)); n > 0 {
		text += fmt.Sprintf("answered: %d\n", n)
	}
	if err := h.session.Lost(); err != nil {
		text += fmt.Sprintf("lost: %v\n", err)
	}
	return text
}

// standing is a connection that stands until it is given up.
type standing struct{ lost error }

func (s *standing) Done() <-chan struct{} { return nil }
func (s *standing) Lost() error           { return s.lost }
func (s *standing) GiveUp(why error)      { s.lost = why }

// TestListenAgain after a stream of a minute was cut: what refuses it then may be a gateway during a deployment, so it is
// asked again every half minute, a quarter more or less; only 401 and 404 are final. What never was open is not asked again.
func TestListenAgain(t *testing.T) {
	refused := func(status int) error { return &transport.HTTPError{Status: status} }
	const opens = -1
	for name, c := range map[string]struct {
		answers []int // to each attempt: open for a minute, or a status; the last one stands
		asked   int   // within ten minutes
		lost    bool
	}{
		"cut again and again":  {[]int{opens}, 10, false},
		"405 once":             {[]int{opens, 405, opens}, 10, false},
		"403 from then on":     {[]int{opens, 403}, 19, false},
		"410 from then on":     {[]int{opens, 410}, 19, false},
		"an error of JSON-RPC": {[]int{opens, -32000}, 19, false},
		"401":                  {[]int{opens, 401}, 2, false},
		"404":                  {[]int{opens, 404}, 2, true},
		"405 from the start":   {[]int{405}, 1, false},
		"it has no such thing": {[]int{-32601}, 1, false},
		"503, then 405":        {[]int{503, 405}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				l, conn, asked := newListener(), &standing{}, 0
				l.loop(ctx, conn, func(ctx context.Context) error {
					answer := c.answers[min(asked, len(c.answers)-1)]
					asked++
					switch {
					case answer < opens:
						return &RPCError{Code: answer}
					case answer > opens:
						return refused(answer)
					}
					l.announce(map[snapshot.Kind]bool{snapshot.Tools: true}, true)
					select {
					case <-time.After(time.Minute):
					case <-ctx.Done():
					}
					return io.EOF
				})
				if asked < c.asked*3/4 || asked > c.asked*5/4 || (conn.lost != nil) != c.lost {
					t.Errorf("asked %d times, want about %d; lost: %v", asked, c.asked, conn.lost)
				}
			})
		})
	}
}
