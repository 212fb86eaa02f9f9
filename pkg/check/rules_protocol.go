package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// protocolRows are about how a server speaks the protocol.
func protocolRows() []row {
	return slices.Concat(wireRows(), listRows(), eraRows())
}

// wireRows rest on what a probe met; a saved snapshot says nothing of it.
func wireRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "stdout-noise", Level: finding.Warning,
			Title:   "The server writes to stdout what is not the protocol",
			Doc:     "Over stdio, stdout belongs to the protocol alone (specification, transports: the server must not write anything else to it). Some clients drop such lines, others end the connection.",
			Example: `a banner before the first reply`,
			Instead: "Write logs to stderr.",
		}, alone: noise},
		{Rule: finding.Rule{
			ID: "reply-not-utf8", Level: finding.Warning,
			Title:   "A reply is not valid UTF-8",
			Doc:     "Messages must be UTF-8. Clients replace what they cannot read or refuse the reply.",
			Example: `a description in Latin-1`,
			Instead: "Encode every text as UTF-8.",
		}, alone: noticed("invalid-utf8")},
		{Rule: finding.Rule{
			ID: "handshake-odd", Level: finding.Warning,
			Title:   "The handshake is not as the specification has it",
			Doc:     "The server sends no capabilities, instructions that are no text, a version that has no handshake, or refuses the client's initialized notification. Strict clients end the connection there.",
			Example: `a result of initialize without "capabilities"`,
			Instead: "Answer initialize with protocolVersion, capabilities and serverInfo.",
		}, alone: noticed("version-not-for-era", "initialized-refused", "capabilities-missing", "instructions-not-text")},
		{Rule: finding.Rule{
			ID: "capability-not-implemented", Level: finding.Warning,
			Title:   "A capability is declared and its list is not there",
			Doc:     "The server declares a capability and answers its list with \"method not found\". Clients show an error for what the server does not even want to offer.",
			Example: `capabilities {"prompts":{}}, prompts/list → -32601`,
			Instead: "Declare what is implemented only.",
		}, alone: noticed("declared-not-implemented")},
		{Rule: finding.Rule{
			ID: "cursor-broken", Level: finding.Warning,
			Title:   "Following the cursors of a list leads nowhere",
			Doc:     "A cursor comes back that was followed already, is no text, or is refused on the next request. Clients that do not notice loop for ever, or stop and lose what would follow.",
			Example: `nextCursor "a" → nextCursor "a"`,
			Instead: "Leave nextCursor out of the last page.",
		}, alone: noticed("cursor-repeated", "cursor-not-text", "list-restarted")},
		{Rule: finding.Rule{
			ID: "result-fields-missing", Level: finding.Warning,
			Title:   "A result lacks what 2026-07-28 asks for",
			Doc:     "From 2026-07-28 on the result of a list must say resultType, ttlMs and cacheScope (specification 2026-07-28, basic and caching). Without them clients do not know how long they may keep it, or refuse it.",
			Example: `{"tools":[]} → {"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"private"}`,
			Instead: "Update the SDK, or add the three members to every result.",
		}, alone: noticed("result-fields-missing")},
	}
}

func noise(s *subject, report tell) {
	if n := len(s.Observed.Noise); n > 0 {
		report(finding.Finding{
			New:     quoted(s.Observed.Noise[0]),
			Message: fmt.Sprintf("The server wrote to stdout what is not the protocol, %s; the first is shown.", times(n)),
		})
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// noticed tells each notice with one of the codes.
func noticed(codes ...string) func(*subject, tell) {
	return func(s *subject, report tell) {
		for _, n := range s.Observed.Notices {
			if slices.Contains(codes, n.Code) {
				report(finding.Finding{New: quoted(n.Message), Message: sentence(n.Message)})
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

// listRows are about the shape of lists and items.
func listRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "list-order-unstable", Level: finding.Warning,
			Title:   "The same list comes in another order each time",
			Doc:     "Asked twice, the server gave the same items in another order. The order means nothing, but it is part of the prompt: caches miss and runs differ. 2026-07-28 asks for a fixed order of tools.",
			Example: `tools a, b → tools b, a`,
			Instead: "Sort the list by name.",
		}, alone: orders},
		{Rule: finding.Rule{
			ID: "list-content-unstable", Level: finding.Warning,
			Title:   "The same list holds other items each time",
			Doc:     "Asked twice within one connection, the server gave other items. What was reviewed is not what is used.",
			Example: `tools a, b → tools a, c`,
			Instead: "Let a list depend on the configuration only, and announce changes with list_changed.",
		}, alone: contents},
		{Rule: finding.Rule{
			ID: "duplicate-name", Level: finding.Warning,
			Title:   "Several items of a list have the same name",
			Doc:     "Names of tools and prompts and URIs of resources tell items apart. Which one a client takes is not defined; some APIs refuse a request with two tools of one name.",
			Example: `tools a, a`,
			Instead: "Give each item a name of its own.",
		}, alone: duplicates},
		{Rule: finding.Rule{
			ID: "duplicate-key", Level: finding.Warning,
			Title:   "An object has a member twice",
			Doc:     "Readers of JSON differ in which one counts (RFC 8259 §4), so two clients see two different tools. It is also a way to show a reviewer one text and a model another.",
			Example: `{"name":"a","description":"x","description":"y"}`,
			Instead: "Write each member once.",
		}, alone: repeatedKeys, change: true},
		{Rule: finding.Rule{
			ID: "item-without-name", Level: finding.Breaking,
			Title:   "An item has no usable name",
			Doc:     "A tool or prompt without a name, or a resource without a URI, cannot be used. Typed clients fail on the whole list because of it.",
			Example: `{"description":"x"}`,
			Instead: "Give it a name of at least one character.",
		}, alone: nameless},
	}
}

func orders(s *subject, report tell) {
	s.again(func(kind snapshot.Kind, first, second []string) {
		if !slices.Equal(first, second) && slices.Equal(slices.Sorted(slices.Values(first)), slices.Sorted(slices.Values(second))) {
			report(finding.Finding{Path: "/" + string(kind), Message: fmt.Sprintf("Asked twice, the server gave its %d %s in another order.", len(first), kind)})
		}
	})
}

func contents(s *subject, report tell) {
	s.again(func(kind snapshot.Kind, first, second []string) {
		if !slices.Equal(slices.Sorted(slices.Values(first)), slices.Sorted(slices.Values(second))) {
			report(finding.Finding{Path: "/" + string(kind), Message: fmt.Sprintf("Asked twice, the server gave %d %s and then %d, and not the same ones.", len(first), kind, len(second))})
		}
	})
}

// again calls f with the keys of each list that was asked for twice.
func (s *subject) again(f func(kind snapshot.Kind, first, second []string)) {
	for _, second := range s.Observed.Again {
		first := s.Snapshot.List(second.Kind)
		if first.State == snapshot.Complete && second.State == snapshot.Complete {
			f(second.Kind, keys(first), keys(second))
		}
	}
}

func keys(list snapshot.List) []string {
	var all []string
	for _, i := range list.Items() {
		all = append(all, i.Key)
	}
	return all
}

func duplicates(s *subject, report tell) {
	for _, kind := range snapshot.Kinds() {
		seen := map[string]int{}
		for _, i := range itemsOf(s.Snapshot, kind) {
			if seen[i.Key]++; i.Key != "" && seen[i.Key] == 2 {
				report(finding.Finding{Item: i.id, Path: "/" + kind.KeyField(), New: quoted(i.Key)})
			}
		}
	}
}

func nameless(s *subject, report tell) {
	for _, kind := range snapshot.Kinds() {
		for n, i := range itemsOf(s.Snapshot, kind) {
			if i.Key == "" {
				_, err := snapshot.KeyOf(kind, i.Raw)
				report(finding.Finding{Path: fmt.Sprintf("/%s/%d", kind, n), Message: fmt.Sprintf("Item %d of %s: %v.", n+1, kind, err)})
			}
		}
	}
}

func repeatedKeys(s *subject, report tell) {
	for _, n := range s.Observed.Notices {
		if n.Code == "member-repeated" {
			report(finding.Finding{New: quoted(n.Message), Message: sentence(n.Message)})
		}
	}
	for _, kind := range snapshot.Kinds() {
		for _, i := range itemsOf(s.Snapshot, kind) {
			for _, path := range repeated("", i.Raw) {
				report(finding.Finding{Item: i.id, Path: path})
			}
		}
	}
}

// repeated are the pointers of the members that an object inside a value has more than once.
func repeated(path string, raw []byte) []string {
	var found []string
	if members, err := rawjson.Members(raw); err == nil {
		seen := map[string]int{}
		for _, m := range members {
			inner := rawjson.Join(path, m.Key)
			if seen[m.Key]++; seen[m.Key] == 2 {
				found = append(found, inner)
			}
			found = append(found, repeated(inner, m.Value)...)
		}
		return found
	}
	elements, _ := rawjson.Elements(raw)
	for n, element := range elements {
		found = append(found, repeated(fmt.Sprintf("%s/%d", path, n), element)...)
	}
	return found
}
