package sandbox

import (
	"encoding/binary"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Instructions of a filter of system calls (seccomp(2)), for little-endian processors: the low half of an
// argument is first.
const (
	load      = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	and       = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	equal     = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	atLeast   = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	anyBit    = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	answer    = unix.BPF_RET | unix.BPF_K
	offNumber = 0
	offArch   = 4
	offFirst  = 16
	offSecond = 24
)

// architectures are the processors whose system calls are known, as the kernel calls them.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// newest is the last system call known here, the same on all processors. Later ones, and x32's, would get
// around a filter.
const newest = unix.SYS_MSEAL

// refused are system calls that reach beyond the sandbox: keys of the session, namespaces and mounts, and
// io_uring.
var refused = []uint32{
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT,
	unix.SYS_UMOUNT2,
	unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_BPF,
	unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
}

// absent are system calls that programs can do without when a kernel does not know them. clone3 hides its
// flags from a filter; memory of memfd_create and shmget is not counted by any limit of a process.
var absent = []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_CLONE3, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET}

// filter allows all system calls but the above, new namespaces, and sockets other than IP and netlink: a
// Unix socket leads to a process outside. Connected pairs of datagram sockets are refused, since they can
// send elsewhere.
func filter(goarch string) ([]unix.SockFilter, error) {
	audit, ok := architectures[goarch]
	if !ok {
		return nil, errNoFilter(goarch)
	}
	allow := unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW}
	fail := func(errno unix.Errno) unix.SockFilter {
		return unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
	}
	program := []unix.SockFilter{
		{Code: load, K: offArch}, {Code: equal, K: audit, Jt: 1}, fail(unix.ENOSYS),
		{Code: load, K: offNumber}, {Code: atLeast, K: newest + 1, Jf: 1}, fail(unix.ENOSYS),
	}
	call := func(number uint32, then ...unix.SockFilter) {
		program = append(append(program, unix.SockFilter{Code: equal, K: number, Jf: uint8(len(then))}),
			then...)
	}
	for _, number := range refused {
		call(number, fail(unix.EPERM))
	}
	for _, number := range absent {
		call(number, fail(unix.ENOSYS))
	}
	call(unix.SYS_CLONE, unix.SockFilter{Code: load, K: offFirst},
		unix.SockFilter{Code: anyBit, K: unix.CLONE_NEWUSER, Jf: 1}, fail(unix.EPERM), allow)
	call(unix.SYS_SOCKET, unix.SockFilter{Code: load, K: offFirst},
		unix.SockFilter{Code: equal, K: unix.AF_INET, Jt: 3},
		unix.SockFilter{Code: equal, K: unix.AF_INET6, Jt: 2},
		unix.SockFilter{Code: equal, K: unix.AF_NETLINK, Jt: 1}, fail(unix.EAFNOSUPPORT), allow)
	// the rest are flags
	call(unix.SYS_SOCKETPAIR, unix.SockFilter{Code: load, K: offSecond}, unix.SockFilter{Code: and, K: 0xf},
		unix.SockFilter{Code: equal, K: unix.SOCK_STREAM, Jt: 2},
		unix.SockFilter{Code: equal, K: unix.SOCK_SEQPACKET, Jt: 1}, fail(unix.EAFNOSUPPORT), allow)
	return append(program, allow), nil
}

// filterFile returns the filter as bubblewrap reads it, once.
func filterFile() ([]*os.File, error) {
	program, err := filter(runtime.GOARCH)
	if err != nil {
		return nil, err
	}
	var text []byte
	for _, i := range program {
		text = binary.LittleEndian.AppendUint16(text, i.Code)
		text = binary.LittleEndian.AppendUint32(append(text, i.Jt, i.Jf), i.K)
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	_, err = w.Write(text) // fits into the pipe
	return []*os.File{r}, err
}
