package terminal

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/mcpctl/mcpctl/internal/host"
)

// Bar shows how far a fleet has come; the zero value is silent.
type Bar struct{ bar *progressbar.ProgressBar }

// NewBar is a live bar for n servers on the terminal that the standard error of p is; a silent one when there is nobody to look
// at it or nothing to wait for.
func NewBar(p host.Process, n int) Bar {
	if n < 2 || p.Quiet || !IsTerminal(p.Err) {
		return Bar{}
	}
	return Bar{progressbar.NewOptions(n, progressbar.OptionSetWriter(p.Err), progressbar.OptionSetDescription("contacting servers"),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24), progressbar.OptionSetPredictTime(false))}
}

// Done counts one server.
func (b Bar) Done() {
	if b.bar != nil {
		_ = b.bar.Add(1)
	}
}

// Finish wipes the bar.
func (b Bar) Finish() {
	if b.bar != nil {
		_ = b.bar.Clear()
		_ = b.bar.Exit()
	}
}

// fileOf is the file behind a stream and what is around it.
func fileOf(stream any) (file *os.File, ok bool) {
	for {
		switch around := stream.(type) {
		case interface{ Unwrap() io.Writer }:
			stream = around.Unwrap()
		case interface{ Unwrap() io.Reader }:
			stream = around.Unwrap()
		default:
			file, ok = stream.(*os.File)
			return file, ok
		}
	}
}

// Same tells whether two streams end in the same file or pipe, as with 2>&1.
func Same(a, b any) bool {
	one, isOne := fileOf(a)
	other, isOther := fileOf(b)
	if !isOne || !isOther {
		return false
	}
	first, err := one.Stat()
	second, failed := other.Stat()
	return err == nil && failed == nil && os.SameFile(first, second)
}

// IsTerminal tells whether a stream is a terminal, or something around one.
func IsTerminal(stream any) bool {
	file, ok := fileOf(stream)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Width is the number of columns of the terminal behind w, 0 when it is none.
func Width(w io.Writer) int {
	file, ok := fileOf(w)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
