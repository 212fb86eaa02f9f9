package watchrun

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// printed is an event to be printed, or something to be done after everything before it was printed.
type printed struct {
	event report.Event
	line  []byte // the event as JSON
	then  func()
}

// maxUnprinted is how many events may wait until watching waits for the reader of standard output.
const maxUnprinted = 4096

// printer writes events to standard output, in order. On a terminal a status line stands below them, and
// below the notes that are written to the printer.
type printer struct {
	process host.Process
	color   bool
	view    *eventView    // nil = JSON
	status  func() string // the text of the status line; nil = there is none
	queue   chan printed
	ended   chan struct{}
	broken  atomic.Bool // standard output cannot be written
	err     error       // of writing to it

	mu    sync.Mutex // guards the screen
	drawn string     // the status line on the screen; empty = it is not there
}

// newPrinter returns a printer that prints once its run method runs.
func newPrinter(
	p host.Process, o report.Output, servers []string, developing bool, status func() string,
) *printer {
	w := &printer{process: p, color: o.Colored(p)}
	w.queue, w.ended = make(chan printed, maxUnprinted), make(chan struct{})
	if o.Format == "table" {
		w.view = newEventView(servers, developing)
	}
	if o.Format == "table" && host.IsTerminal(p.Out) {
		w.status = status
	}
	return w
}

// Write writes a note to standard error, above the status line.
func (w *printer) Write(note []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drawn == "" || !host.IsTerminal(w.process.Err) {
		return w.process.Err.Write(note)
	}
	_, _ = io.WriteString(w.process.Out, w.erased(w.width()))
	n, err := w.process.Err.Write(note)
	if !bytes.HasSuffix(note, []byte("\n")) {
		w.drawn = ""
	}
	_, _ = io.WriteString(w.process.Out, w.drawn)
	return n, err
}

func (w *printer) width() int { return cmp.Or(host.Width(w.process.Out), 80) }

// add hands over an event. It waits if too many are unprinted.
func (w *printer) add(p printed) { w.queue <- p }

// startWait is how long the line about all servers waits for the slowest of them.
const startWait = 5 * time.Second

func (w *printer) run() {
	defer close(w.ended)
	resized := make(chan os.Signal, 1)
	notify(resized, resizeSignals())
	defer signal.Stop(resized)
	started := time.After(startWait)
	for {
		select {
		case p, more := <-w.queue:
			if !more {
				return
			}
			w.print(p)
		case <-started:
			if w.view != nil {
				w.write(w.text(w.view.begin(time.Now())), true)
			}
		case <-resized:
			if w.drawn != "" {
				w.write("", true)
			}
		}
	}
}

func (w *printer) print(p printed) {
	switch {
	case p.then != nil:
		if w.err == nil {
			p.then()
		}
	case w.view == nil:
		w.write(string(p.line), false)
	default:
		w.write(w.text(w.view.lines(p.event)), p.event.Event != "summary")
	}
}

func (w *printer) text(lines []report.EventLine) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line.Text(report.Options{Width: host.Width(w.process.Out), Color: w.color}))
	}
	return text.String()
}

// write replaces the status line by a text and draws it again below.
func (w *printer) write(text string, more bool) {
	width, line := w.width(), ""
	if w.status != nil && more {
		if line = w.status(); len(line) >= width {
			line = strings.TrimSuffix(line, typedHint)
		}
		line = line[:min(len(line), width-1)]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || text == "" && line == w.drawn {
		return
	}
	text = w.erased(width) + text + line
	w.drawn = line
	if _, w.err = io.WriteString(w.process.Out, text); w.err != nil {
		w.broken.Store(true)
		w.process.Note("writing events to standard output: %v", w.err)
	}
}

// erased returns what removes the status line from a screen of so many columns: a narrower one has broken it
// into rows.
func (w *printer) erased(width int) string {
	if w.drawn == "" {
		return ""
	}
	return "\r" + strings.Repeat("\x1b[A", (len(w.drawn)-1)/width) + "\x1b[J"
}

// finish prints what is left. The error says that events are missing.
func (w *printer) finish() error {
	close(w.queue)
	<-w.ended
	if w.err != nil {
		return fmt.Errorf("writing events to standard output: %w", w.err)
	}
	return nil
}

// typedHint ends the status line if there is room for it.
const typedHint = "  (r + Enter: read again, q + Enter: quit)"

// statusLine returns how many servers are in which state.
func (r *watchRun) statusLine() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var states []string
	for _, w := range r.servers {
		states = append(states, cmp.Or(string(w.last), "waiting"))
	}
	if r.rebuild.failed() {
		states = append(states, "failed build")
	}
	return report.Tally(states) + typedHint
}
