package watchrun

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// round lets a file change in a round of its own, and says what that is a reason for.
func round(o *buildOutputs, file string) string {
	o.Begin()
	h := o.Decide([]string{file}, true)
	return fmt.Sprint(len(h.Now), len(h.Later), h.Pause, len(h.Outputs))
}

// TestOutputs ends the rounds that a build sets off by what it writes.
func TestOutputs(t *testing.T) {
	var o buildOutputs
	var got []string
	for range 8 {
		got = append(got, round(&o, "made"))
	}
	want := []string{"1 0 0s 0", "1 0 0s 0", "0 1 1s 0", "0 1 3s 0", "0 1 9s 0", "0 0 0s 1", "0 0 0s 0", "0 0 0s 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if h := o.Decide([]string{"made", "src"}, true); len(h.Now) != 1 || h.Now[0] != "src" {
		t.Errorf("of an output and a source, heeded %q", h.Now)
	}
}

// TestOutputIsToldOnce even when it is written often in one round.
func TestOutputIsToldOnce(t *testing.T) {
	var o buildOutputs
	told := 0
	for range 9 {
		o.Begin()
		for range 3 {
			told += len(o.Decide([]string{"made"}, true).Outputs)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// TestPeopleEditDuringRounds for as long as they like: they also edit in the pauses, or stop.
func TestPeopleEditDuringRounds(t *testing.T) {
	var o buildOutputs
	for range 5 {
		round(&o, "src")
	}
	if h := o.Decide([]string{"src"}, false); len(h.Now) != 1 {
		t.Error("a change in a pause was not heeded")
	}
	if got := round(&o, "src"); got != "1 0 0s 0" {
		t.Errorf("after it: %s", got)
	}
	for range 4 {
		round(&o, "src")
	}
	o.Begin()
	o.Begin() // one round without it
	if h := o.Decide([]string{"src"}, true); len(h.Now) != 1 || h.Pause != time.Duration(0) {
		t.Error("a file that did not change in a round is still doubted")
	}
}
