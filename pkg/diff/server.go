package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func comparePresence(c *comparison, before, after bool) {
	switch {
	case before:
		c.report("server-removed", finding.Finding{Message: c.Absence})
	case after:
		c.report("server-added", finding.Finding{Message: c.Absence})
	}
}

func compareServer(c *comparison, old, new *snapshot.Snapshot) {
	compareProtocol(c, old.Protocol, new.Protocol)
	compareSupported(c, old.Supported, new.Supported)
	compareExtra(c, old, new)
	if !described(old) || !described(new) {
		return
	}
	compareInstructions(c, old.Instructions, new.Instructions)
	compareIdentity(c, viewOf(old.Server), viewOf(new.Server))
	compareCapabilities(c, viewOf(old.Capabilities), viewOf(new.Capabilities), old)
}

func compareProtocol(c *comparison, old, new string) {
	if old == new || old == "" || new == "" {
		return
	}
	f := finding.Finding{Path: "/protocolVersion", Old: rawjson.Quote(old), New: rawjson.Quote(new)}
	if new < old {
		c.report("protocol-version-downgraded", f)
	} else {
		c.report("protocol-version-upgraded", f)
	}
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
	rule := func(version string) string {
		return either(s.new[version] == nil, "protocol-version-removed", "protocol-version-added")
	}
	reportChanged(c, s, keys(s.old, s.new), rule, func(rule, version string) {
		c.report(rule, finding.Finding{Path: s.path, Old: s.old[version], New: s.new[version]})
	})
}

// namedAfter are texts by themselves.
func namedAfter(texts []string) view {
	v := view{}
	for _, text := range texts {
		v[text] = rawjson.Quote(text)
	}
	return v
}

// compareExtra compares members of the file that this version does not know.
func compareExtra(c *comparison, old, new *snapshot.Snapshot) {
	s := subject{old: view(old.Extra), new: view(new.Extra)}
	rule := func(string) string { return "server-changed" }
	reportChanged(c, s, keys(s.old, s.new), rule, func(rule, key string) { reportMember(c, s, rule, key) })
}

func compareInstructions(c *comparison, old, new string) {
	if old == new {
		return
	}
	f := finding.Finding{Path: "/instructions"}
	if old != "" {
		f.Old = rawjson.Quote(old)
	}
	if new != "" {
		f.New = rawjson.Quote(new)
	}
	if became := textBecame(old, new); became != "" {
		c.report("instructions-"+became, f)
	}
	compareTexts(c, "", "instructions", rawjson.Quote(old), rawjson.Quote(new))
}

func compareIdentity(c *comparison, old, new view) {
	rule := func(key string) string {
		return cmp.Or(map[string]string{"name": "server-name-changed",
			"version": "server-version-changed"}[key], "server-metadata-changed")
	}
	reportChanged(c, subject{path: "/serverInfo", old: old, new: new}, keys(old, new), rule,
		func(rule, key string) {
			f := finding.Finding{Path: rawjson.Join("/serverInfo", key), Old: old[key], New: new[key]}
			if before, after, ok := semantic(old, new); ok && key == "version" && after.Less(before) {
				c.report("server-version-decreased", f)
				// one fact is told once
				f.Cause = strings.TrimSuffix(c.rules["server-version-decreased"].message(f, nil), ".")
			}
			c.report(rule, f)
		})
}

// compareVersionStep looks at the version in the light of all findings. One that stayed is for those who ask
// for the rule.
func compareVersionStep(c *comparison, old, new *snapshot.Snapshot) {
	const rule = "server-version-not-bumped"
	before, after, ok := semantic(viewOf(old.Server), viewOf(new.Server))
	broken := slices.ContainsFunc(c.findings,
		func(f finding.Finding) bool { return f.Level == finding.Breaking })
	if !ok || !broken || after.Less(before) || before.Step(after) == finding.Major {
		return
	}
	if before == after && !slices.Contains(c.Enable, rule) {
		return
	}
	f := finding.Finding{Path: "/serverInfo/version", Old: viewOf(old.Server)["version"],
		New: viewOf(new.Server)["version"]}
	if i := slices.IndexFunc(c.findings,
		func(f finding.Finding) bool { return f.Rule == "server-version-changed" }); i >= 0 {
		f.Cause = fmt.Sprintf("The server's version changed from %s to %s, which is not a new major version",
			brief(f.Old), brief(f.New))
		c.findings[i].Cause = f.Cause // one step is told once
	}
	c.report(rule, f)
}

// ofClients are capabilities of clients: in the answer of a server they offer nothing.
var ofClients = []string{"elicitation", "roots", "sampling"}

func compareCapabilities(c *comparison, old, new view, before *snapshot.Snapshot) {
	s := subject{path: "/capabilities", old: old, new: new}
	known := append([]string{"extensions", "experimental"}, ofClients...)
	reportChanged(c, s, keys(old, new, known...),
		s.comesOrGoes("capability-added", "capability-removed", optionRemoved), func(rule, key string) {
			switch f := (finding.Finding{Path: rawjson.Join(s.path, key), Old: old[key], New: new[key]}); {
			case f.Old != nil && f.New != nil:
				compareOptions(c, f.Path, f.Old, f.New)
			case f.New == nil:
				f.Message = withdrawal(key, before)
				fallthrough
			default:
				c.report(rule, f)
			}
		})
	compareExtensions(c, viewOf(old["extensions"]), viewOf(new["extensions"]))
	if !same(old["experimental"], new["experimental"]) {
		c.report("experimental-capability-changed", finding.Finding{
			Path: "/capabilities/experimental", Old: old["experimental"], New: new["experimental"],
		})
	}
}

// withdrawal says how much goes with a capability.
func withdrawal(key string, before *snapshot.Snapshot) string {
	for _, kind := range snapshot.Kinds() {
		if n := len(before.List(kind).Items()); string(kind) == key && n > 0 {
			return fmt.Sprintf("The capability %s was removed, and with it %s.", code(key),
				kit.Counted(n, kind.Word()))
		}
	}
	return fmt.Sprintf("The capability %s was removed.", code(key))
}

// compareOptions compares what stands inside a capability. An option that is false is one that is absent.
// Very many are told as one, as bad as any of them may be.
func compareOptions(c *comparison, path string, old, new json.RawMessage) {
	differing := walk(treeOf(old), treeOf(new))
	if differing.more > 0 {
		c.report(optionRemoved, finding.Finding{
			Path: path, Old: old, New: new,
			Message: fmt.Sprintf("%d options of a capability changed.", len(differing.found)+differing.more),
		})
		return
	}
	for _, place := range differing.found {
		f := finding.Finding{Path: path + place, Old: rawjson.Find(old, place), New: rawjson.Find(new, place)}
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

func compareExtensions(c *comparison, old, new view) {
	s := subject{path: "/capabilities/extensions", old: old, new: new}
	rule := s.comesOrGoes("extension-added", "extension-removed", "extension-settings-changed")
	reportChanged(c, s, keys(old, new), rule, func(rule, key string) { reportMember(c, s, rule, key) })
}

// compareScope tells in how far the two sides can be compared at all.
func compareScope(c *comparison, old, new *snapshot.Snapshot) {
	c.modern = isModern(new.Protocol)
	c.dynamic = string(viewOf(viewOf(new.Capabilities)["resources"])["listChanged"]) == "true"
	c.eras = old.Protocol != "" && new.Protocol != "" && isModern(old.Protocol) != isModern(new.Protocol)
	if described(old) != described(new) {
		c.report("comparison-scope-differs", finding.Finding{
			Path:    "/serverInfo",
			Message: "One side says nothing of the server and its capabilities, so these are not compared.",
		})
	}
}

// described tells whether a snapshot says who the server is, as all but bare results of list requests do.
func described(s *snapshot.Snapshot) bool {
	return s.Protocol != "" || s.Server != nil || s.Capabilities != nil
}

// isModern tells the era of 2026-07-28 and later; versions are dates.
func isModern(protocol string) bool { return protocol >= "2026-07-28" }

// compareList compares what is known of one list on both sides.
func compareList(c *comparison, kind snapshot.Kind, old, new *snapshot.Snapshot) {
	before, after := old.List(kind), new.List(kind)
	switch {
	case after.State == snapshot.Unread:
		reportUnavailable(c, before)
	case before.State == after.State && after.State == snapshot.NotOffered:
	case before.State == snapshot.Unread, recordless(old, before), recordless(new, after):
		reportUnrecorded(c, kind)
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

// recordless tells whether a list is missing in a snapshot that says nothing of the server, such as a bare
// tools/list result.
func recordless(s *snapshot.Snapshot, list snapshot.List) bool {
	// saved before there were such lists
	return list.State == snapshot.NotOffered &&
		(!described(s) || list.Kind.Extension() && declares(s, list.Kind))
}

func reportUnavailable(c *comparison, before snapshot.List) {
	if len(before.Items()) == 0 {
		return
	}
	c.report("list-unavailable", finding.Finding{
		Path: "/" + string(before.Kind),
		Message: fmt.Sprintf("The list of %s could not be read this time; nothing is known of the %d that "+
			"it held.", before.Kind.Plural(), len(before.Items())),
		Hint: "mend the server or the connection, then compare again",
	})
}

func reportUnrecorded(c *comparison, kind snapshot.Kind) {
	c.report("comparison-scope-differs", finding.Finding{
		Path: "/" + string(kind), Message: fmt.Sprintf("One side holds no record of %s, so they are not "+
			"compared.", kind.Plural()),
	})
}

func declares(s *snapshot.Snapshot, kind snapshot.Kind) bool {
	return kind.DeclaredIn(s.Capabilities) != nil
}

// semantic reads the versions of both sides; false when one of them is no semantic version.
func semantic(old, new view) (before, after finding.Version, ok bool) {
	before, ok1 := finding.ParseVersion(old.text("version"))
	after, ok2 := finding.ParseVersion(new.text("version"))
	return before, after, ok1 && ok2
}
