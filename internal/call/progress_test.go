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
)

// TestProgressIsCalm prints the progress of a server that reports it a thousand times a second twice a second,
// and the last of it in any case.
func TestProgressIsCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var printed bytes.Buffer
		p := &progress{process: host.Process{Err: &printed}, server: "s"}
		for i := range 3000 {
			p.hear(json.RawMessage(fmt.Sprintf(`{"progress":%d}`, i)))
			time.Sleep(time.Millisecond)
		}
		p.stop()
		lines := strings.Split(strings.TrimSpace(printed.String()), "\n")
		if len(lines) < 5 || len(lines) > 10 {
			t.Errorf("3 seconds of progress are %d lines, want about 7:\n%s", len(lines), printed.String())
		}
		if last := lines[len(lines)-1]; last != "mcpctl: s: progress 2999" {
			t.Errorf("the last line is %q", last)
		}
	})
}
