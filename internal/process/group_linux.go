package process

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ownGroup puts a child into a process group of its own that dies with us. Beyond the standard streams
// nothing is inherited.
func ownGroup() *syscall.SysProcAttr {
	if unix.CloseRange(firstInherited, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) != nil { // before Linux 5.11
		closeInherited()
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// descendant is a process; its start distinguishes it from a later one with the same number.
type descendant struct {
	pid   int
	start string
}

// lives reports whether the process still runs. A zombie and a later process with its number do not count.
func (d descendant) lives() bool {
	s, ok := readStat(d.pid)
	return ok && s.start == d.start && s.state != 'Z'
}

// escapedDescendants returns the descendants of a process that are in other process groups.
func escapedDescendants(root int) []descendant {
	var found []descendant
	waiting := children(root)
	for seen := map[int]bool{root: true}; len(waiting) > 0; waiting = waiting[1:] {
		pid := waiting[0]
		s, ok := readStat(pid)
		if !ok || seen[pid] {
			continue
		}
		seen[pid] = true
		if s.group != root {
			found = append(found, descendant{s.pid, s.start})
		}
		waiting = append(waiting, children(pid)...)
	}
	return found
}

// children returns the children of a process that were not waited for (proc_pid_task(5)); kernels without
// that file have none.
func children(pid int) []int {
	folder := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, _ := os.ReadDir(folder)
	var found []int
	for _, thread := range threads {
		text, _ := os.ReadFile(folder + "/" + thread.Name() + "/children")
		for _, field := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(field)); err == nil {
				found = append(found, child)
			}
		}
	}
	return found
}

// AdoptOrphans makes this process the parent of descendants whose own parents end (prctl(2),
// PR_SET_CHILD_SUBREAPER), so that servers and hooks that fork twice are found and end with their group. The
// function it returns ends those that are left when the process ends: the list of children can miss one while
// another exits.
func AdoptOrphans() (end func()) {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return func() {
		for range 20 { // one that no signal ends must not keep us
			left := adopted("", 0)
			if len(left) == 0 {
				return
			}
			for _, d := range left {
				_ = unix.Kill(d.pid, unix.SIGKILL)
				d.reap()
			}
		}
	}
}

// adopted returns the orphans with the mark of a run in their environment, or any mark for "", and their
// descendants. The process that the run started is none of them.
func adopted(run string, started int) []descendant {
	var found []descendant
	for _, pid := range children(os.Getpid()) {
		if pid == started || !marked(pid, run) {
			continue
		}
		if s, ok := readStat(pid); ok {
			found = append(found, descendant{s.pid, s.start})
		}
		found = append(found, escapedDescendants(pid)...)
	}
	return found
}

// marked reports whether a process has the mark of a run in the environment that it was started with. While a
// process executes a program its environment is empty for a moment.
func marked(pid int, run string) bool {
	for pause := time.Millisecond; pause < 10*time.Millisecond; pause *= 2 {
		environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil || len(environ) > 0 {
			return err == nil && bytes.Contains(environ, []byte(RunVariable+"="+run))
		}
		if s, ok := readStat(pid); !ok || s.state == 'Z' {
			return false
		}
		time.Sleep(pause)
	}
	return false
}

// reap waits a moment for an adopted process that was killed. For a process that is not our child the system
// returns at once.
func (d descendant) reap() {
	for pause := time.Millisecond; pause < 50*time.Millisecond; pause *= 2 {
		pid, err := unix.Wait4(d.pid, nil, unix.WNOHANG, nil)
		if pid == d.pid || err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		time.Sleep(pause)
	}
}

// onlyZombies reports whether all of a group has ended and was not waited for: in containers whose first
// process waits for no orphans, they stay. Without /proc nothing is known to run.
func onlyZombies(group int) bool {
	processes, _ := os.ReadDir("/proc")
	return !slices.ContainsFunc(processes, func(entry os.DirEntry) bool {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			return false
		}
		s, ok := readStat(pid)
		return ok && s.group == group && s.state != 'Z'
	})
}

// stat is a line of /proc/PID/stat, as far as we need it; see proc_pid_stat(5).
type stat struct {
	pid, group int
	state      byte
	start      string // field 22, in clock ticks since the system started
}

// readStat returns the stat of a process; false if it is gone.
func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	// the name may hold anything
	_, after, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')')+1:], []byte(" "))
	fields := bytes.Fields(after)
	if len(fields) < 20 {
		return stat{}, false
	}
	s := stat{pid: pid, state: fields[0][0], start: string(fields[19])}
	s.group, _ = strconv.Atoi(string(fields[2]))
	return s, true
}
