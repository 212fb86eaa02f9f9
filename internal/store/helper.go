package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
)

// helperName is the program that knows the clouds. It is one of its own, since their libraries are larger than mcpctl.
const helperName = "mcpctl-store"

// program is the file of the helper: the one beside this program, else the one in PATH.
func (c *Client) program() (string, error) {
	if self, err := os.Executable(); err == nil {
		if beside, err := process.LookPath(filepath.Join(filepath.Dir(files.RealPath(self)), helperName), "", c.process.Environ); err == nil {
			return beside, nil
		}
	}
	found, err := process.Tool(helperName, c.process.Environ)
	if err != nil {
		return "", exit.Misuse(process.Missing(err, "object stores are reached by %s, which is neither beside mcpctl nor in PATH: go install github.com/mcpctl/mcpctl/%[1]s@latest, or take it from the release (docs/store.md)", helperName))
	}
	return found, nil
}

// helper is the program while it runs.
type helper struct {
	in    io.WriteCloser
	stop  context.CancelFunc
	said  process.Tail
	ended chan struct{} // nothing comes any more

	writing sync.Mutex // a request at a time
	mu      sync.Mutex // for what follows
	last    int
	waiting map[int]chan answer
}

// start starts the helper. It ends with its standard input, if not before.
func start(p host.Process, program string) (*helper, error) {
	ctx, stop := context.WithCancel(context.Background())
	h := &helper{stop: stop, said: process.Tail{Limit: 2000}, ended: make(chan struct{}), waiting: map[int]chan answer{}}
	cmd := exec.CommandContext(ctx, program, "serve-1") // the number is that of the protocol
	cmd.Env, cmd.Dir, cmd.Stderr = p.Environ, p.Dir, &h.said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, write := io.Pipe()
	h.in, cmd.Stdout = in, write
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		if err := process.Run(cmd, true); err != nil && ctx.Err() == nil {
			fmt.Fprint(&h.said, " ", err)
		}
		_ = write.Close()
	}()
	go func() {
		h.read(bufio.NewReader(out))
		h.stop()
		_ = out.Close()
		<-exited
		close(h.ended)
	}()
	return h, nil
}

// read hands answers to those who wait for them.
func (h *helper) read(out *bufio.Reader) {
	for {
		var a answer
		line, err := out.ReadSlice('\n') // a page of names is longer
		text := append([]byte{}, line...)
		for errors.Is(err, bufio.ErrBufferFull) && len(text) < mostLine {
			line, err = out.ReadSlice('\n')
			text = append(text, line...)
		}
		if err != nil || json.Unmarshal(text, &a) != nil || a.Size < 0 || a.Size > mostBody {
			return
		}
		a.body = make([]byte, a.Size)
		if _, err := io.ReadFull(out, a.body); err != nil {
			return
		}
		h.mu.Lock()
		waits := h.waiting[a.ID]
		delete(h.waiting, a.ID)
		h.mu.Unlock()
		if waits != nil {
			waits <- a
		}
	}
}

// Bounds of an answer, in bytes.
const (
	mostLine = 16 << 20
	mostBody = 257 << 20
)

// ask asks, and waits. Whoever stops waiting ends the helper: it does not do what it is there for.
func (h *helper) ask(ctx context.Context, r request) (answer, error) {
	defer context.AfterFunc(ctx, h.stop)()
	waits := make(chan answer, 1)
	if err := h.send(r, waits); err != nil {
		<-h.ended
		return answer{}, h.end(ctx)
	}
	select {
	case a := <-waits:
		return a, nil
	case <-h.ended:
		return answer{}, h.end(ctx)
	}
}

func (h *helper) send(r request, waits chan answer) error {
	h.mu.Lock()
	h.last++
	r.ID = h.last
	h.waiting[r.ID] = waits
	h.mu.Unlock()
	line, err := json.Marshal(r)
	h.writing.Lock()
	defer h.writing.Unlock()
	if err == nil {
		_, err = h.in.Write(append(line, '\n'))
	}
	if err == nil {
		_, err = h.in.Write(r.body)
	}
	if err != nil {
		h.stop()
	}
	return err
}

// end says why the helper ended.
func (h *helper) end(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s ended%s", helperName, process.Quoted(strings.TrimSpace(h.said.String())))
}

func (h *helper) over() bool {
	select {
	case <-h.ended:
		return true
	default:
		return false
	}
}

// close ends the helper, and waits for that.
func (h *helper) close() {
	_ = h.in.Close()
	select {
	case <-h.ended:
	case <-time.After(time.Second):
		h.stop()
		<-h.ended
	}
}
