package live

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
)

// socketPath is one that is short enough for a socket.
func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// TestUnixSocketIsPrivateFromTheStart: nobody can connect between its appearance and a change of its mode.
func TestUnixSocketIsPrivateFromTheStart(t *testing.T) {
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	path := socketPath(t)
	listener, err := bindPrivate(path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if info, err := os.Lstat(path); err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestBusyUnixSocketStays: one whose owner has no time to accept connections is nobody's leavings.
func TestBusyUnixSocketStays(t *testing.T) {
	path := socketPath(t)
	dial := func() (int, error) {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Close(fd) })
		return fd, syscall.Connect(fd, &syscall.SockaddrUnix{Name: path})
	}
	owner, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(owner)
	if err := errors.Join(syscall.Bind(owner, &syscall.SockaddrUnix{Name: path}), syscall.Listen(owner, 0)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = dial()
	}
	if !errors.Is(err, syscall.EAGAIN) {
		t.Fatal(err)
	}
	before, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := listen(host.Process{Quiet: true}, ListenOptions{Address: "unix:" + path}, journal.New())
	if err == nil {
		m.Close()
		t.Fatal("the socket of another was taken")
	}
	if after, statErr := os.Lstat(path); statErr != nil || !os.SameFile(before, after) || !strings.Contains(err.Error(), "is listened on") {
		t.Errorf("%v: %v", err, statErr)
	}
}

// TestAbstractSocketsAreRefused: they have no mode, and are for every user.
func TestAbstractSocketsAreRefused(t *testing.T) {
	for _, path := range []string{"", "@mcpctl"} {
		if _, err := listen(host.Process{Quiet: true}, ListenOptions{Address: "unix:" + path}, journal.New()); err == nil || !strings.Contains(err.Error(), "name a file") {
			t.Errorf("%q: %v", path, err)
		}
	}
}
