package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// protocolRules are about how a server speaks the protocol; what rests on a probe says nothing of a saved
// snapshot.
var protocolRules = map[string]look{
	"stdout-noise":   noise,
	"reply-not-utf8": noticed("invalid-utf8"),
	"handshake-odd": noticed("version-not-for-era", "initialized-refused",
		"capabilities-missing", "instructions-not-text", "content-type-odd"),
	"capability-not-implemented": noticed("declared-not-implemented"),
	"cursor-broken":              noticed("cursor-repeated", "cursor-not-text", "list-restarted"),
	"result-fields-missing":      noticed("result-fields-missing"),
	"list-order-unstable":        orders,
	"list-content-unstable":      contents,
	"duplicate-name":             duplicates,
	"duplicate-key":              repeatedKeys,
	"item-without-name":          nameless,
	"member-mistyped":            mistyped,
	"header-name-invalid":        headers,
	"protocol-outdated": func(s *server, report tell) {
		if p := s.Snapshot.Protocol; p != "" && p < "2025-06-18" && !s.modern() {
			report(finding.Finding{Path: "/protocolVersion", New: rawjson.Quote(p),
				Message: fmt.Sprintf("The server speaks %s at most.", p)})
		}
	},
	"transport-deprecated": func(s *server, report tell) {
		if s.Observed.Transport == "sse" {
			report(finding.Finding{})
		}
	},
	"feature-deprecated":      deprecatedFeatures,
	"item-offered-deprecated": ofEachItem(deprecated),
}

func noise(s *server, report tell) {
	if n := len(s.Observed.Noise); n > 0 {
		report(finding.Finding{
			New: rawjson.Quote(s.Observed.Noise[0]),
			Message: fmt.Sprintf("The server wrote to stdout what is not the protocol, %s; the first text "+
				"is %q.", times(n), clip(s.Observed.Noise[0])),
		})
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func noticed(codes ...string) look {
	return func(s *server, report tell) {
		for _, n := range s.Observed.Notices {
			if slices.Contains(codes, n.Code) {
				report(finding.Finding{New: rawjson.Quote(n.Message), Message: sentence(n.Message)})
			}
		}
	}
}

func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

func orders(s *server, report tell) {
	s.again(func(kind snapshot.Kind, first, second []string) {
		if !slices.Equal(first, second) && sameNames(first, second) {
			report(finding.Finding{Path: "/" + string(kind),
				Message: fmt.Sprintf("Asked twice, the server gave its %d %s in another order.",
					len(first), kind)})
		}
	})
}

func contents(s *server, report tell) {
	s.again(func(kind snapshot.Kind, first, second []string) {
		if !sameNames(first, second) {
			report(finding.Finding{Path: "/" + string(kind),
				Message: fmt.Sprintf("Asked twice, the server gave %d %s and then %d, and not the same ones.",
					len(first), kind, len(second))})
		}
	})
}

func sameNames(first, second []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(first)), slices.Sorted(slices.Values(second)))
}

// again calls f with the keys of each list that arrived whole twice.
func (s *server) again(f func(kind snapshot.Kind, first, second []string)) {
	for _, second := range s.Observed.Again {
		first := s.Snapshot.List(second.Kind)
		if first.State == snapshot.Complete && second.State == snapshot.Complete {
			f(second.Kind, keys(first), keys(second))
		}
	}
}

func keys(list snapshot.List) []string {
	return kit.Map(list.Items(), func(i snapshot.Item) string { return i.Key })
}

func duplicates(s *server, report tell) {
	seen := map[string]int{}
	for _, i := range s.items {
		if seen[i.id]++; i.Key != "" && seen[i.id] == 2 {
			report(finding.Finding{Item: i.id, Path: "/" + i.kind.KeyField(), New: rawjson.Quote(i.Key)})
		}
	}
}

func nameless(s *server, report tell) {
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

// memberTypes are the types of items' members (schema.ts), by kind; "" = of every kind. One with a ! must be
// there.
var memberTypes = map[snapshot.Kind]map[string]string{
	"": {"title": "a string", "description": "a string", "_meta": "an object",
		"icons": "an array"},
	snapshot.Tools:   {"annotations": "an object", "outputSchema": "an object"},
	snapshot.Prompts: {"arguments": "an array"},
	snapshot.Resources: {"name": "!a string", "mimeType": "a string", "size": "a number",
		"annotations": "an object"},
	snapshot.Templates: {"name": "!a string", "mimeType": "a string", "annotations": "an object"},
	snapshot.Skills:    {"frontmatter": "!an object"},
}

// mistyped tells the members that typed clients refuse, and until 2025-11-25 the properties whose schema is
// no object.
func mistyped(s *server, report tell) {
	mistypedMembers(s, report)
	before(modern, schemasNoObjects)(s, report)
}

var mistypedMembers = ofEachItem(func(i item, report tell) {
	for _, types := range []map[string]string{memberTypes[""], memberTypes[i.kind]} {
		for _, name := range kit.SortedKeys(types) {
			p, there := i.parts[name]
			want, must := strings.CutPrefix(types[name], "!")
			if !there {
				p = &part{raw: json.RawMessage("null")}
			}
			if is := rawjson.TypeName(p.raw); i.fields != nil && (there || must) && is != want {
				spot{i.id, nil, report}.in(name).say("", short(p.value), "%s is %s, and must be %s.", name,
					is, want)
			}
		}
	}
})

var schemasNoObjects = ofTools(func(t tool, at spot) {
	for _, d := range t.schemas {
		root, _ := d.value.(map[string]any)
		properties, _ := root["properties"].(map[string]any)
		for _, name := range kit.SortedKeys(properties) {
			if _, ok := properties[name].(bool); ok {
				at.below(d.path).in("properties", name).say("", encoded(properties[name]),
					"The schema of %q is %v, and must be an object.", name, properties[name])
			}
		}
	}
})

func repeatedKeys(s *server, report tell) {
	noticed("member-repeated")(s, report)
	keysRepeated(s, report)
}

var keysRepeated = ofEachItem(func(i item, report tell) {
	if i.repeats || i.parts == nil {
		for _, path := range rawjson.Repeated(i.Raw) {
			report(finding.Finding{Item: i.id, Path: path})
		}
		return
	}
	for name, p := range i.parts {
		for _, path := range p.repeated {
			report(finding.Finding{Item: i.id, Path: rawjson.Join("", name) + path})
		}
	}
})

var headerToken = kit.Pattern("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

const headerKeyword = "x-mcp-header"

func headers(s *server, report tell) {
	if !s.modern() {
		return
	}
	for _, t := range s.tools {
		if t.input == nil {
			continue
		}
		used := map[string]bool{}
		for _, p := range t.input.places {
			value, asked := p.object[headerKeyword]
			if !asked {
				continue
			}
			name, _ := value.(string)
			if why := headerFault(p, name, used[strings.ToLower(name)]); why != "" {
				report(finding.Finding{Item: t.id, Path: p.way.place(), Member: headerKeyword,
					New: encoded(value),
					Message: fmt.Sprintf("HTTP clients must leave the tool out: the header %q %s.",
						name, why)})
			}
			used[strings.ToLower(name)] = true
		}
	}
}

// headerFault is why a header may not be asked for; empty when it may.
func headerFault(p *place, name string, used bool) string {
	switch {
	case !headerToken().MatchString(name):
		return "is no token of HTTP"
	case used:
		return "is asked for twice"
	case !p.plain || p.depth == 0:
		return "is not on a property that is reached through properties only"
	case !slices.Contains([]string{"string", "integer", "boolean"}, p.text("type")):
		return "is on a value that is no string, integer or boolean"
	}
	return ""
}

func deprecatedFeatures(s *server, report tell) {
	if s.Snapshot.Protocol < modern {
		return
	}
	if value := rawjson.ObjectOf(s.Snapshot.Capabilities)["logging"]; value != nil {
		report(finding.Finding{Path: "/capabilities/logging", New: value,
			Message: "The capability logging is deprecated since 2026-07-28."})
	}
	for _, t := range s.tools {
		if value, ok := t.fields["execution"]; ok {
			report(finding.Finding{Item: t.id, Path: "/execution", New: encoded(value),
				Message: "Tools have no execution since 2026-07-28: tasks are an extension now."})
		}
	}
}

// deprecated tells an item that says of itself that it will go.
func deprecated(i item, report tell) {
	d, told := wording.DeprecationOf(i.object())
	if !told {
		return
	}
	said := fmt.Sprintf("The %s is deprecated", i.kind.Word())
	if !d.Sunset.IsZero() {
		said += ", and may be gone from " + d.Date() + " on"
	}
	if d.Replacement != "" {
		said += "; " + d.Replacement + " replaces it"
	}
	report(finding.Finding{Item: i.id, Path: d.Place, Message: said + "."})
}
