package probe

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// announcedNames are the names under which servers announce changes.
func announcedNames() []string { return []string{"tools", "prompts", "resources"} }

// announcedAs are the kinds whose change is announced under a name. Templates have none of their own.
func announcedAs(name string) []snapshot.Kind {
	switch name {
	case "tools":
		return []snapshot.Kind{snapshot.Tools}
	case "prompts":
		return []snapshot.Kind{snapshot.Prompts}
	case "resources":
		return []snapshot.Kind{snapshot.Resources, snapshot.Templates}
	}
	return nil
}

// announces are the kinds of which the server declares that it announces changes (listChanged).
func (h hello) announces() map[snapshot.Kind]bool {
	announced := map[snapshot.Kind]bool{}
	capabilities, err := readObject(h.capabilities)
	if err != nil {
		return announced
	}
	for _, name := range announcedNames() {
		capability, err := readObject(capabilities.members[name])
		if err != nil || string(capability.members["listChanged"]) != "true" {
			continue
		}
		for _, kind := range announcedAs(name) {
			announced[kind] = true
		}
	}
	return announced
}

// offered are the kinds that the server declares.
func (h hello) offered() []snapshot.Kind {
	return slices.DeleteFunc(snapshot.Kinds(), func(kind snapshot.Kind) bool {
		way, _ := surfaceOf(kind)
		return way.standing(h) != declared
	})
}

// covered tells whether changes of all that is offered are announced.
func (h hello) covered(announced map[snapshot.Kind]bool) bool {
	offered := h.offered()
	return len(offered) > 0 && !slices.ContainsFunc(offered, func(kind snapshot.Kind) bool { return !announced[kind] })
}

// filter asks for notifications of all that is announced (specification 2026-07-28, subscriptions/listen); empty =
// there is nothing to ask for.
func (h hello) filter() map[string]any {
	announced, filter := h.announces(), map[string]any{}
	for _, name := range announcedNames() {
		if announced[announcedAs(name)[0]] {
			filter[name+"ListChanged"] = true
		}
	}
	return filter
}

// grantedKinds are the kinds that a server grants in its acknowledgement of a filter.
func grantedKinds(granted rawjson.Object) map[snapshot.Kind]bool {
	announced := map[snapshot.Kind]bool{}
	for _, name := range announcedNames() {
		if yes, _ := granted.Bool(name + "ListChanged"); yes {
			for _, kind := range announcedAs(name) {
				announced[kind] = true
			}
		}
	}
	return announced
}
