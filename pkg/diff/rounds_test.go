package diff

import "testing"

// ChangedBytes is for the tests outside of the package.
var ChangedBytes = changedBytes

// TestBytesAddNoMoreThanAMillionSteps: however large the items are, what their bytes add to the work has an
// end, and one item has no more than its bound.
func TestBytesAddNoMoreThanAMillionSteps(t *testing.T) {
	const mib = 1 << 20
	for _, sizes := range [][]int{{4 * mib}, {mib, mib, mib, mib, mib, mib, mib, mib}, {100, 8 * mib}, {1000, 1000}} {
		total, given := 0, 0
		for _, size := range sizes {
			total += size
		}
		for _, size := range sizes {
			steps := share(DefaultSteps, len(sizes), size, total)
			if given += steps; steps > mostSteps {
				t.Errorf("%v: %d steps for one item", sizes, steps)
			}
		}
		if given > DefaultSteps+stepsOfBytes {
			t.Errorf("%v: %d steps", sizes, given)
		}
	}
}
