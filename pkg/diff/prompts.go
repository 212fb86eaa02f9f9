package diff

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// comparePrompt compares one prompt.
func comparePrompt(c *comparison, s subject) {
	const description = "prompt-description-changed"
	compareTitle(c, s, "prompt-title-changed")
	compareDescription(c, s, description, description, description)
	compareOpaque(c, s, "prompt-meta-changed", "_meta")
	compareOpaque(c, s, "prompt-icons-changed", "icons")
	compareArguments(c, s, readArguments(s.old["arguments"]), readArguments(s.new["arguments"]))
	compareRest(c, s, "name", "title", "description", "_meta", "icons", "arguments")
}

// argument is one argument of a prompt.
type argument struct {
	name string
	raw  json.RawMessage
	view
}

func (a argument) required() bool { return string(a.view["required"]) == "true" }

// readArguments are the arguments that have a name.
func readArguments(raw json.RawMessage) []argument {
	elements, _ := rawjson.Elements(raw)
	var arguments []argument
	for _, element := range elements {
		v := viewOf(element)
		arguments = append(arguments, argument{v.text("name"), element, v})
	}
	return arguments
}

func find(arguments []argument, name string) *argument {
	i := slices.IndexFunc(arguments, func(a argument) bool { return a.name == name })
	if i < 0 {
		return nil
	}
	return &arguments[i]
}

func compareArguments(c *comparison, s subject, old, new []argument) {
	renamed := map[string]bool{}
	for _, a := range old {
		switch b := find(new, a.name); {
		case b != nil:
			compareArgument(c, s, a, *b)
		default:
			reportArgumentGone(c, s, a, old, new, renamed)
		}
	}
	for _, b := range new {
		if find(old, b.name) != nil || renamed[b.name] {
			continue
		}
		rule := "prompt-optional-argument-added"
		if b.required() {
			rule = "prompt-required-argument-added"
		}
		c.report(rule, finding.Finding{Item: s.id, Path: argumentPath(b.name), New: b.raw})
	}
	before, after := sharedNames(old, new), sharedNames(new, old)
	if !slices.Equal(before, after) {
		c.report("prompt-argument-order-changed", finding.Finding{Item: s.id, Path: "/arguments", Old: asJSON(before), New: asJSON(after)})
	}
}

func argumentPath(name string) string { return rawjson.Join("/arguments", name) }

// reportArgumentGone reports an argument that is removed, or found under another name.
func reportArgumentGone(c *comparison, s subject, a argument, old, new []argument, renamed map[string]bool) {
	twins := func(side, other []argument) (found []argument) {
		for _, b := range side {
			if find(other, b.name) == nil && withoutMember(a.raw, "name") == withoutMember(b.raw, "name") {
				found = append(found, b)
			}
		}
		return found
	}
	f := finding.Finding{Item: s.id, Path: argumentPath(a.name), Old: a.raw}
	successors := twins(new, old)
	if len(successors) != 1 || len(twins(old, new)) != 1 {
		c.report("prompt-argument-removed", f)
		return
	}
	renamed[successors[0].name] = true
	f.New, f.Hint = successors[0].raw, "send "+code(successors[0].name)+" instead"
	c.report("prompt-argument-renamed", f, "new", code(successors[0].name))
}

// compareArgument compares one argument that both sides have.
func compareArgument(c *comparison, s subject, old, new argument) {
	inner := subject{kind: s.kind, id: s.id, path: argumentPath(old.name), old: old.view, new: new.view}
	const description = "prompt-argument-description-changed"
	compareDescription(c, inner, description, description, description)
	compareTitle(c, inner, "prompt-argument-title-changed")
	compareRest(c, inner, "name", "title", "description", "required")
	f := finding.Finding{Item: s.id, Path: inner.path, Member: "required", Old: old.view["required"], New: new.view["required"]}
	switch {
	case !old.required() && new.required():
		c.report("prompt-argument-became-required", f)
	case old.required() && !new.required():
		c.report("prompt-argument-became-optional", f)
	}
}

// sharedNames are the names of the arguments that the other side has too, in their own order.
func sharedNames(arguments, other []argument) []string {
	names := []string{}
	for _, a := range arguments {
		if find(other, a.name) != nil {
			names = append(names, a.name)
		}
	}
	return names
}
