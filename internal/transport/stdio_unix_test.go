//go:build unix

package transport

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/process"
)

// helperOf is the process that a server reports of on its stderr.
func helperOf(t *testing.T, l *Conn) int {
	t.Helper()
	for range 2000 {
		if found := regexp.MustCompile(`helper (\d+)\n`).FindStringSubmatch(l.Stderr()); found != nil {
			pid, _ := strconv.Atoi(found[1])
			return pid
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the server tells of no helper")
	return 0
}

// runs reports whether a process runs; one that ended and was not fetched does not.
func runs(pid int) bool {
	return syscall.Kill(pid, 0) == nil && groupLives(groupOf(pid))
}

// groupLives reports whether anything of a process group runs.
func groupLives(id int) bool {
	group, err := process.GroupOf(&exec.Cmd{Process: &os.Process{Pid: id}}, "none")
	return err == nil && group.Alive()
}

func groupOf(pid int) int {
	group, err := syscall.Getpgid(pid)
	if err != nil {
		return -1
	}
	return group
}

// TestStdioEndsAllProcesses leaves no process, and waits for the grace only for one that ignores SIGTERM.
func TestStdioEndsAllProcesses(t *testing.T) {
	const never, most = time.Minute, 10 * time.Second
	tests := []struct {
		name   string
		grace  time.Duration
		helper bool
	}{
		{"good", never, false},
		{"linger", never, false},
		{"silent", never, false},
		{"stubborn", 100 * time.Millisecond, false},
		{"orphan", never, true},
		{"runaway", never, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "runaway" && runtime.GOOS != "linux" {
				t.Skip("only Linux tells who left the process group")
			}
			l := behave(t, test.name)
			if test.name != "silent" {
				if _, err := ask(t, l, 1); err != nil {
					t.Fatal(err)
				}
			}
			childOf(l).grace = test.grace
			group := childOf(l).cmd.Process.Pid
			helper := group
			if test.helper {
				helper = helperOf(t, l)
			}
			start := time.Now()
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			t.Logf("closed in %v", took.Round(time.Millisecond))
			if took > most {
				t.Errorf("closing took %v, want at most %v", took, most)
			}
			if groupLives(group) {
				t.Error("its process group is still there")
			}
			if runs(helper) {
				t.Error("its helper is still there")
			}
		})
	}
}
