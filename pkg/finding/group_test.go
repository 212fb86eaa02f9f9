package finding_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// everywhere is a finding in each of some tools.
func everywhere(message string, level finding.Level, server string, tools ...string) (found []finding.Finding) {
	for _, tool := range tools {
		found = append(found, finding.Finding{
			Rule: "r", Level: level, Server: server, Item: "tool/" + tool, Path: "/inputSchema/properties/p", Message: message,
		})
	}
	return found
}

func TestGroupsReportEachChangeOnce(t *testing.T) {
	required := everywhere("`p` is now required.", finding.Breaking, "a", "x", "y", "z")
	described := everywhere("The description of `p` changed.", finding.Warning, "a", "x", "y")
	for i := range described {
		described[i].Cause = "The descriptions of arguments changed"
	}
	gone := finding.Finding{Rule: "tool-removed", Level: finding.Breaking, Server: "a", Item: "tool/old", Message: "`old` was removed."}
	fresh := []finding.Finding{
		{Rule: "tool-added", Level: finding.Info, Server: "a", Item: "tool/new", Message: "`new` is new.", Cause: "New tools"},
		{Rule: "tool-added", Level: finding.Info, Server: "a", Item: "tool/newer", Message: "`newer` is new.", Cause: "New tools"},
	}
	elsewhere := everywhere("`p` was removed.", finding.Breaking, "a", "x")
	elsewhere = append(elsewhere, everywhere("`p` was removed.", finding.Breaking, "b", "x")...)
	known := everywhere("`q` was removed.", finding.Breaking, "a", "x", "y", "z", "u")
	for i := range known {
		known[i].Waiver = &finding.Waiver{Reason: "known"}
	}

	var all []finding.Finding
	for _, some := range [][]finding.Finding{fresh, described, known, {gone}, elsewhere, required} {
		all = append(all, some...)
	}
	var titles []string
	members := 0
	for _, g := range finding.Groups(all) {
		titles = append(titles, g.Level.String()+": "+g.Title)
		members += len(g.Members)
		if got := finding.Named(all, g.Fingerprint); len(got) != len(g.Members) {
			t.Errorf("%s names %d findings, want the %d of its group", g.Fingerprint, len(got), len(g.Members))
		}
	}
	want := []string{
		"breaking: `p` is now required in 3 tools",
		"breaking: `p` was removed in `x` of 2 servers",
		"breaking: `old` was removed",
		"warning: The descriptions of arguments changed in 2 tools",
		"info: New tools: `new`, `newer`",
		"breaking: `q` was removed in 4 tools",
	}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if members != len(all) {
		t.Errorf("the groups hold %d of %d findings", members, len(all))
	}
}

// TestAGroupIsThatGroup: what joins it later is not named by the fingerprint that someone agreed to.
func TestAGroupIsThatGroup(t *testing.T) {
	two := everywhere("`p` is now required.", finding.Breaking, "a", "x", "y")
	three := everywhere("`p` is now required.", finding.Breaking, "a", "z", "y", "x")
	name := finding.Groups(two)[0].Fingerprint
	if got := finding.Named(three, name); got != nil {
		t.Errorf("%s names %d findings of a larger group", name, len(got))
	}
	if got := finding.Named(three, two[0].Fingerprint()); len(got) != 1 {
		t.Errorf("the fingerprint of one finding names %d", len(got))
	}
	swapped := []finding.Finding{two[1], two[0]}
	if got := finding.Groups(swapped)[0].Fingerprint; got != name {
		t.Errorf("in another order the group is %s, not %s", got, name)
	}
}

// TestTitles names the item, the servers or the parts of the server that a cause is about.
func TestTitles(t *testing.T) {
	removed := finding.Finding{Rule: "tool-removed", Item: "tool/x", Message: "`x` was removed.", Cause: "Removed tools"}
	of := func(f finding.Finding, server string) finding.Finding { f.Server = server; return f }
	for want, all := range map[string][]finding.Finding{
		"`x` was removed in 3 servers": {of(removed, "a"), of(removed, "b"), of(removed, "c")},
		"The tool `x` is deprecated; y replaces it": {{Rule: "item-offered-deprecated", Item: "tool/x", Path: "/description",
			Message: "The tool is deprecated; y replaces it.", Cause: "The tool is deprecated"}},
		"`x` has another schema": {{Item: "tool/x", Path: "/inputSchema", Message: "`x` has another schema."}},
		"`x` was removed in `x`": {{Item: "tool/x", Path: "/inputSchema/properties/x", Message: "`x` was removed."}},
		"Icons changed in 2 tools": {{Item: "tool/x", Path: "/icons", Cause: "Icons changed"},
			{Item: "tool/y", Path: "/icons", Cause: "Icons changed"}},
		"Tools lack a hint in 2 servers": {{Server: "a", Item: "tool/x", Path: "/annotations", Cause: "Tools lack a hint"},
			{Server: "b", Path: "/tools", Cause: "Tools lack a hint"}},
		"Tools lack a hint": {{Server: "a", Item: "tool/x", Path: "/annotations", Cause: "Tools lack a hint"},
			{Server: "a", Item: "tool/y", Path: "/annotations", Cause: "Tools lack a hint"},
			{Server: "a", Cause: "Tools lack a hint"}},
		"Icons changed in 2 items": {{Item: "tool/x", Path: "/icons", Cause: "Icons changed"},
			{Item: "prompt/y", Path: "/icons", Cause: "Icons changed"}},
	} {
		if got := finding.Groups(all)[0].Title; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestGroupsBeginWithTheWorst holds that what speaks for a group is what gives the group its level.
func TestGroupsBeginWithTheWorst(t *testing.T) {
	mixed := []finding.Finding{
		{Rule: "r", Level: finding.Breaking, Item: "tool/a", Path: "/1", Cause: "c", Waiver: &finding.Waiver{Reason: "known"}},
		{Rule: "r", Level: finding.Info, Item: "tool/a", Path: "/2", Cause: "c"},
		{Rule: "r", Level: finding.Warning, Item: "tool/a", Path: "/3", Cause: "c"},
	}
	var paths []string
	groups := finding.Groups(mixed)
	for _, f := range groups[0].Members {
		paths = append(paths, f.Path)
	}
	if diff := cmp.Diff([]string{"/3", "/2", "/1"}, paths); diff != "" || groups[0].Level != finding.Warning {
		t.Errorf("%v (-want +got):\n%s", groups[0].Level, diff)
	}
}

// TestItemWithoutName: a tool to which the server gave no name is never an empty word.
func TestItemWithoutName(t *testing.T) {
	groups := finding.Groups([]finding.Finding{
		{Rule: "tool-added", Level: finding.Info, Server: "a", Item: "tool/", Message: "`` is new.", Cause: "New tools"},
		{Rule: "tool-added", Level: finding.Info, Server: "a", Item: "tool/b", Message: "`b` is new.", Cause: "New tools"},
	})
	if got, want := groups[0].Title, "New tools: `(no name)`, `b`"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for item, want := range map[string]string{"tool/": "(no name)", "tool/a/b": "a/b", "": ""} {
		if got := finding.Name(item); got != want {
			t.Errorf("Name(%q) = %q, want %q", item, got, want)
		}
	}
}

// TestBreaksOfSomeValuesComeLast: a break that only some values show follows those that any call can show, the two
// commonest at the end.
func TestBreaksOfSomeValuesComeLast(t *testing.T) {
	var all []finding.Finding
	for _, rule := range []string{"input-fractions-rejected", "input-lower-bound-added", "input-a-narrowed", "output-a-widened",
		"tool-removed"} {
		all = append(all, finding.Finding{Rule: rule, Level: finding.Breaking, Item: "tool/a", Cause: rule})
	}
	for _, rule := range []string{"input-b-narrowed", "item-title-changed"} {
		all = append(all, finding.Finding{Rule: rule, Level: finding.Warning, Item: "tool/a", Cause: rule})
	}
	var order []string
	for _, g := range finding.Groups(all) {
		order = append(order, g.Members[0].Rule)
	}
	want := []string{"tool-removed", "input-a-narrowed", "output-a-widened", "input-fractions-rejected", "input-lower-bound-added",
		"input-b-narrowed", "item-title-changed"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}
