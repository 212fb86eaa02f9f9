package diff

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

func comparePrompt(c *comparison, s subject) {
	compareTitle(c, s, "item-title-changed")
	compareDescription(c, s, "item")
	compareOpaque(c, s, "item-meta-changed", "_meta")
	compareOpaque(c, s, "item-icons-changed", "icons")
	compareArguments(c, s, readArguments(s.old["arguments"]), readArguments(s.new["arguments"]))
	compareRest(c, s, "name", "title", "description", "_meta", "icons", "arguments")
}

type argument struct {
	name string
	raw  json.RawMessage
	view
}

func (a argument) required() bool { return string(a.view["required"]) == "true" }

func readArguments(raw json.RawMessage) []argument {
	elements, _ := rawjson.Elements(raw)
	return kit.Map(elements, func(element json.RawMessage) argument {
		v := viewOf(element)
		return argument{v.text("name"), element, v}
	})
}

// byName returns arguments by their names, the first one if several share a name.
func byName(arguments []argument) map[string]*argument {
	named := make(map[string]*argument, len(arguments))
	for i, a := range arguments {
		if named[a.name] == nil {
			named[a.name] = &arguments[i]
		}
	}
	return named
}

func compareArguments(c *comparison, s subject, old, new []argument) {
	before, after := byName(old), byName(new)
	renamed := map[string]bool{}
	successors := onlyAlike(alone(old, after), alone(new, before),
		func(a *argument) string { return withoutMember(a.raw, "name") })
	for i, a := range old {
		if before[a.name] != &old[i] {
			continue // the first of a name holds
		}
		if b := after[a.name]; b != nil {
			compareArgument(c, s, a, *b)
			continue
		}
		f := finding.Finding{Item: s.id, Path: argumentPath(a.name), Old: a.raw}
		successor := successors[&old[i]]
		if successor == nil {
			c.report("prompt-argument-removed", f)
			continue
		}
		renamed[successor.name] = true
		f.New, f.Hint = successor.raw, "send "+code(successor.name)+" instead"
		c.report("prompt-argument-renamed", f, "new", code(successor.name))
	}
	for _, b := range new {
		if before[b.name] != nil || renamed[b.name] {
			continue
		}
		rule := "prompt-optional-argument-added"
		if b.required() {
			rule = "prompt-required-argument-added"
		}
		c.report(rule, finding.Finding{Item: s.id, Path: argumentPath(b.name), New: b.raw})
	}
	if was, is := sharedNames(old, after), sharedNames(new, before); !slices.Equal(was, is) {
		c.report("prompt-argument-order-changed",
			finding.Finding{Item: s.id, Path: "/arguments", Old: asJSON(was), New: asJSON(is)})
	}
}

// alone returns the arguments that the other side does not have.
func alone(arguments []argument, other map[string]*argument) []*argument {
	var found []*argument
	for i, a := range arguments {
		if other[a.name] == nil {
			found = append(found, &arguments[i])
		}
	}
	return found
}

func argumentPath(name string) string { return rawjson.Join("/arguments", name) }

func compareArgument(c *comparison, s subject, old, new argument) {
	inner := subject{kind: s.kind, id: s.id, path: argumentPath(old.name), name: old.name, old: old.view,
		new: new.view}
	compareDescription(c, inner, "prompt-argument")
	compareTitle(c, inner, "prompt-argument-title-changed")
	known := []string{"title", "description"} // the name is the same
	if boolean(old.view, "required") && boolean(new.view, "required") {
		known = append(known, "required")
	}
	compareRest(c, inner, known...)
	f := finding.Finding{Item: s.id, Path: inner.path, Member: "required", Old: old.view["required"],
		New: new.view["required"]}
	switch {
	case !old.required() && new.required():
		c.report("prompt-argument-became-required", f, inner.named()...)
	case old.required() && !new.required():
		c.report("prompt-argument-became-optional", f, inner.named()...)
	}
}

// sharedNames returns the names of the arguments that the other side has, too, in their own order.
func sharedNames(arguments []argument, other map[string]*argument) []string {
	shared := kit.Filter(arguments, func(a argument) bool { return other[a.name] != nil })
	return append([]string{}, kit.Map(shared, func(a argument) string { return a.name })...)
}
