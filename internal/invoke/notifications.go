package invoke

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

const (
	progressPace = 500 * time.Millisecond // between two lines of progress
	mostWaiting  = 256                    // notifications that wait to be shown; further ones are dropped
	longestTold  = 2000                   // bytes of one line
)

// printer tells progress and log messages of a server on standard error.
type printer struct {
	process host.Process
	server  string // as it may be shown
	waiting chan probe.Heard
	over    chan struct{}
	ended   chan struct{}
}

func newPrinter(p host.Process, server string) *printer {
	pr := &printer{process: p, server: server, waiting: make(chan probe.Heard, mostWaiting), over: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(pr.ended)
		pr.run()
	}()
	return pr
}

// hear takes a notification. It never waits.
func (p *printer) hear(h probe.Heard) {
	select {
	case p.waiting <- h:
	default: // nobody can read that fast
	}
}

// stop shows what is left.
func (p *printer) stop() {
	if p != nil {
		close(p.over)
		<-p.ended
	}
}

// run shows what is heard until stop: each log message, and of progress the newest, not too often.
func (p *printer) run() {
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
	pace := time.NewTicker(progressPace)
	defer pace.Stop()
	for {
		select {
		case h := <-p.waiting:
			take(h)
		case <-pace.C:
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

// progressLine is a notification of progress in words: 2 of 5: copying.
func progressLine(params json.RawMessage) string {
	var p struct {
		Progress, Total json.RawMessage
		Message         string
	}
	_ = json.Unmarshal(params, &p) // what is no progress has nothing to tell
	line := "progress " + string(p.Progress)
	if p.Total != nil && string(p.Total) != "null" {
		line += " of " + string(p.Total)
	}
	return shortened(line + after(": ", p.Message))
}

// logLine is a log message in words: [warning] db: slow.
func logLine(params json.RawMessage) string {
	var m struct {
		Level, Logger string
		Data          json.RawMessage
	}
	_ = json.Unmarshal(params, &m) // what is no message has nothing to tell
	var text string
	if json.Unmarshal(m.Data, &text) != nil {
		text = string(m.Data)
	}
	return shortened(fmt.Sprintf("[%s] %s", m.Level, strings.TrimPrefix(m.Logger+": "+text, ": ")))
}

// shortened is a text of a server as one line that is not too long.
func shortened(line string) string {
	if len(line) > longestTold {
		line = strings.ToValidUTF8(line[:longestTold], "") + "…"
	}
	return report.Visible(line)
}
