package diff

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// flatResourceURI is the deprecated key of _meta that MCP Apps had for ui.resourceUri.
const flatResourceURI = "ui/resourceUri"

// withApp returns a tool with the page of its app under the key of MCP Apps (2026-01-26, Resource Discovery).
func withApp(tool view) view {
	meta := viewOf(tool["_meta"])
	flat := meta[flatResourceURI]
	if flat == nil {
		return tool
	}
	app := viewOf(meta["ui"])
	delete(meta, flatResourceURI)
	if meta["ui"] == nil || len(app) > 0 && app["resourceUri"] == nil {
		app["resourceUri"] = flat
		meta["ui"] = app.json()
	}
	out := view{}
	for key, value := range tool {
		out[key] = value
	}
	out["_meta"] = meta.json()
	return out
}

// compareToolApp compares what MCP Apps say of a tool: its page, and who may call it. By default the model
// and apps may: hosts keep other tools from the model, and reject other calls of apps; other
// words in the list change nothing.
func compareToolApp(c *comparison, s subject) {
	app := s.part("_meta").part("ui")
	compareMember(c, app, "tool-ui-resource-changed", "resourceUri")
	before, beforeKnown := audience(app.old["visibility"])
	after, known := audience(app.new["visibility"])
	if !beforeKnown || !known {
		compareMember(c, app, "item-meta-changed", "visibility")
		return
	}
	for _, side := range [][2]string{{"model", "tool-hidden-from-model"}, {"app", "tool-hidden-from-app"}} {
		who, hidden := side[0], side[1]
		switch had, has := slices.Contains(before, who), slices.Contains(after, who); {
		case had && !has:
			c.report(hidden, app.member("visibility"))
		case has && !had:
			c.report("tool-visibility-widened", app.member("visibility"), "who", code(who))
		}
	}
	others := func(who []string) []string {
		who = kit.Filter(who, func(w string) bool { return w != "model" && w != "app" })
		slices.Sort(who)
		return slices.Compact(who)
	}
	if !slices.Equal(others(before), others(after)) {
		c.report("item-meta-changed", app.member("visibility"))
	}
}

// audience returns who may call a tool; known is false if it is not a list of names.
func audience(visibility json.RawMessage) (who []string, known bool) {
	if visibility == nil || string(visibility) == "null" {
		return []string{"model", "app"}, true
	}
	return texts(visibility)
}

// texts returns the strings of an array; false for anything else.
func texts(raw json.RawMessage) (all []string, ok bool) {
	return all, json.Unmarshal(raw, &all) == nil && all != nil
}

// compareResourceApp compares what the page of an app may do (MCP Apps, UI Resource Format): the origins that
// it may contact, load from, frame and use as a base, its permissions, and its own origin. What a list leaves
// out is not allowed.
func compareResourceApp(c *comparison, s subject) {
	app := s.part("_meta").part("ui")
	compareMember(c, app, "resource-app-domain-changed", "domain")
	for _, key := range []string{"csp", "permissions"} { // of another form nothing is known
		if !objectOrNone(app.old[key]) || !objectOrNone(app.new[key]) {
			compareMember(c, app, "item-meta-changed", key)
			delete(app.old, key)
			delete(app.new, key)
		}
	}
	policy := app.part("csp")
	for _, directive := range keys(policy.old, policy.new) {
		old, oldKnown := origins(policy.old[directive])
		new, known := origins(policy.new[directive])
		if !oldKnown || !known {
			compareMember(c, policy, "item-meta-changed", directive)
			continue
		}
		reportAccess(c, policy, directive, notAllowed(new, old), notAllowed(old, new))
	}
	rights := app.part("permissions")
	var gained, lost []string
	for _, right := range keys(rights.old, rights.new) {
		switch {
		case rights.old[right] == nil:
			gained = append(gained, right)
		case rights.new[right] == nil:
			lost = append(lost, right)
		}
	}
	reportAccess(c, app, "permissions", gained, lost)
}

// objectOrNone reports whether a member is absent or an object.
func objectOrNone(raw json.RawMessage) bool { return raw == nil || raw[0] == '{' }

// reportAccess reports what the page may do now and could not, and what it could and may not.
func reportAccess(c *comparison, s subject, key string, gained, lost []string) {
	for rule, names := range map[string][]string{
		"resource-app-access-widened": gained, "resource-app-access-narrowed": lost} {
		if len(names) > 0 {
			c.report(rule, s.member(key), "name", kit.Some(kit.Map(names, code)), "where", code(key))
		}
	}
}

// origins returns the origins of a directive; none if it is absent.
func origins(directive json.RawMessage) (all []string, known bool) {
	if directive == nil || string(directive) == "null" {
		return nil, true
	}
	return texts(directive)
}

// notAllowed returns the origins that none of some others allows.
func notAllowed(all, by []string) []string {
	return kit.Filter(all, func(origin string) bool {
		return !slices.ContainsFunc(by, func(pattern string) bool { return allows(pattern, origin) })
	})
}

// allows reports whether an origin of a policy allows all that another one does: it is the same, "*", or a
// wildcard for its subdomains with the same scheme.
func allows(pattern, origin string) bool {
	if pattern == origin || pattern == "*" {
		return true
	}
	p, err := url.Parse(pattern)
	o, bad := url.Parse(origin)
	if err != nil || bad != nil || p.Scheme != o.Scheme || p.Port() != o.Port() {
		return false
	}
	suffix, wildcard := strings.CutPrefix(p.Hostname(), "*")
	return wildcard && strings.HasPrefix(suffix, ".") && strings.HasSuffix(o.Hostname(), suffix) &&
		len(o.Hostname()) > len(suffix)
}
