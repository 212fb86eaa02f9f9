package call

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Limits of what is shown of a server's notifications.
const (
	progressPace = 500 * time.Millisecond // between two lines of progress
	maxWaiting   = 256                    // notifications that wait to be shown; further ones are dropped
	maxLine      = 2000                   // bytes of one line
)

// progress prints progress and log messages of a server on standard error.
type progress struct {
	process host.Process
	server  string           // as it may be shown
	waiting chan probe.Heard // notifications to show
	over    chan struct{}    // closed by stop
	ended   chan struct{}    // closed when all is shown
}

// newProgress returns a progress that prints in a goroutine of its own until stop.
func newProgress(p host.Process, server string) *progress {
	shown := &progress{process: p, server: server, waiting: make(chan probe.Heard, maxWaiting),
		over: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(shown.ended)
		shown.run()
	}()
	return shown
}

// hear takes a notification. It never waits.
func (p *progress) hear(h probe.Heard) {
	select {
	case p.waiting <- h:
	default: // more than can be read
	}
}

func (p *progress) stop() {
	close(p.over)
	<-p.ended
}

// run shows what is heard until stop: each log message, and of progress the newest, not too often.
func (p *progress) run() {
	var last time.Time
	newest := ""
	show := func() {
		if newest != "" {
			p.process.Note("%s: %s", p.server, newest)
			newest, last = "", time.Now()
		}
	}
	take := func(h probe.Heard) {
		if h.Method == "notifications/message" {
			show()
			p.process.Note("%s: %s", p.server, logLine(h.Params))
		} else if newest = progressLine(h.Params); time.Since(last) >= progressPace {
			show()
		}
	}
	for {
		select {
		case h := <-p.waiting:
			take(h)
		case <-time.After(progressPace):
			show()
		case <-p.over:
			for len(p.waiting) > 0 {
				take(<-p.waiting)
			}
			show()
			return
		}
	}
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

// logLine returns a log message in words: [warning] db: slow.
func logLine(params json.RawMessage) string {
	var m struct {
		Level, Logger string
		Data          json.RawMessage
	}
	_ = json.Unmarshal(params, &m) // anything else prints as nothing
	var text string
	if json.Unmarshal(m.Data, &text) != nil {
		text = string(m.Data)
	}
	return shortened(fmt.Sprintf("[%s] %s", m.Level, strings.TrimPrefix(m.Logger+": "+text, ": ")))
}

// shortened returns a server's text as one line, cut when it is long.
func shortened(line string) string {
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return report.Visible(line)
}
