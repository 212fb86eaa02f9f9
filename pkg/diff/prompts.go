package diff

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// readArguments returns the names of a prompt's arguments in their order, and the arguments by their names,
// the first one if several share a name.
func readArguments(raw json.RawMessage) (names []string, byName map[string]json.RawMessage) {
	elements, _ := rawjson.Elements(raw)
	byName = map[string]json.RawMessage{}
	for _, element := range elements {
		name := viewOf(element).text("name")
		if names = append(names, name); byName[name] == nil {
			byName[name] = element
		}
	}
	return names, byName
}

// compareArguments pairs arguments by name. A removed argument and a new one that differ only in the name are
// reported as a rename, and the order only for arguments that both sides have.
func compareArguments(c *comparison, s subject) {
	oldNames, old := readArguments(s.old["arguments"])
	newNames, new := readArguments(s.new["arguments"])
	all := keys(old, new)
	gone := kit.Filter(all, func(name string) bool { return new[name] == nil })
	fresh := kit.Filter(all, func(name string) bool { return old[name] == nil })
	successors := onlyAlike(gone, fresh, func(name string) string {
		return withoutName(either(old[name] != nil, old[name], new[name]))
	})
	claimed := kit.Set(slices.Collect(maps.Values(successors)))
	for _, name := range all {
		f := finding.Finding{Item: s.id, Path: rawjson.Join("/arguments", name), Old: old[name],
			New: new[name]}
		successor, renamed := successors[name]
		switch {
		case renamed:
			f.New, f.Hint = new[successor], "send "+code(successor)+" instead"
			c.report("prompt-argument-renamed", f, "new", code(successor)+wording.CodePoints(name, successor))
		case f.New == nil:
			c.report("prompt-argument-removed", f)
		case f.Old != nil:
			compareArgument(c, subject{kind: s.kind, id: s.id, path: f.Path, old: viewOf(f.Old),
				new: viewOf(f.New)})
		case !claimed[name]:
			c.report(either(isTrue(viewOf(f.New)["required"]), "prompt-required-argument-added",
				"prompt-optional-argument-added"), f)
		}
	}
	compareOrder(c, "prompt-argument-order-changed", s.id, "/arguments", oldNames, newNames)
}

// compareArgument compares an argument that both sides have. A required member that is not a boolean counts
// as false, and its change is reported as one of an unknown member.
func compareArgument(c *comparison, s subject) {
	compareDescription(c, s, always("prompt-argument-description-changed"))
	compareTitle(c, s, "prompt-argument-title-changed")
	known := []string{"title", "description"} // the name is the same
	if boolean(s.old, "required") && boolean(s.new, "required") {
		known = append(known, "required")
	}
	reportUnknown(c, s, known...)
	switch was, is := isTrue(s.old["required"]), isTrue(s.new["required"]); {
	case !was && is:
		c.report("prompt-argument-became-required", s.keyword("required"))
	case was && !is:
		c.report("prompt-argument-became-optional", s.keyword("required"))
	}
}
