package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// protocolRules are on how a server speaks the protocol. Those that need a probe report nothing for a saved
// snapshot.
var protocolRules = map[string]rule{
	"stdout-noise": func(s *server, report reporter) {
		if n := len(s.Observed.Noise); n > 0 {
			first := s.Observed.Noise[0]
			report(finding.Finding{New: rawjson.Quote(first), Message: fmt.Sprintf(
				"The server wrote %s to stdout (first: %q).", kit.Counted(n, "text"), quote(first))})
		}
	},
	"reply-not-utf8": noticed("invalid-utf8"),
	"handshake-odd": noticed("version-not-for-era", "initialized-refused", "capabilities-missing",
		"instructions-not-text", "content-type-odd"),
	"capability-not-implemented": noticed("declared-not-implemented"),
	"capability-undeclared":      noticed("capability-undeclared"),
	"cursor-broken":              noticed("cursor-repeated", "cursor-not-text", "list-restarted"),
	"result-fields-missing":      noticed("result-fields-missing"),
	// another order defeats the prompt caches of clients
	"list-order-unstable": unstable(true, "A second request returned the %[1]d %[3]s in a different order."),
	"list-content-unstable": unstable(false,
		"A second request returned different %[3]s (%[1]d, then %[2]d)."),
	"duplicate-name": duplicateNames,
	"duplicate-key": combined(noticed("member-repeated"), eachItem(func(i *item, at location) {
		for _, path := range rawjson.Repeated(i.Raw) {
			at.below(path).add("", nil, "")
		}
	})),
	"item-without-name":   withoutName,
	"member-mistyped":     combined(eachItem(memberMistyped), before(modern, eachDocument(booleanProperty))),
	"header-name-invalid": eachTool(headerNameInvalid),
	"protocol-outdated": func(s *server, report reporter) {
		if p := s.Snapshot.Protocol; p != "" && p < "2025-06-18" && !s.modern() {
			report(finding.Finding{Path: "/protocolVersion", New: rawjson.Quote(p),
				Message: fmt.Sprintf("The newest revision that the server speaks is %s.", p)})
		}
	},
	"transport-deprecated": func(s *server, report reporter) {
		if s.Observed.Transport == "sse" {
			report(finding.Finding{})
		}
	},
	"feature-deprecated":      featureDeprecated,
	"item-offered-deprecated": eachItem(itemDeprecated),
}

// noticed makes a rule that reports the notices with some codes.
func noticed(codes ...string) rule {
	return func(s *server, report reporter) {
		for _, n := range s.Observed.Notices {
			if slices.Contains(codes, n.Code) {
				report(finding.Finding{New: rawjson.Quote(n.Message),
					Message: strings.TrimSuffix(n.Message, ".") + "."})
			}
		}
	}
}

// unstable makes a rule that looks for complete lists that a second request changed: with the same names in
// another order, or with other names, such as a tool that is there only at times.
func unstable(same bool, message string) rule {
	keys := func(list snapshot.List) []string {
		return kit.Map(list.Items(), func(i snapshot.Item) string { return i.Key })
	}
	return func(s *server, report reporter) {
		for _, again := range s.Observed.Again {
			list := s.Snapshot.List(again.Kind)
			first, second := keys(list), keys(again)
			if list.State == snapshot.Complete && again.State == snapshot.Complete &&
				!slices.Equal(first, second) && sameNames(first, second) == same {
				report(finding.Finding{Path: "/" + string(again.Kind),
					Message: fmt.Sprintf(message, len(first), len(second), again.Kind)})
			}
		}
	}
}

func sameNames(first, second []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(first)), slices.Sorted(slices.Values(second)))
}

// duplicateNames looks for two items of a kind with the same name or URI. A name that occurs more often is
// reported once.
func duplicateNames(s *server, report reporter) {
	count := map[string]int{}
	for _, i := range s.items {
		if count[i.id]++; i.Key != "" && count[i.id] == 2 {
			report(finding.Finding{Item: i.id, Path: "/" + i.kind.KeyField(), New: rawjson.Quote(i.Key)})
		}
	}
}

// withoutName looks for items without a usable name or URI, which are reported by their index, since no rule
// on items can name them.
func withoutName(s *server, report reporter) {
	for _, kind := range snapshot.Kinds() {
		for n, i := range s.of(kind) {
			if i.Key == "" {
				_, err := snapshot.KeyOf(kind, i.Raw)
				report(finding.Finding{Path: fmt.Sprintf("/%s/%d", kind, n),
					Message: fmt.Sprintf("Item %d of %s: %v.", n+1, kind, err)})
			}
		}
	}
}

// memberTypes are the types of members of items (schema.ts), by kind; "" = of every kind. A ! marks required
// members.
var memberTypes = map[snapshot.Kind]map[string]string{
	"": {"title": "a string", "description": "a string", "_meta": "an object", "icons": "an array"},
	snapshot.Tools: {"annotations": "an object", "outputSchema": "an object",
		"annotations/destructiveHint": "a boolean", "annotations/idempotentHint": "a boolean",
		"annotations/openWorldHint": "a boolean", "annotations/readOnlyHint": "a boolean"},
	snapshot.Prompts: {"arguments": "an array"},
	snapshot.Resources: {"name": "!a string", "mimeType": "a string", "size": "a number",
		"annotations": "an object"},
	snapshot.Templates: {"name": "!a string", "mimeType": "a string", "annotations": "an object"},
	snapshot.Skills:    {"frontmatter": "!an object"},
}

// memberMistyped reports members that typed clients refuse.
func memberMistyped(i *item, at location) {
	for _, types := range []map[string]string{memberTypes[""], memberTypes[i.kind]} {
		for _, name := range kit.SortedKeys(types) {
			want, required := strings.CutPrefix(types[name], "!")
			value, there := rawjson.At(i.fields, "/"+name)
			switch is := rawjson.TypeName(encoded(value)); {
			case i.fields == nil:
			case there && is != want:
				at.below("/"+name).add("", short(value), "%s is %s, but must be %s.",
					strings.ReplaceAll(name, "/", "."), is, want)
			case !there && required:
				at.at(name).add("", nil, "%s is missing, but must be %s.", name, want)
			}
		}
	}
}

// booleanProperty reports properties whose schema is a boolean, which clients refused before 2026-07-28.
func booleanProperty(d *document, at location) {
	if len(d.subschemas) == 0 {
		return
	}
	properties := d.subschemas[0].properties()
	for _, name := range kit.SortedKeys(properties) {
		if _, ok := properties[name].(bool); ok {
			at.at("properties", name).add("", encoded(properties[name]),
				"The schema of %q is %v, but must be an object.", name, properties[name])
		}
	}
}

var headerToken = kit.Pattern("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

const headerKeyword = "x-mcp-header"

// headerNameInvalid looks for an x-mcp-header that is not a valid name, such as "my header", is used twice in
// a tool, or is on a property that has no header. Only servers of 2026-07-28 or later are checked.
func headerNameInvalid(t *item, at location) {
	if t.input == nil || !at.server.modern() {
		return
	}
	used := map[string]bool{}
	for _, sub := range t.input.subschemas {
		value, there := sub.object[headerKeyword]
		if !there {
			continue
		}
		name, _ := value.(string)
		if fault := headerFault(sub, name, used[strings.ToLower(name)]); fault != "" {
			at.path = sub.path
			at.add(headerKeyword, encoded(value), "HTTP clients must ignore the tool: the header %q %s.",
				name, fault)
		}
		used[strings.ToLower(name)] = true
	}
}

// headerFault returns why a header name is invalid; "" when it is valid.
func headerFault(s *subschema, name string, used bool) string {
	switch {
	case !headerToken().MatchString(name):
		return "is not a valid HTTP header name"
	case used:
		return "is used twice"
	case !s.plain || s.depth == 0:
		return "is not on a property that is reached through properties only"
	case !slices.Contains([]string{"string", "integer", "boolean"}, s.string("type")):
		return "is not on a string, integer or boolean"
	}
	return ""
}

// featureDeprecated looks for what the protocol 2026-07-28 deprecated or removed: the capability logging, and
// execution in a tool.
func featureDeprecated(s *server, report reporter) {
	if s.Snapshot.Protocol < modern {
		return
	}
	if value := rawjson.ObjectOf(s.Snapshot.Capabilities)["logging"]; value != nil {
		report(finding.Finding{Path: "/capabilities/logging", New: value,
			Message: "The capability logging is deprecated since 2026-07-28."})
	}
	eachTool(func(t *item, at location) {
		if value, there := t.fields["execution"]; there {
			at.at("execution").add("", encoded(value),
				"The member execution was removed in 2026-07-28: tasks are an extension now.")
		}
	})(s, report)
}

// itemDeprecated looks for items that say they are deprecated, and reports the date and the replacement that
// they give.
func itemDeprecated(i *item, at location) {
	d, ok := wording.DeprecationOf(rawjson.ObjectOf(i.Raw))
	if !ok {
		return
	}
	message := fmt.Sprintf("The %s is deprecated", i.kind.Word())
	if !d.Sunset.IsZero() {
		message += " and may be removed from " + d.Date() + " on"
	}
	if d.Replacement != "" {
		message += "; use " + d.Replacement
	}
	at.below(d.Place).add("", nil, "%s.", message)
}
