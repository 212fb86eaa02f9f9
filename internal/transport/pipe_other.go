//go:build !unix

package transport

import (
	"io"
	"os"

	"github.com/mcpctl/mcpctl/internal/process"
)

// stderrPipe keeps the end of what a child writes to its stderr.
type stderrPipe struct {
	file  *os.File
	ended chan struct{} // closed when nothing more comes
	tail  process.Tail
}

// run reads until the pipe ends, or is closed.
func (s *stderrPipe) run() {
	defer close(s.ended)
	_, _ = io.Copy(&s.tail, s.file)
}

// text is the end of what was written until now, for which it waits a little: what is in the pipe cannot be told.
func (s *stderrPipe) text() string {
	within(s.ended, drainWait)
	return s.tail.String()
}

// pending cannot tell what is in a pipe.
func pending(*os.File, []byte) int { return 0 }
