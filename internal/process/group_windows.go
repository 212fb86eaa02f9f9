package process

import (
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Group is a job object: all that the child starts is in it, and it ends with its last handle, so also with
// us.
type Group struct{ job windows.Handle }

// ownGroup keeps a child from the signals that the console sends to us.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// GroupOf puts a child into a job. What it starts before that moment escapes; os/exec cannot start it
// suspended.
func GroupOf(cmd *exec.Cmd, _ string) (*Group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	if err := fill(job, cmd.Process.Pid); err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	return &Group{job: job}, nil
}

// fill puts a process into a job, and lets the processes of the job end with its last handle.
func fill(job windows.Handle, pid int) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false,
		uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

// Look does nothing: no process leaves a job.
func (g *Group) Look() {}

// Terminate ends the group: Windows has no signal to ask it with.
func (g *Group) Terminate() { g.Kill() }

// Kill ends the group.
func (g *Group) Kill() { _ = windows.TerminateJobObject(g.job, 1) }

// Alive reports whether the job has a process left.
func (g *Group) Alive() bool {
	var info struct {
		userTime, kernelTime, periodUserTime, periodKernelTime int64
		faults, total, active, terminated                      uint32
	}
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.active > 0
}

// Release closes the job.
func (g *Group) Release() { _ = windows.CloseHandle(g.job) }

// shellOf returns how the system's shell runs a command line.
func shellOf(line string) []string { return []string{"cmd", "/C", line} }

// MaxFiles returns how many descriptors this process may have open at once; 0 = unknown.
func MaxFiles() int { return 0 }

// AdoptOrphans does nothing here: a job object holds all descendants.
func AdoptOrphans() (end func()) { return func() {} }
