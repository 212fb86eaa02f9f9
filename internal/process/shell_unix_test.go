//go:build unix

package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestShellCommandEndsWhole: what a command started in the background ends with the command's time, and with the command
// itself where that is wished for. The end of its output is the end of the last process that holds it.
func TestShellCommandEndsWhole(t *testing.T) {
	enough := errors.New("enough")
	for line, want := range map[string]error{
		`sleep 600 & echo started; wait`: enough,
		`sleep 600 & echo started`:       nil,
	} {
		t.Run(line, func(t *testing.T) {
			output, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer output.Close()
			if err := output.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error)
			go func() {
				defer theirs.Close()
				ended <- ShellCommand{Line: line, Limit: time.Hour}.Run(ctx, theirs, theirs)
			}()
			if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if want != nil {
				cancel(want)
			}
			if err := <-ended; !errors.Is(err, want) {
				t.Errorf("error %v, want %v", err, want)
			}
			if _, err := io.ReadAll(output); err != nil {
				t.Errorf("something that it started still runs: %v", err)
			}
			cancel(nil)
		})
	}
}

// TestCommandIsDoneInTime: a command that takes longer than it may is ended, and the error says so.
func TestCommandIsDoneInTime(t *testing.T) {
	err := ShellCommand{Line: "sleep 600", Limit: time.Millisecond}.Run(t.Context(), io.Discard, io.Discard)
	if err == nil || err.Error() != "not done after 1ms" {
		t.Errorf("error %v", err)
	}
}

// TestInheritedDescriptors: what a shell left open for us, such as 9</, is nothing for what we start.
func TestInheritedDescriptors(t *testing.T) {
	for name, keep := range map[string]func(){"by the system": func() { ownGroup() }, "one by one": closeInherited} {
		t.Run(name, func(t *testing.T) {
			folder, err := syscall.Open(t.TempDir(), syscall.O_RDONLY, 0) // without O_CLOEXEC, as one that was inherited
			if err != nil {
				t.Fatal(err)
			}
			defer syscall.Close(folder)
			keep()
			cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("[ ! -e /dev/fd/%d ]", folder))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("descriptor %d is open in a child: %v %s", folder, err, out)
			}
		})
	}
}
