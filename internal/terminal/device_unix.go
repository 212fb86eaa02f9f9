//go:build unix

package terminal

// The terminal that a process belongs to.
const deviceIn, deviceOut = "/dev/tty", "/dev/tty"
