package process

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// OwnGroup puts a child into a process group of its own that dies with us: Linux ends it with the thread that started it,
// which must be kept (runtime.LockOSThread). Beyond the standard streams nothing is inherited.
func OwnGroup() *syscall.SysProcAttr {
	if unix.CloseRange(firstInherited, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) != nil { // before Linux 5.11
		closeInherited()
	}
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// descendant is a process, told from a later one with the same number by its start.
type descendant struct {
	pid   int
	start string
}

func (d descendant) lives() bool {
	s, ok := readStat(d.pid)
	return ok && s.start == d.start && s.state != 'Z'
}

// escapedDescendants are the descendants of a process that are in another process group than its own.
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

// children are what a process started and were not fetched (proc_pid_task(5)); kernels without that file tell of none.
func children(pid int) []int {
	folder := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
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

// onlyZombies tells whether all of a group has ended unfetched: in containers whose first process fetches nobody, they stay.
func onlyZombies(group int) bool {
	return !slices.ContainsFunc(allStats(), func(s stat) bool { return s.group == group && s.state != 'Z' })
}

// stat is a line of /proc/PID/stat, as far as we need it; see proc_pid_stat(5).
type stat struct {
	pid, group int
	state      byte
	start      string
}

func allStats() []stat {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var all []stat
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := readStat(pid); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

func readStat(pid int) (stat, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	_, after, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')')+1:], []byte(" ")) // the name may hold anything
	fields := bytes.Fields(after)
	if len(fields) < 20 {
		return stat{}, false
	}
	s := stat{pid: pid, state: fields[0][0], start: string(fields[19])}
	s.group, _ = strconv.Atoi(string(fields[2]))
	return s, true
}
