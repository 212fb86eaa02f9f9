package diff

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// difference is one place at which two JSON values differ.
type difference struct {
	pointer  string          // JSON pointer of the place; that of the whole array for an element of a set
	old, new json.RawMessage // nil on the side that has none
}

// sentence says in general words what happened.
func (d difference) sentence() string {
	switch {
	case d.old == nil:
		return "A value was added."
	case d.new == nil:
		return "A value was removed."
	}
	return "The value changed."
}

// walk lists the places at which two trees differ, in the order of their pointers. The trees hold no Go slice: go-cmp
// aligns those by a search that takes exponential time on nested ones and is not the same on each run.
func walk(old, new any) []difference {
	w := &walker{}
	cmp.Equal(old, new, cmp.Reporter(w))
	return w.found
}

// walker is told each step of go-cmp's way through two values.
type walker struct {
	path  cmp.Path
	found []difference
}

// PushStep enters a member or element.
func (w *walker) PushStep(step cmp.PathStep) { w.path = append(w.path, step) }

// PopStep leaves it.
func (w *walker) PopStep() { w.path = w.path[:len(w.path)-1] }

// Report takes note of two leaves, or of a value that only one side has.
func (w *walker) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	x, y := w.path.Last().Values()
	d := difference{pointer: pointer(w.path)}
	if x.IsValid() {
		d.old = encode(x.Interface())
	}
	if y.IsValid() {
		d.new = encode(y.Interface())
	}
	w.found = append(w.found, d)
}

// pointer is the JSON pointer of a path through objects and arrays.
func pointer(path cmp.Path) string {
	var b strings.Builder
	for _, step := range path {
		index, ok := step.(cmp.MapIndex)
		if !ok {
			continue // a step into an interface
		}
		switch key := index.Key().Interface().(type) {
		case string:
			b.WriteString("/" + snapshot.PointerToken(key))
		case int:
			fmt.Fprintf(&b, "/%d", key)
		case element:
			// an element of a set has no place of its own
		}
	}
	return b.String()
}
