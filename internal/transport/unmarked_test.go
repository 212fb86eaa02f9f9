package transport

import (
	"io"
	"testing"
	"testing/synctest"
)

// TestAShortValueIsNotWaitedFor: a body that says all in two bytes, and does not end, is read.
func TestAShortValueIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, in := io.Pipe()
		go func() { _, _ = in.Write([]byte("{}")) }()
		if value, _, err := readValue(body); string(value) != "{}" || err != nil {
			t.Errorf("%q, %v", value, err)
		}
	})
}

// TestASilentStreamIsOpen makes a reader of a stream that says nothing, and reads from it what comes later.
func TestASilentStreamIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, in := io.Pipe()
		events := newEventReader(body)
		go func() { _, _ = in.Write([]byte("\ufeffdata: {}\n\n")) }()
		if e, err := events.next(); string(e.data) != "{}" || err != nil {
			t.Errorf("%q, %v", e.data, err)
		}
	})
}
