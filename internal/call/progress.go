package call

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Limits of what is shown of the progress of a server.
const (
	progressPace = 500 * time.Millisecond // between two lines
	maxLine      = 2000                   // bytes of one line
)

// progress prints the progress of a server on standard error.
type progress struct {
	newest atomic.Pointer[string] // what is not printed yet
	over   chan struct{}          // closed by stop
	ended  chan struct{}          // closed when all is printed
}

// newProgress returns a progress that prints the newest notification, not too often, until stop. The server's
// name may be shown as it is.
func newProgress(p host.Process, server string) *progress {
	shown := &progress{over: make(chan struct{}), ended: make(chan struct{})}
	show := func() {
		if line := shown.newest.Swap(nil); line != nil {
			p.Note("%s: %s", server, *line)
		}
	}
	go func() {
		defer close(shown.ended)
		defer show()
		pace := time.NewTicker(progressPace)
		defer pace.Stop()
		for {
			select {
			case <-pace.C:
				show()
			case <-shown.over:
				return
			}
		}
	}()
	return shown
}

// hear takes a notification. It never waits.
func (p *progress) hear(params json.RawMessage) {
	line := progressLine(params)
	p.newest.Store(&line)
}

func (p *progress) stop() {
	close(p.over)
	<-p.ended
}

// progressLine returns a notification of progress in words: 2 of 5: copying.
func progressLine(params json.RawMessage) string {
	var p struct {
		Progress, Total json.RawMessage
		Message         string
	}
	_ = json.Unmarshal(params, &p) // anything else prints as nothing
	line := "progress " + string(p.Progress)
	if p.Total != nil && string(p.Total) != "null" {
		line += " of " + string(p.Total)
	}
	return shortened(line + after(": ", p.Message))
}

// shortened returns a server's text as one line, cut when it is long.
func shortened(line string) string {
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return report.Visible(line)
}
