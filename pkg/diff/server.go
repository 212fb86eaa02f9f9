package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// compareServer compares what a server says of itself. Instructions, identity and capabilities count only
// where both sides describe the server; a bare list does not.
func compareServer(c *comparison, old, new *snapshot.Snapshot) {
	compareProtocol(c, old.Protocol, new.Protocol)
	compareSupported(c, old.Supported, new.Supported)
	s := subject{old: old.Extra, new: new.Extra} // what this version does not know
	reportMembers(c, s, func(string) string { return "server-changed" })
	if !described(old) || !described(new) {
		return
	}
	compareInstructions(c, old.Instructions, new.Instructions)
	compareIdentity(c, viewOf(old.Server), viewOf(new.Server))
	compareCapabilities(c, viewOf(old.Capabilities), viewOf(new.Capabilities), old)
}

// compareProtocol compares the versions as texts: they are dates, so their order is that of the texts. A side
// that does not record its version is not compared.
func compareProtocol(c *comparison, old, new string) {
	if old == new || old == "" || new == "" {
		return
	}
	f := finding.Finding{Path: "/protocolVersion", Old: rawjson.Quote(old), New: rawjson.Quote(new)}
	c.report(either(new < old, "protocol-version-downgraded", "protocol-version-upgraded"), f)
	if c.eras {
		c.report("protocol-era-changed", f)
	}
}

// compareSupported compares the lists of server/discover, where both sides have one.
func compareSupported(c *comparison, old, new []string) {
	if old == nil || new == nil {
		return
	}
	s := subject{path: "/supportedVersions", old: namedAfter(old), new: namedAfter(new)}
	rule := fate{added: "protocol-version-added", removed: "protocol-version-removed"}.ofMembers(s)
	reportChanged(c, s, keys(s.old, s.new), rule, func(rule, version string) {
		c.report(rule, finding.Finding{Path: s.path, Old: s.old[version], New: s.new[version]})
	})
}

// namedAfter returns texts by themselves.
func namedAfter(texts []string) view {
	v := view{}
	for _, text := range texts {
		v[text] = rawjson.Quote(text)
	}
	return v
}

// instructions is the JSON pointer to the instructions of a server.
const instructions = "/instructions"

// compareInstructions reports a changed text, and what in it is of interest by itself, such as hidden
// characters.
func compareInstructions(c *comparison, old, new string) {
	if old == new {
		return
	}
	before, after := rawjson.Quote(old), rawjson.Quote(new)
	rules := fate{"instructions-added", "instructions-removed", "instructions-changed"}
	if rule := rules.ofText(old, new); rule != "" {
		c.report(rule, finding.Finding{Path: instructions,
			Old: either(old == "", nil, before), New: either(new == "", nil, after)})
	}
	compareTexts(c, "", instructions, before, after)
}

// compareIdentity compares serverInfo member by member. Versions have an order only if both are semantic
// versions.
func compareIdentity(c *comparison, old, new view) {
	s := subject{path: "/serverInfo", old: old, new: new}
	findOrders(c, "", s.path, old.json(), new.json())
	rule := func(key string) string {
		before, after, ok := versions(old, new)
		switch {
		case key == "name":
			return "server-name-changed"
		case key != "version":
			return "server-metadata-changed"
		case ok && semver.Compare(after, before) < 0:
			return "server-version-decreased"
		}
		return "server-version-changed"
	}
	reportMembers(c, s, rule)
}

// versions returns the versions of both sides as package semver has them; ok is false if one of them is not a
// semantic version.
func versions(old, new view) (before, after string, ok bool) {
	before = "v" + strings.TrimPrefix(old.text("version"), "v")
	after = "v" + strings.TrimPrefix(new.text("version"), "v")
	return before, after, semver.IsValid(before) && semver.IsValid(after)
}

// compareVersionStep reports breaking changes whose version is not a new major one, or below 1.0 a new minor
// one. A version that did not change is reported only if the project asks for the rule.
func compareVersionStep(c *comparison, old, new *snapshot.Snapshot) {
	const rule = "server-version-not-bumped"
	was, is := viewOf(old.Server), viewOf(new.Server)
	before, after, ok := versions(was, is)
	step := semver.Major
	if semver.Major(before) == "v0" {
		step = semver.MajorMinor
	}
	breaks := func(f finding.Finding) bool {
		return f.Level == finding.Breaking && f.Verdict != finding.Unproven
	}
	if !ok || step(before) != step(after) || semver.Compare(after, before) < 0 ||
		before == after && !slices.Contains(c.Enable, rule) || !slices.ContainsFunc(c.findings, breaks) {
		return
	}
	f := finding.Finding{Path: "/serverInfo/version", Old: was["version"], New: is["version"]}
	f.Cause = strings.TrimSuffix(c.rules[rule].message(f, nil), ".")
	for i := range c.findings {
		if c.findings[i].Rule == "server-version-changed" {
			c.findings[i].Cause = f.Cause // one step is one cause
		}
	}
	c.report(rule, f)
}

// ofClients are capabilities of clients: in the answer of a server they offer nothing.
var ofClients = []string{"elicitation", "roots", "sampling"}

// compareCapabilities compares what the server offers; capabilities of clients are left out. Options inside a
// capability are compared one by one, and extensions by rules of their own.
func compareCapabilities(c *comparison, old, new view, before *snapshot.Snapshot) {
	s := subject{path: "/capabilities", old: old, new: new}
	known := append([]string{"extensions", "experimental"}, ofClients...)
	rule := fate{"capability-added", "capability-removed", optionRemoved}.ofMembers(s)
	reportChanged(c, s, keys(old, new, known...), rule, func(rule, key string) {
		f := s.member(key)
		if rule == optionRemoved {
			compareOptions(c, f.Path, f.Old, f.New)
			return
		}
		items := ""
		if kind := snapshot.Kind(key); len(before.List(kind).Items()) > 0 {
			items = kit.Counted(len(before.List(kind).Items()), kind.Word())
		}
		c.report(rule, f, "items", items)
	})
	extensions := s.part("extensions")
	reportMembers(c, extensions,
		fate{"extension-added", "extension-removed", "extension-settings-changed"}.ofMembers(extensions))
	compareMember(c, s, "experimental-capability-changed", "experimental")
}

// compareOptions compares the options of a capability. false is the same as absent. Very many are one
// finding, at the level of the worst.
func compareOptions(c *comparison, path string, old, new json.RawMessage) {
	found, more := rawjson.Differences(treeOf(old), treeOf(new), maxListed)
	if more > 0 {
		c.report(optionRemoved, finding.Finding{
			Path: path, Old: old, New: new,
			Message: fmt.Sprintf("%d options of a capability changed.", len(found)+more),
		})
		return
	}
	for _, d := range found {
		f := finding.Finding{Path: path + d.Pointer, Old: rawjson.Find(old, d.Pointer),
			New: rawjson.Find(new, d.Pointer)}
		steps := rawjson.Split(f.Path)[1:]
		words := []string{"name", code(strings.Join(steps, ".")), "option", code(steps[len(steps)-1])}
		switch before, after := offered(f.Old), offered(f.New); {
		case !before && !after:
		case !after:
			c.report(optionRemoved, f, words...)
		case !before:
			c.report("capability-option-added", f, words...)
		default:
			c.report("capability-option-changed", f, words...)
		}
	}
}

const optionRemoved = "capability-option-removed"

func offered(option json.RawMessage) bool {
	return option != nil && string(option) != "false" && string(option) != "null"
}

// compareScope reports what of the two sides cannot be compared.
func compareScope(c *comparison, old, new *snapshot.Snapshot) {
	c.modern = isModern(new.Protocol)
	c.dynamic = string(viewOf(viewOf(new.Capabilities)["resources"])["listChanged"]) == "true"
	c.eras = old.Protocol != "" && new.Protocol != "" && isModern(old.Protocol) != isModern(new.Protocol)
	if described(old) != described(new) {
		c.report("comparison-scope-differs", finding.Finding{
			Path:    "/serverInfo",
			Message: "One side does not describe the server and its capabilities, so these are not compared.",
		})
	}
}

// described reports whether a snapshot identifies the server, as all but bare results of list requests do.
func described(s *snapshot.Snapshot) bool {
	return s.Protocol != "" || s.Server != nil || s.Capabilities != nil
}

// isModern reports whether a protocol version is of the era of 2026-07-28 and later; versions are dates.
func isModern(protocol string) bool { return protocol >= "2026-07-28" }

// compareList compares what is known of one list on both sides.
func compareList(c *comparison, kind snapshot.Kind, old, new *snapshot.Snapshot) {
	before, after := old.List(kind), new.List(kind)
	switch {
	case after.State == snapshot.Unread:
		reportUnavailable(c, before)
	case before.State == after.State && after.State == snapshot.NotOffered:
	case before.State == snapshot.Unread, recordless(old, before), recordless(new, after):
		c.report("comparison-scope-differs", finding.Finding{Path: "/" + string(kind),
			Message: fmt.Sprintf("One side has no record of %s: not compared.", kind.Plural())})
	// capability-removed speaks for them
	case after.State == snapshot.NotOffered && declares(old, kind) && !declares(new, kind):
	default:
		compareItems(c, before, after)
	}
	if before.State == snapshot.Truncated || after.State == snapshot.Truncated {
		c.report("list-incomplete", finding.Finding{
			Path: "/" + string(kind), Message: fmt.Sprintf("The list of %s was read only in part, so none "+
				"of them is reported as removed.", kind.Plural()),
		})
	}
}

// recordless reports whether a list is missing in a snapshot that does not describe the server, such as a
// bare tools/list result.
func recordless(s *snapshot.Snapshot, list snapshot.List) bool {
	// saved before there were such lists
	return list.State == snapshot.NotOffered &&
		(!described(s) || list.Kind.Extension() && declares(s, list.Kind))
}

// reportUnavailable reports a list that could not be read now but had items before. The items are not
// reported as removed, since they may still be there.
func reportUnavailable(c *comparison, before snapshot.List) {
	if len(before.Items()) == 0 {
		return
	}
	method := either(before.Kind == snapshot.Templates, "resources/templates", string(before.Kind)) + "/list"
	c.report("list-unavailable", finding.Finding{
		Path: "/" + string(before.Kind),
		Message: fmt.Sprintf("%s failed; its %d previous %s were not compared.", method, len(before.Items()),
			before.Kind.Plural()),
		Hint: "fix the server or the connection, then compare again",
	})
}

func declares(s *snapshot.Snapshot, kind snapshot.Kind) bool {
	return kind.DeclaredIn(s.Capabilities) != nil
}
