package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a fleet has come, on a terminal's standard error and nowhere else.
type progress struct{ bar *progressbar.ProgressBar }

// progress is a live bar for n servers; a silent one when there is nobody to look at it or nothing to wait for.
func (inv *invocation) progress(n int) progress {
	if n < 2 || inv.Quiet || !isTerminal(inv.Err) {
		return progress{}
	}
	return progress{progressbar.NewOptions(n, progressbar.OptionSetWriter(inv.Err), progressbar.OptionSetDescription("contacting servers"),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24), progressbar.OptionSetPredictTime(false))}
}

// done counts one server.
func (p progress) done() {
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

// finish wipes the bar.
func (p progress) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
		_ = p.bar.Exit()
	}
}

// isTerminal tells whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// columns is the width of the terminal behind w, 0 when it is none.
func columns(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
