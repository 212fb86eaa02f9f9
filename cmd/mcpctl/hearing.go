package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

const (
	progressPace = 500 * time.Millisecond // between two lines of progress
	mostWaiting  = 256                    // notifications that wait to be shown; further ones are dropped
	longestTold  = 2000                   // bytes of one line
)

// hearing tells progress and log messages on standard error. hear never waits; stop shows what is left.
func (a *act) hearing() (hear func(probe.Heard), stop func()) {
	waiting, ended := make(chan probe.Heard, mostWaiting), make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(ended)
		a.tell(waiting, over)
	}()
	hear = func(h probe.Heard) {
		select {
		case waiting <- h:
		default: // nobody can read that fast
		}
	}
	return hear, func() {
		close(over)
		<-ended
	}
}

// tell shows what is heard until over: each log message, and of progress the newest, not too often.
func (a *act) tell(waiting <-chan probe.Heard, over <-chan struct{}) {
	var last time.Time
	newest := ""
	show := func() {
		if newest != "" {
			a.Note("%s: %s", report.Visible(a.server.Name), newest)
			newest, last = "", time.Now()
		}
	}
	take := func(h probe.Heard) {
		if h.Method == "notifications/message" {
			show()
			a.Note("%s: %s", report.Visible(a.server.Name), logLine(h.Params))
		} else if newest = progressLine(h.Params); time.Since(last) >= progressPace {
			show()
		}
	}
	pace := time.NewTicker(progressPace)
	defer pace.Stop()
	for {
		select {
		case h := <-waiting:
			take(h)
		case <-pace.C:
			show()
		case <-over:
			for len(waiting) > 0 {
				take(<-waiting)
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
	return visibly(line + after(": ", p.Message))
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
	return visibly(fmt.Sprintf("[%s] %s", m.Level, strings.TrimPrefix(m.Logger+": "+text, ": ")))
}

func visibly(line string) string {
	if len(line) > longestTold {
		line = strings.ToValidUTF8(line[:longestTold], "") + "…"
	}
	return report.Visible(line)
}
