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
