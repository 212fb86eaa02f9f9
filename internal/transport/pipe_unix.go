//go:build unix

package transport

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/mcpctl/mcpctl/internal/process"
)

// stderrPipe keeps the end of what a child writes to its stderr. What was written before a moment is there at that moment,
// whenever the goroutine that reads gets its turn: a server tells why it refuses before it does.
type stderrPipe struct {
	file  *os.File
	ended chan struct{} // closed when nothing more comes

	moving sync.Mutex // held while bytes go from the pipe to the tail
	buf    [32 << 10]byte
	tail   process.Tail
}

// run reads until the pipe ends, or is closed.
func (s *stderrPipe) run() {
	defer close(s.ended)
	raw, err := s.file.SyscallConn()
	for more := err == nil; more; more = more && err == nil {
		err = raw.Read(func(fd uintptr) bool {
			n, err := s.move(fd)
			more = n > 0
			return !errors.Is(err, syscall.EAGAIN) // or it waits
		})
	}
}

// move takes from the pipe what is there, up to a buffer, and never waits.
func (s *stderrPipe) move(fd uintptr) (int, error) {
	s.moving.Lock()
	defer s.moving.Unlock()
	n, err := readNow(fd, s.buf[:])
	_, _ = s.tail.Write(s.buf[:n])
	return n, err
}

// text is the end of all that was written until now.
func (s *stderrPipe) text() string {
	if raw, err := s.file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			for left, n := largestPipe, 1; left > 0 && n > 0; left -= n {
				n, _ = s.move(fd)
			}
		})
	}
	return s.tail.String()
}

// largestPipe is more than a pipe holds at once (pipe(7)): a child that floods it keeps nobody here.
const largestPipe = 1 << 20

// pending reads what is in a pipe already, and never waits; 0 = nothing is.
func pending(pipe *os.File, buf []byte) (n int) {
	if raw, err := pipe.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { n, _ = readNow(fd, buf) })
	}
	return n
}

// readNow reads from a pipe that does not block, as those of os/exec.
func readNow(fd uintptr, buf []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), buf)
		if !errors.Is(err, syscall.EINTR) {
			return max(n, 0), err
		}
	}
}
