package monitor

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// began is about when the program started.
var began = time.Now()

// ofProcess are the usual families about the program itself, under the names that the clients of Prometheus give them; what
// only /proc tells is absent elsewhere.
func ofProcess() []*family {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	families := []*family{
		one("go_goroutines", "Goroutines that exist now.", float64(runtime.NumGoroutine())),
		one("go_memstats_alloc_bytes", "Bytes of the heap in use.", float64(memory.Alloc)),
		one("go_memstats_sys_bytes", "Bytes that Go has from the system.", float64(memory.Sys)),
		one("process_start_time_seconds", "When the process started, in seconds since 1970.", float64(began.UnixMilli())/1000),
	}
	if pages, ok := residentPages(); ok {
		families = append(families, one("process_resident_memory_bytes", "Memory of the process that is not swapped out, in bytes.", pages*float64(os.Getpagesize())))
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		families = append(families, one("process_open_fds", "File descriptors that are open.", float64(len(open)-1)))
	}
	return families
}

// one is a gauge without labels.
func one(name, help string, value float64) *family {
	f := newFamily(name, gauge, help)
	f.set(value)
	return f
}

// residentPages is the second number of /proc/self/statm (proc_pid_statm(5)).
func residentPages() (float64, bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if fields := bytes.Fields(text); err == nil && len(fields) > 1 {
		n, err := strconv.ParseFloat(string(fields[1]), 64)
		return n, err == nil
	}
	return 0, false
}
