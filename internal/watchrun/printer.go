package watchrun

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/seen"
)

// printed is an event to be printed, or something to be done after everything before it was printed.
type printed struct {
	event WatchEvent
	line  []byte // the event as JSON
	then  func()
}

// maxUnprinted is how many events may wait until watching waits for the reader of standard output.
const maxUnprinted = 4096

// printer writes events to standard output, in order.
type printer struct {
	process host.Process
	lines   func([]seen.EventLine) string
	view    *eventView // nil = JSON
	queue   chan printed
	ended   chan struct{} // closed when all is printed
	broken  atomic.Bool   // standard output cannot be written
	err     error         // of writing to it
}

// newPrinter returns a printer that prints once its run method runs.
func newPrinter(
	p host.Process, lines func([]seen.EventLine) string, servers []string, developing bool,
) *printer {
	w := &printer{process: p, lines: lines}
	w.queue, w.ended = make(chan printed, maxUnprinted), make(chan struct{})
	if lines != nil {
		w.view = newEventView(servers, developing)
	}
	return w
}

// add hands over an event. It waits if too many are unprinted.
func (w *printer) add(p printed) { w.queue <- p }

// startWait is how long the line about all servers waits for the slowest of them.
const startWait = 5 * time.Second

// run prints what is added until finish. After startWait it writes the line about all servers even if some of
// them are still connecting.
func (w *printer) run() {
	defer close(w.ended)
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
				w.write(w.lines(w.view.begin(time.Now())))
			}
		}
	}
}

// print writes an event as a line of JSON or as lines of the view. What was to follow the events is left out
// once writing has failed.
func (w *printer) print(p printed) {
	switch {
	case p.then != nil:
		if w.err == nil {
			p.then()
		}
	case w.view == nil:
		w.write(string(p.line))
	default:
		w.write(w.lines(w.view.lines(p.event)))
	}
}

// write writes a text to standard output. The first error is noted and kept, and ends all further writing.
func (w *printer) write(text string) {
	if w.err != nil || text == "" {
		return
	}
	if _, w.err = io.WriteString(w.process.Out, text); w.err != nil {
		w.broken.Store(true)
		w.process.Note("writing events to standard output: %v", w.err)
	}
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
