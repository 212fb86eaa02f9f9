package diff

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// schema compares what a tool accepts or promises.
func (c *comparison) schema(s subject, direction finding.Direction, path string, old, new json.RawMessage) {
	for _, d := range walk(schemaTree("", treeOf(old)), schemaTree("", treeOf(new))) {
		c.report(string(direction)+"-schema-changed", finding.Finding{Item: s.id, Path: path + d.pointer, Old: d.old, New: d.new})
	}
}

// schemaTree is a tree in which arrays that are sets by their keyword are sorted.
func schemaTree(key string, tree any) any {
	switch t := tree.(type) {
	case object:
		for name, member := range t {
			t[name] = schemaTree(name, member)
		}
	case array:
		elements := make([]string, len(t))
		for i, element := range t {
			t[i] = schemaTree("", element)
			elements[i] = string(encode(nil, t[i]))
		}
		if slices.Contains([]string{"required", "enum", "type"}, key) {
			slices.Sort(elements)
			for i, element := range slices.Compact(elements) {
				t[i] = treeOf(json.RawMessage(element))
			}
		}
	}
	return tree
}
