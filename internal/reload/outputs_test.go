package reload

import (
	"fmt"
	"testing"
)

// rounds lets a file change in rounds that it sets off itself, and gives after how many nobody heeds it any more.
func rounds(o *Outputs, file string) int {
	for n := 1; n < 100; n++ {
		o.Begin()
		if heeded, _ := o.Heed([]string{file}, true); len(heeded) == 0 {
			return n
		}
	}
	return 100
}

// TestOutputs ends the rounds that a build sets off by what it writes.
func TestOutputs(t *testing.T) {
	var o Outputs
	if heeded, fresh := o.Heed([]string{"src"}, false); len(heeded) != 1 || len(fresh) != 0 {
		t.Errorf("a change between rounds: heeded %q, outputs %q", heeded, fresh)
	}
	if n := rounds(&o, "made"); n != tolerated {
		t.Errorf("a file that every round writes was heeded until round %d, want %d", n, tolerated)
	}
	o.Begin()
	if heeded, fresh := o.Heed([]string{"made", "src"}, true); fmt.Sprint(heeded, fresh) != "[src] []" {
		t.Errorf("of an output and a source, heeded %q, outputs %q", heeded, fresh)
	}
}

// TestOutputIsToldOnce even when it is written often in one round.
func TestOutputIsToldOnce(t *testing.T) {
	var o Outputs
	told := 0
	for range 6 {
		o.Begin()
		for range 3 {
			_, fresh := o.Heed([]string{"made"}, true)
			told += len(fresh)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// TestPeopleEditDuringBuilds for longer than a build may write, since they began between two.
func TestPeopleEditDuringBuilds(t *testing.T) {
	var o Outputs
	o.Heed([]string{"src"}, false)
	if n := rounds(&o, "src"); n != stubborn {
		t.Errorf("a source was heeded until round %d, want %d", n, stubborn)
	}
	o.Begin()
	o.Begin() // one round without it
	if heeded, _ := o.Heed([]string{"src"}, true); len(heeded) != 1 {
		t.Error("a file that did not change in a round is still taken for an output")
	}
}
