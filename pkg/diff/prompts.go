package diff

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
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
	gone := kit.Filter(kit.Distinct(oldNames), func(name string) bool { return new[name] == nil })
	fresh := kit.Filter(kit.Distinct(newNames), func(name string) bool { return old[name] == nil })
	renamed := map[string]bool{}
	successors := onlyAlike(gone, fresh, func(name string) string {
		return withoutName(either(old[name] != nil, old[name], new[name]))
	})
	for _, name := range kit.Distinct(oldNames) {
		f := finding.Finding{Item: s.id, Path: argumentPath(name), Old: old[name]}
		successor, found := successors[name]
		switch {
		case new[name] != nil:
			compareArgument(c, s, name, viewOf(old[name]), viewOf(new[name]))
		case found:
			renamed[successor] = true
			f.New, f.Hint = new[successor], "send "+code(successor)+" instead"
			c.report("prompt-argument-renamed", f, "new", code(successor)+codePoints(name, successor))
		default:
			c.report("prompt-argument-removed", f)
		}
	}
	for _, name := range fresh {
		if renamed[name] {
			continue
		}
		rule := either(isTrue(viewOf(new[name])["required"]), "prompt-required-argument-added",
			"prompt-optional-argument-added")
		c.report(rule, finding.Finding{Item: s.id, Path: argumentPath(name), New: new[name]})
	}
	was := slices.DeleteFunc(oldNames, func(name string) bool { return new[name] == nil })
	is := slices.DeleteFunc(newNames, func(name string) bool { return old[name] == nil })
	if !slices.Equal(was, is) {
		c.report("prompt-argument-order-changed",
			finding.Finding{Item: s.id, Path: "/arguments", Old: asJSON(was), New: asJSON(is)})
	}
}

func argumentPath(name string) string { return rawjson.Join("/arguments", name) }

// compareArgument compares an argument that both sides have. A required member that is not a boolean counts
// as false, and its change is reported as one of an unknown member.
func compareArgument(c *comparison, s subject, name string, old, new view) {
	inner := subject{kind: s.kind, id: s.id, path: argumentPath(name), name: name, old: old, new: new}
	compareDescription(c, inner, "prompt-argument")
	compareTitle(c, inner, "prompt-argument-title-changed")
	known := []string{"title", "description"} // the name is the same
	if boolean(old, "required") && boolean(new, "required") {
		known = append(known, "required")
	}
	reportUnknown(c, inner, known...)
	f := inner.keyword("required")
	switch was, is := isTrue(old["required"]), isTrue(new["required"]); {
	case !was && is:
		c.report("prompt-argument-became-required", f, inner.named()...)
	case was && !is:
		c.report("prompt-argument-became-optional", f, inner.named()...)
	}
}
