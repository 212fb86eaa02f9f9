package diff

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// presence tells that one side alone has the server.
func (c *comparison) presence(before, after bool) {
	switch {
	case before && !after:
		c.report("server-removed", finding.Finding{Message: c.Absence})
	case after && !before:
		c.report("server-added", finding.Finding{Message: c.Absence})
	}
}

// server compares what a server says of itself.
func (c *comparison) server(old, new *snapshot.Snapshot) {
	c.protocol(old.Protocol, new.Protocol)
	c.supported(old.Supported, new.Supported)
	c.extra(old, new)
	if !described(old) || !described(new) {
		return
	}
	c.instructions(old.Instructions, new.Instructions)
	c.identity(viewOf(old.Server), viewOf(new.Server))
	c.capabilities(viewOf(old.Capabilities), viewOf(new.Capabilities), old)
}

func (c *comparison) protocol(old, new string) {
	if old == new || old == "" || new == "" {
		return
	}
	f := finding.Finding{Path: "/protocolVersion", Old: quoted(old), New: quoted(new)}
	if new < old {
		c.report("protocol-version-downgraded", f)
	} else {
		c.report("protocol-version-upgraded", f)
	}
	if c.eras {
		c.report("protocol-era-changed", f)
	}
}

// supported compares the lists of server/discover, where both sides have one.
func (c *comparison) supported(old, new []string) {
	if old == nil || new == nil {
		return
	}
	for _, version := range old {
		if !slices.Contains(new, version) {
			c.report("protocol-version-removed", finding.Finding{Path: "/supportedVersions", Old: quoted(version)})
		}
	}
	for _, version := range new {
		if !slices.Contains(old, version) {
			c.report("protocol-version-added", finding.Finding{Path: "/supportedVersions", New: quoted(version)})
		}
	}
}

// extra compares members of the file that this version does not know.
func (c *comparison) extra(old, new *snapshot.Snapshot) {
	before, after := view(old.Extra), view(new.Extra)
	for _, key := range keys(before, after) {
		if !same(before[key], after[key]) {
			c.report("server-changed", finding.Finding{Path: rawjson.Join("", key), Old: before[key], New: after[key]})
		}
	}
}

func (c *comparison) instructions(old, new string) {
	f := finding.Finding{Path: "/instructions"}
	if old != "" {
		f.Old = quoted(old)
	}
	if new != "" {
		f.New = quoted(new)
	}
	switch before, after := normal(old), normal(new); {
	case before == after:
	case before == "":
		c.report("instructions-added", f)
	case after == "":
		c.report("instructions-removed", f)
	default:
		c.report("instructions-changed", f)
	}
	c.texts("", "instructions", quoted(old), quoted(new))
}

// identity compares serverInfo.
func (c *comparison) identity(old, new view) {
	for _, key := range keys(old, new) {
		if same(old[key], new[key]) {
			continue
		}
		f := finding.Finding{Path: rawjson.Join("/serverInfo", key), Old: old[key], New: new[key]}
		switch key {
		case "name":
			c.report("server-name-changed", f)
		case "version":
			c.report("server-version-changed", f)
			if before, after, ok := semantic(old, new); ok && after.Less(before) {
				c.report("server-version-decreased", f)
			}
		default:
			c.report("server-metadata-changed", f)
		}
	}
}

// versionBump looks at the version in the light of all other findings. One that is the same on both sides is a matter for
// those who ask for the rule: many servers change between releases.
func (c *comparison) versionBump(old, new *snapshot.Snapshot) {
	const rule = "server-version-not-bumped"
	before, after, ok := semantic(viewOf(old.Server), viewOf(new.Server))
	broken := slices.ContainsFunc(c.findings, func(f finding.Finding) bool { return f.Level == finding.Breaking })
	if !ok || !broken || after.Less(before) || before.Step(after) == finding.Major {
		return
	}
	if before == after && !slices.Contains(c.Enable, rule) {
		return
	}
	c.report(rule, finding.Finding{
		Path: "/serverInfo/version", Old: viewOf(old.Server)["version"], New: viewOf(new.Server)["version"],
	})
}

func (c *comparison) capabilities(old, new view, before *snapshot.Snapshot) {
	for _, key := range keys(old, new, "extensions", "experimental") {
		path := rawjson.Join("/capabilities", key)
		switch {
		case new[key] == nil:
			c.report("capability-removed", finding.Finding{Path: path, Old: old[key], Message: withdrawal(key, before)})
		case old[key] == nil:
			c.report("capability-added", finding.Finding{Path: path, New: new[key]})
		default:
			c.capabilityOptions(path, old[key], new[key])
		}
	}
	c.extensions(viewOf(old["extensions"]), viewOf(new["extensions"]))
	if !same(old["experimental"], new["experimental"]) {
		c.report("experimental-capability-changed", finding.Finding{
			Path: "/capabilities/experimental", Old: old["experimental"], New: new["experimental"],
		})
	}
}

// withdrawal says how much goes with a capability.
func withdrawal(key string, before *snapshot.Snapshot) string {
	for _, kind := range snapshot.Kinds() {
		if list := before.List(kind); string(kind) == key && list != nil && len(list.Items) > 0 {
			return fmt.Sprintf("The capability %s is gone, and with it the %d %s.", key, len(list.Items), plural(kind))
		}
	}
	return fmt.Sprintf("The capability %s is gone.", key)
}

// capabilityOptions compares what stands inside a capability. An option that is false is one that is absent.
func (c *comparison) capabilityOptions(path string, old, new json.RawMessage) {
	for _, d := range walk(treeOf(old), treeOf(new)) {
		f := finding.Finding{Path: path + d.pointer, Old: d.old, New: d.new}
		switch before, after := offered(d.old), offered(d.new); {
		case !before && !after:
		case !after:
			c.report("capability-option-removed", f)
		case !before:
			c.report("capability-option-added", f)
		default:
			c.report("capability-option-changed", f)
		}
	}
}

func offered(option json.RawMessage) bool {
	return option != nil && string(option) != "false" && string(option) != "null"
}

func (c *comparison) extensions(old, new view) {
	for _, key := range keys(old, new) {
		f := finding.Finding{Path: rawjson.Join("/capabilities/extensions", key), Old: old[key], New: new[key]}
		switch {
		case new[key] == nil:
			c.report("extension-removed", f)
		case old[key] == nil:
			c.report("extension-added", f)
		case !same(old[key], new[key]):
			c.report("extension-settings-changed", f)
		}
	}
}
