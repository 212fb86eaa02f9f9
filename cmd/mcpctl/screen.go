package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
)

// screen is where watch tells its events, with a line below them on a terminal that says how all servers are.
type screen struct {
	out    io.Writer
	format string
	color  bool
	live   bool // there is a line below the events

	footed bool // it is on the screen now
}

// show writes one event; nil servers means that it is the last one.
func (s *screen) show(e report.Event, servers []*watched) {
	if s.footed {
		_, _ = io.WriteString(s.out, "\r\x1b[K")
	}
	options := report.Options{Width: terminal.Width(s.out), Color: s.color}
	_ = report.WriteEvent(s.out, s.format, e, options) // without a reader the process ends by SIGPIPE
	if s.footed = s.live && servers != nil; s.footed {
		_, _ = io.WriteString(s.out, footer(servers, terminal.Width(s.out)))
	}
}

// footer is how many servers are in which state, on one row of the screen.
func footer(servers []*watched, width int) string {
	states := map[string]int{}
	var order []string
	for _, w := range servers {
		state := string(w.last)
		if state == "" {
			state = "waiting"
		}
		if states[state]++; states[state] == 1 {
			order = append(order, state)
		}
	}
	var words []string
	for _, state := range order {
		words = append(words, fmt.Sprintf("%d %s", states[state], state))
	}
	line := "watching: " + strings.Join(words, ", ") + "  (r + Enter reads again, q + Enter ends)"
	if width == 0 { // not known
		width = 80
	}
	return line[:min(len(line), width-1)]
}
