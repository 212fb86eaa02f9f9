package transport

import (
	"errors"
	"testing"
)

// TestMeter bounds the replies of a server in all. What came before a restart does not count, nor what is not a reply, and
// the place for a large server is asked for once.
func TestMeter(t *testing.T) {
	places := 0
	meter := &Meter{Small: 1 << 20, Limit: 3 << 20}
	meter.In(func() { places++ })
	l := behaveWith(t, "megabytes", Handlers{Meter: meter}) // each reply has 3 MiB, after as much of notifications
	if _, err := ask(t, l, 1); err != nil {
		t.Fatal(err)
	}
	meter.Restart()
	if _, err := ask(t, l, 2); err != nil {
		t.Fatalf("after a restart: %v", err)
	}
	_, err := ask(t, l, 3)
	if over, ok := errors.AsType[*TooMuchError](err); !ok || over.Error() != "the lists are larger than 3 MiB in all" {
		t.Errorf("the second reply without a restart gives %v", err)
	}
	if places != 1 {
		t.Errorf("the place was asked for %d times, want once", places)
	}
}
