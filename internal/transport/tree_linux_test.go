package transport

import (
	"syscall"
	"testing"
	"time"
)

// TestServerDiesWithUs: even if we are killed, a server that ignores the end of its stdin does not stay.
func TestServerDiesWithUs(t *testing.T) {
	us := behave(t, "parent")
	if _, err := ask(t, us, 1); err != nil {
		t.Fatal(err)
	}
	server := helperOf(t, us)
	if !runs(server) {
		t.Fatalf("there is no server %d to begin with", server)
	}
	if err := childOf(us).cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	receive(t, us.Done())
	for range 200 {
		if !runs(server) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the server %d is still there", server)
}
