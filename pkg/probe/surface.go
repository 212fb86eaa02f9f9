package probe

import (
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// surface is one of the lists of a server as the protocol knows it.
type surface struct {
	kind       snapshot.Kind // also the member of the result
	stage      Stage
	method     string
	capability string
}

// surfaceOf knows how a kind is listed; ok is false for an unknown kind.
func surfaceOf(kind snapshot.Kind) (s surface, ok bool) {
	switch kind {
	case snapshot.Tools:
		return surface{kind, ListingTools, "tools/list", "tools"}, true
	case snapshot.Prompts:
		return surface{kind, ListingPrompts, "prompts/list", "prompts"}, true
	case snapshot.Resources:
		return surface{kind, ListingResources, "resources/list", "resources"}, true
	case snapshot.Templates:
		return surface{kind, ListingTemplates, "resources/templates/list", "resources"}, true
	}
	return surface{}, false
}

func (s surface) notice(code, format string, args ...any) Notice {
	return Notice{Stage: s.stage, Code: code, Message: fmt.Sprintf(format, args...)}
}

// standing is whether a server declares a capability.
type standing int

const (
	undeclared standing = iota
	declared
	untold // there are no capabilities to read
)

// standing reads the capabilities: true and every object declare one, false and null do not.
func (s surface) standing(h hello) standing {
	capabilities, err := readObject(h.capabilities)
	if err != nil {
		return untold
	}
	if value := capabilities.present(s.capability); value == nil || string(value) == "false" {
		return undeclared
	}
	return declared
}
