package call

import (
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Limits of what is shown of the progress of a server.
const (
	progressPace = 500 * time.Millisecond // between two lines
	maxLine      = 2000                   // bytes of one line
)

// progress prints the progress of a server on standard error, not too often.
type progress struct {
	process host.Process
	server  string // its name as it may be shown

	mu      sync.Mutex
	printed time.Time       // when the last line was
	newest  json.RawMessage // the newest notification that is not printed; nil = none
}

// hear takes a notification.
func (p *progress) hear(params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.newest = params
	if time.Since(p.printed) >= progressPace {
		p.print()
	}
}

// stop prints the last notification.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print()
}

// print prints the newest notification, once.
func (p *progress) print() {
	if p.newest != nil {
		p.process.Note("%s: %s", p.server, progressLine(p.newest))
		p.newest, p.printed = nil, time.Now()
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

// shortened returns a server's text as one line, cut when it is long.
func shortened(line string) string {
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return report.Visible(line)
}
