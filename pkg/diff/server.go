package diff

import (
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// server compares what a server says of itself.
func (c *comparison) server(old, new *snapshot.Snapshot) {
	for _, d := range walk(serverTree(old), serverTree(new)) {
		c.add(rule("server-changed"), finding.Finding{Path: d.pointer, Old: d.old, New: d.new, Message: d.sentence()})
	}
}

func (c *comparison) unavailable(kind snapshot.Kind) {
	c.add(rule("list-unavailable"), finding.Finding{
		Path:    "/" + string(kind),
		Message: fmt.Sprintf("The list of %s could not be read, so nothing is known of what it held.", kind),
		Hint:    "mend the server or the connection, then compare again",
	})
}

// withdrawn tells of a list that the new side does not have: the capability is gone, or the list was never read.
func (c *comparison) withdrawn(kind snapshot.Kind, new *snapshot.Snapshot) {
	if declares(new.Capabilities, kind) {
		c.unavailable(kind)
		return
	}
	c.add(rule("capability-removed"), finding.Finding{
		Path:    "/" + string(kind),
		Message: fmt.Sprintf("The server offers no %s at all any more.", kind),
	})
}

// declares tells whether capabilities promise a list.
func declares(capabilities json.RawMessage, kind snapshot.Kind) bool {
	name := string(kind)
	if kind == snapshot.Templates {
		name = string(snapshot.Resources)
	}
	members, _ := snapshot.Members(capabilities)
	for _, m := range members {
		if m.Key == name {
			return true
		}
	}
	return false
}
