package transport

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// leaveWait is what a child gets between the end of its stdin and its end; Windows has no SIGTERM to ask it with.
const leaveWait = 500 * time.Millisecond

// tree is a job object: whatever the child starts is in it, and it ends with its last handle, so also with us.
type tree struct{ job windows.Handle }

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// newTree puts the child into a job. What it starts before that moment escapes; os/exec cannot start it suspended.
func newTree(p *os.Process) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	if err := fill(job, p.Pid); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	return &tree{job: job}, nil
}

func fill(job windows.Handle, pid int) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

func (t *tree) look() {}

func (t *tree) terminate() { t.kill() }

func (t *tree) kill() { _ = windows.TerminateJobObject(t.job, 1) }

// alive tells whether the job has a process left.
func (t *tree) alive() bool {
	var info struct {
		userTime, kernelTime, periodUserTime, periodKernelTime int64
		faults, total, active, terminated                      uint32
	}
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

func (t *tree) release() { _ = windows.CloseHandle(t.job) }
