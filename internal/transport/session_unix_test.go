//go:build unix

package transport

import "syscall"

// ownSession takes a process out of its parent's group.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
