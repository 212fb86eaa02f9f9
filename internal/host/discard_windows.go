package host

import (
	"os"

	"golang.org/x/sys/windows"
)

// discardInput drops what was typed and not read yet.
func discardInput(in *os.File) {
	// a console that cannot is asked all the same
	_ = windows.FlushConsoleInputBuffer(windows.Handle(in.Fd()))
}
