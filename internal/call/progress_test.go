package call

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// TestProgressIsCalm: a server that reports progress a thousand times a second is shown twice a second, and its last word
// is shown in any case. Log messages are all shown, in their order among the progress.
func TestProgressIsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		p := newProgress(host.Process{Err: &said}, "s")
		for i := range 3000 {
			p.hear(probe.Heard{Method: "notifications/progress", Params: json.RawMessage(fmt.Sprintf(`{"progress":%d}`, i))})
			if i == 2000 {
				p.hear(probe.Heard{Method: "notifications/message", Params: json.RawMessage(`{"level":"info","data":"half"}`)})
			}
			time.Sleep(time.Millisecond)
		}
		p.stop()
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		if len(lines) < 5 || len(lines) > 10 {
			t.Errorf("3 seconds of progress are %d lines, want about 7:\n%s", len(lines), said.String())
		}
		if last := lines[len(lines)-1]; last != "mcpctl: s: progress 2999" {
			t.Errorf("the last line is %q", last)
		}
		if before, _, found := strings.Cut(said.String(), "mcpctl: s: [info] half\n"); !found || !strings.HasSuffix(before, "progress 2000\n") {
			t.Errorf("the log message is not where it was sent:\n%s", said.String())
		}
	})
}

// TestWithoutListeners: a reader that stands still never holds the server up; what it cannot take is dropped.
func TestWithoutListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		blocked := make(chan struct{})
		p := newProgress(host.Process{Err: stuck{blocked}}, "s")
		for range 10 * maxWaiting {
			p.hear(probe.Heard{Method: "notifications/message", Params: json.RawMessage(`{"level":"info","data":"x"}`)})
		}
		close(blocked)
		p.stop()
	})
}

// stuck is a writer that waits.
type stuck struct{ until chan struct{} }

// Write waits.
func (s stuck) Write(p []byte) (int, error) {
	<-s.until
	return len(p), nil
}
