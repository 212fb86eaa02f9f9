package diff

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// difference is one place at which two JSON values differ.
type difference struct {
	pointer  string          // JSON pointer of the place
	old, new json.RawMessage // nil on the side that has none
}

// walk lists the places at which two trees differ. The trees hold no Go slice: go-cmp aligns those by a search that takes
// exponential time on nested ones, and whose answer depends on the second at which the process started.
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
	old, new := w.path.Last().Values()
	d := difference{pointer: pointer(w.path)}
	if old.IsValid() {
		d.old = encode(nil, old.Interface())
	}
	if new.IsValid() {
		d.new = encode(nil, new.Interface())
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
			b.WriteString(rawjson.Join("", key))
		case int:
			fmt.Fprintf(&b, "/%d", key)
		}
	}
	return b.String()
}

// whereabouts names up to three places at which two values differ, for a message.
func whereabouts(found []difference) string {
	const shown = 3
	var names []string
	for i, d := range found {
		if i == shown {
			names = append(names, fmt.Sprintf("%d more", len(found)-shown))
			break
		}
		if d.pointer == "" {
			return "as a whole"
		}
		names = append(names, d.pointer)
	}
	return "at " + strings.Join(names, ", ")
}
