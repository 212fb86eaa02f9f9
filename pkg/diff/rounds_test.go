package diff

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// TestBytesAddNoMoreThanAMillionSteps: however large the items are, what their bytes add to the work has an
// end, and items of one size have equal shares.
func TestBytesAddNoMoreThanAMillionSteps(t *testing.T) {
	for _, sizes := range [][]int{{4 << 20}, {1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20}, {100, 8 << 20}, {1000, 1000}} {
		given, first := 0, true
		rounds(DefaultSteps, sizes, func(items []int, share func(int) *schema.Pool) {
			for _, i := range items {
				if first {
					given += share(i).Left
				}
				if share(i).Left != share(items[0]).Left && sizes[i] == sizes[items[0]] {
					t.Errorf("%v: %d steps for one, %d for another", sizes, share(i).Left, share(items[0]).Left)
				}
			}
			for _, i := range items {
				share(i).Left = 0
			}
			first = false
		})
		if given > DefaultSteps+stepsOfBytes {
			t.Errorf("%v: %d steps", sizes, given)
		}
	}
}
