package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// escape tries to leave a sandbox in every way that its tests know, and says on standard error what became of each. With
// arguments it is what waits outside: "listen" opens a Unix socket at a path, and a port that it writes beside it.
func escape(args []string) int {
	if len(args) == 2 && args[0] == "listen" {
		return waitOutside(args[1])
	}
	say := func(what string, err error) {
		if err == nil {
			fmt.Fprintf(os.Stderr, "%s: ESCAPED\n", what)
		} else {
			fmt.Fprintf(os.Stderr, "%s: held\n", what)
		}
	}
	for what, path := range map[string]string{
		"write to the project": "written.txt", "write to the root": "/written.txt", "write to devices": "/dev/written.txt",
		"write to the system": "/usr/written.txt",
	} {
		say(what, os.WriteFile(path, nil, 0o600))
	}
	for _, path := range []string{"/etc/shadow", "/run", "/var", "/sys", "/root/.bashrc", os.Getenv("OUTSIDE")} {
		_, err := os.Stat(path)
		say("see "+filepath.Base(path), err)
	}
	if os.WriteFile("/tmp/mine", nil, 0o600) == nil {
		fmt.Fprintln(os.Stderr, "own tmp: written\nread-only file system; address family not supported")
	}
	for what, call := range systemCalls() {
		say(what, call())
	}
	status, _ := os.ReadFile("/proc/1/status") // of the first process in here, which is not the server
	for _, want := range []string{"NoNewPrivs:\t1\n", "Seccomp:\t2\n", "CapEff:\t0000000000000000\n"} {
		fmt.Fprintf(os.Stderr, "%s of the first process: %v\n", strings.Split(want, ":")[0], strings.Contains(string(status), want))
	}
	open, _ := os.ReadDir("/proc/self/fd")
	above := 0
	for _, fd := range open {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && len(fd.Name()) == 1 && fd.Name() > "2" &&
			!strings.HasPrefix(to, "anon_inode") && !strings.Contains(to, "/proc") {
			above++
		}
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	fmt.Fprintf(os.Stderr, "descriptors: %d\nfew processes: %v\nvariable: <%s>\n", above, len(processes) < 6, os.Getenv("SECRET_OF_MINE"))
	return 1
}

// waitOutside is a process outside of the sandbox that answers at a Unix socket and at a port of this machine.
func waitOutside(path string) int {
	at, err := net.Listen("unix", path)
	if err != nil {
		return 1
	}
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	_ = os.WriteFile(path+".port", []byte(port.Addr().String()), 0o600)
	time.AfterFunc(2*time.Minute, func() { at.Close() })
	for {
		if _, err := at.Accept(); err != nil {
			return 0
		}
	}
}

// systemCalls are attempts of a kind each; nil = it worked.
func systemCalls() map[string]func() error {
	raw := func(amd64, arm64 uintptr, args ...uintptr) func() error {
		number := amd64
		if runtime.GOARCH == "arm64" {
			number = arm64
		}
		for len(args) < 3 {
			args = append(args, 0)
		}
		return func() error {
			if _, _, errno := syscall.Syscall(number, args[0], args[1], args[2]); errno == syscall.EPERM || errno == syscall.ENOSYS ||
				errno == syscall.EAFNOSUPPORT {
				return errno
			}
			return nil // even if it failed: the kernel has judged the arguments
		}
	}
	dial := func(network, address string) func() error {
		return func() error {
			c, err := net.DialTimeout(network, address, 2*time.Second)
			if err == nil {
				c.Close()
			}
			return err
		}
	}
	pair := func(kind int) error {
		_, err := syscall.Socketpair(syscall.AF_UNIX, kind, 0)
		return err
	}
	port, _ := os.ReadFile("s.sock.port")
	return map[string]func() error{
		"a Unix socket in the project": dial("unix", "s.sock"),
		"an abstract Unix socket":      dial("unix", "@abstract"),
		"a port of this machine":       dial("tcp", string(port)),
		"a pair of datagram sockets":   func() error { return pair(syscall.SOCK_DGRAM) },
		"a pair of raw sockets":        func() error { return pair(syscall.SOCK_RAW) },
		"vsock":                        raw(41, 198, 40, 1),
		"packets":                      raw(41, 198, 17, 3),
		"io_uring":                     raw(425, 425, 1),
		"keys of the session":          raw(250, 219),
		"unshare":                      raw(272, 97, 0x10000000),
		"setns":                        raw(308, 268),
		"mount":                        raw(165, 40),
		"clone3":                       raw(435, 435),
		"memory of memfd_create":       raw(319, 279),
		"memory of memfd_secret":       raw(447, 447),
		"memory of shmget":             raw(29, 194),
		"bpf":                          raw(321, 280),
		"fsmount":                      raw(432, 432),
		"a call of a newer kernel":     raw(467, 467), // open_tree_attr
		"settings of the kernel": func() error {
			f, err := os.OpenFile("/proc/sys/kernel/core_pattern", os.O_WRONLY, 0) // by which the kernel would start a program as root
			if err == nil {
				f.Close()
			}
			return err
		},
		"memory": func() error {
			// no reserve
			_, err := syscall.Mmap(-1, 0, 5<<30, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|0x4000)
			return err
		},
		"limits": func() error {
			// seconds, file, data, core, processes, descriptors
			for resource, most := range map[int]uint64{0: 3600, 1: 1 << 30, 2: 4 << 30, 4: 0, 6: 512, 7: 1024} {
				var l syscall.Rlimit
				if err := syscall.Getrlimit(resource, &l); err != nil || l.Max > most {
					return nil
				}
			}
			return fmt.Errorf("all are set")
		},
		"room in tmp": func() error {
			var s syscall.Statfs_t
			if err := syscall.Statfs("/tmp", &s); err != nil || s.Blocks*uint64(s.Bsize) > 256<<20 {
				return nil
			}
			return fmt.Errorf("it is bounded")
		},
	}
}
