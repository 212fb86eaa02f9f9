package finding_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

func removed(server, tool string) finding.Finding {
	return finding.Finding{Rule: "tool-removed", Level: finding.Breaking, Server: server, Item: "tool/" + tool}
}

func narrowed() finding.Finding {
	f := base()
	f.Path, f.Member = "/inputSchema/properties/limit", "type"
	return f
}

// noon is a moment of the last day of June.
func noon() time.Time { return time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC) }

func TestWaiverCovers(t *testing.T) {
	for name, test := range map[string]struct {
		waiver finding.Waiver
		want   bool
	}{
		"rule alone":             {finding.Waiver{Rule: "input-type-narrowed"}, true},
		"another rule":           {finding.Waiver{Rule: "tool-removed"}, false},
		"rule pattern":           {finding.Waiver{Rule: "input-*"}, true},
		"server":                 {finding.Waiver{Rule: "*", Server: "github"}, true},
		"another server":         {finding.Waiver{Rule: "*", Server: "gitlab"}, false},
		"server pattern":         {finding.Waiver{Rule: "*", Server: "git*"}, true},
		"item":                   {finding.Waiver{Rule: "*", Item: "tool/create_issue"}, true},
		"item pattern":           {finding.Waiver{Rule: "*", Item: "tool/*"}, true},
		"another kind":           {finding.Waiver{Rule: "*", Item: "prompt/*"}, false},
		"path":                   {finding.Waiver{Rule: "*", Path: "/inputSchema/properties/limit"}, true},
		"path with the member":   {finding.Waiver{Rule: "*", Path: "/inputSchema/properties/limit/type"}, true},
		"path pattern":           {finding.Waiver{Rule: "*", Path: "/inputSchema/*"}, true},
		"another path":           {finding.Waiver{Rule: "*", Path: "/inputSchema/properties"}, false},
		"all but one of several": {finding.Waiver{Rule: "input-*", Server: "github", Item: "tool/*", Path: "/outputSchema/*"}, false},
		"no rule covers nothing": {finding.Waiver{Server: "github"}, false},
	} {
		if got := test.waiver.Covers(narrowed()); got != test.want {
			t.Errorf("%s: covers %v, want %v", name, got, test.want)
		}
	}
}

func TestDayEnds(t *testing.T) {
	day, err := finding.ParseDay("2026-06-30")
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	if day.Over(end.Add(-time.Nanosecond)) || !day.Over(end) {
		t.Error("the day does not end at midnight UTC")
	}
	if early := end.Add(-time.Hour).In(time.FixedZone("", 5*3600)); day.Over(early) {
		t.Errorf("the day is over at %s, which is still June in UTC", early)
	}
	if finding.Day("").Over(end) {
		t.Error("no day ended")
	}
	for _, wrong := range []string{"", "2026-02-30", "2026-6-1", "tomorrow", "2026-06-30T00:00:00Z"} {
		if _, err := finding.ParseDay(wrong); err == nil {
			t.Errorf("%q was read as a day", wrong)
		}
	}
}

// told is what Apply gave, a line for each finding.
func told(findings []finding.Finding) []string {
	lines := []string{}
	for _, f := range findings {
		line := fmt.Sprintf("%s %s %s %s", f.Level, f.Rule, f.Server, f.Item)
		if f.Waiver != nil {
			line += " waived: " + f.Waiver.Reason
		}
		lines = append(lines, line)
	}
	return lines
}

func TestApplyReplacesLevels(t *testing.T) {
	p := finding.Policy{
		Rules: map[string]finding.Level{"tool-removed": finding.Warning, "input-type-narrowed": finding.Off},
		Overrides: map[string]finding.Override{
			"github": {Rules: map[string]finding.Level{"input-type-narrowed": finding.Info}},
			"legacy": {Rules: map[string]finding.Level{"tool-removed": finding.Off}},
		},
	}
	given := []finding.Finding{removed("legacy", "a"), removed("other", "a"), narrowed()}
	narrowedElsewhere := narrowed()
	narrowedElsewhere.Server = "other"
	got := told(p.Apply(append(given, narrowedElsewhere), finding.Scope{}, noon()))
	want := []string{"info input-type-narrowed github tool/create_issue", "warning tool-removed other tool/a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if given[0].Level != finding.Breaking {
		t.Error("Apply changed what it was given")
	}
}

func TestFails(t *testing.T) {
	failOn := func(all, github finding.Threshold) finding.Policy {
		return finding.Policy{FailOn: all, Overrides: map[string]finding.Override{"github": {FailOn: github}}}
	}
	waived := removed("github", "a")
	waived.Waiver = &finding.Waiver{Rule: "*", Reason: "known"}
	unused, used := removed("github", "a"), removed("github", "a")
	unused.Calls, used.Calls = &finding.Calls{Total: 1}, &finding.Calls{Total: 1, Failing: 1}
	for name, test := range map[string]struct {
		policy  finding.Policy
		finding finding.Finding
		want    bool
	}{
		"at the threshold":       {failOn("breaking", ""), removed("github", "a"), true},
		"waived":                 {failOn("any", "any"), waived, false},
		"the server's own wins":  {failOn("breaking", "never"), removed("github", "a"), false},
		"the server's own fails": {failOn("never", "info"), removed("github", "a"), true},
		"another server":         {failOn("never", "info"), removed("gitlab", "a"), false},
		"no recorded call fails": {failOn("used-breaking", ""), unused, false},
		"a recorded call fails":  {failOn("used-breaking", ""), used, true},
		"no call is recorded":    {failOn("used-breaking", ""), removed("github", "a"), true},
		"used or not":            {failOn("breaking", ""), unused, true},
		"nothing decided":        {finding.Policy{}, removed("github", "a"), true},
	} {
		if got := test.policy.Fails([]finding.Finding{test.finding}); got != test.want {
			t.Errorf("%s: fails %v, want %v", name, got, test.want)
		}
	}
}

// TestAWaiverByFingerprint: a waiver of one finding, or of a group, leaves all others as they are.
func TestAWaiverByFingerprint(t *testing.T) {
	two := everywhere("`p` is now required.", finding.Breaking, "a", "x", "y")
	other := removed("github", "a")
	for name, test := range map[string]struct {
		fingerprint string
		waived      int
	}{
		"one":     {two[0].Fingerprint(), 1},
		"a group": {finding.Groups(two)[0].Fingerprint, 2},
		"none":    {"000000000000", 0},
	} {
		p := finding.Policy{Waivers: []finding.Waiver{{Rule: "*", Fingerprint: test.fingerprint, Reason: "known"}}}
		judged := p.Apply(append(slices.Clone(two), other), finding.Scope{}, noon())
		waived := 0
		for i, f := range judged {
			if judged[i].Level != finding.Breaking {
				t.Errorf("%s: the level of %s moved to %s", name, f.Rule, f.Level)
			}
			if f.Waiver != nil {
				waived++
			}
		}
		if waived != test.waived || !p.Fails(judged) {
			t.Errorf("%s: %d findings are waived, want %d, and one that is left fails", name, waived, test.waived)
		}
	}
}

// TestACheckHasItsOwnThreshold: what a project says for comparisons is nothing to a check.
func TestACheckHasItsOwnThreshold(t *testing.T) {
	p := finding.Policy{
		FailOn:    finding.FailOnNever,
		Overrides: map[string]finding.Override{"a": {FailOn: finding.FailOnNever}, "b": {CheckFailOn: finding.FailOnNever}},
	}
	for server, want := range map[string]finding.Threshold{"a": finding.FailOnWarning, "b": finding.FailOnNever,
		"c": finding.FailOnWarning} {
		if got := p.CheckPolicy().Threshold(server); got != want {
			t.Errorf("a check of %s fails on %s, want %s", server, got, want)
		}
	}
	p.CheckFailOn = finding.FailOnBreaking
	if got := p.CheckPolicy().Threshold("c"); got != finding.FailOnBreaking {
		t.Errorf("a check fails on %s, want what the project says of checks", got)
	}
}

func TestAcceptable(t *testing.T) {
	for rule, f := range map[string]finding.Finding{
		"tool-removed":             {Item: "tool/a", Old: json.RawMessage("{}")},
		"waiver-expired":           {Item: "waiver/a", New: json.RawMessage("{}")},
		"comparison-scope-differs": {Path: "/serverInfo"},
	} {
		if f.Acceptable() != (rule == "tool-removed") {
			t.Errorf("%s can be accepted: %v", rule, f.Acceptable())
		}
	}
}

func TestEnabled(t *testing.T) {
	p := finding.Policy{
		Rules: map[string]finding.Level{"c": finding.Info, "a": finding.Warning, "off": finding.Off},
		Overrides: map[string]finding.Override{"x": {Rules: map[string]finding.Level{"a": finding.Off, "off": finding.Info,
			"b": finding.Info}}},
	}
	if diff := cmp.Diff([]string{"a", "c"}, p.Enabled("y")); diff != "" {
		t.Errorf("for a server without overrides (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b", "c", "off"}, p.Enabled("x")); diff != "" {
		t.Errorf("for a server with overrides (-want +got):\n%s", diff)
	}
}

// TestWaivers runs one waiver against a finding of tool/a of github, and a scope in which github was seen,
// gitlab was asked and did not answer in full, and absent was not asked.
func TestWaivers(t *testing.T) {
	seen := finding.Scope{Rules: []string{"tool-removed", "tool-added"}, Others: []string{"check-only"}, Seen: []string{"github"},
		Partial: []string{"gitlab"}, Absent: []string{"absent"}}
	const counts, isWaived = "breaking tool-removed github tool/a", "breaking tool-removed github tool/a waived: known"
	for name, test := range map[string]struct {
		waiver finding.Waiver
		want   []string
	}{
		"holds":                 {finding.Waiver{Rule: "tool-removed"}, []string{isWaived}},
		"holds on its last day": {finding.Waiver{Rule: "tool-removed", Expires: "2026-06-30"}, []string{isWaived}},
		"expired": {finding.Waiver{Rule: "tool-removed", Server: "github", Expires: "2026-06-29"},
			[]string{counts, "warning waiver-expired github waiver/tool-removed"}},
		"expired, matching nothing": {finding.Waiver{Rule: "tool-added", Server: "github", Expires: "2026-06-29"},
			[]string{counts, "warning waiver-unused github waiver/tool-added"}},
		"expired, maybe elsewhere":    {finding.Waiver{Rule: "tool-added", Server: "g*", Expires: "2026-06-29"}, []string{counts}},
		"expired, another server":     {finding.Waiver{Rule: "tool-removed", Server: "elsewhere", Expires: "2026-06-29"}, []string{counts}},
		"expired, server not in full": {finding.Waiver{Rule: "tool-removed", Server: "gitlab", Expires: "2026-06-29"}, []string{counts}},
		"expired, server not asked":   {finding.Waiver{Rule: "tool-removed", Server: "absent", Expires: "2026-06-29"}, []string{counts}},
		"unused, server not asked":    {finding.Waiver{Rule: "tool-removed", Server: "*b*", Item: "tool/b"}, []string{counts}},
		"unused": {finding.Waiver{Rule: "tool-removed", Server: "github", Item: "tool/b"},
			[]string{counts, "warning waiver-unused github waiver/tool-removed"}},
		"unused, server not seen":  {finding.Waiver{Rule: "tool-removed", Server: "gitlab", Item: "tool/b"}, []string{counts}},
		"unused, maybe elsewhere":  {finding.Waiver{Rule: "tool-removed", Item: "tool/b"}, []string{counts}},
		"unused, unknown server":   {finding.Waiver{Rule: "tool-removed", Server: "elsewhere"}, []string{counts}},
		"unused, rule not applied": {finding.Waiver{Rule: "check-only", Server: "github"}, []string{counts}},
		"unused, pattern over both": {finding.Waiver{Rule: "*", Server: "github", Item: "tool/b"},
			[]string{counts, "info waiver-unused github waiver/*"}},
		"unused, pattern": {finding.Waiver{Rule: "tool-*", Server: "github", Item: "tool/b"},
			[]string{counts, "warning waiver-unused github waiver/tool-*"}},
	} {
		t.Run(name, func(t *testing.T) {
			test.waiver.Reason = "known"
			p := finding.Policy{Waivers: []finding.Waiver{test.waiver}}
			if diff := cmp.Diff(test.want, told(p.Apply([]finding.Finding{removed("github", "a")}, seen, noon()))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnExpiredWaiverGivesWayToTheNext(t *testing.T) {
	p := finding.Policy{Waivers: []finding.Waiver{
		{Rule: "tool-removed", Reason: "old", Expires: "2025-01-01"}, {Rule: "tool-*", Reason: "renewed"}, {Rule: "*", Reason: "third"},
	}}
	got := told(p.Apply([]finding.Finding{removed("github", "a")}, finding.Scope{}, noon()))
	if diff := cmp.Diff([]string{"breaking tool-removed github tool/a waived: renewed"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindingAboutAWaiver(t *testing.T) {
	p := finding.Policy{Waivers: []finding.Waiver{{Rule: "a", Item: "tool/x", Server: "s", Reason: "r", Expires: "2025-01-01",
		Source: finding.Location{File: "mcpctl.yaml", Line: 3}}}}
	got := p.Apply(nil, finding.Scope{Rules: []string{"a"}, Seen: []string{"s"}}, noon())
	want := "The waiver of a for tool/x of server s (mcpctl.yaml:3) matches nothing, and expired on 2025-01-01."
	if len(got) != 1 || got[0].Message != want || got[0].Hint == "" {
		t.Errorf("got %+v, want the message %q", got, want)
	}
	if at := got[0].Location; at == nil || at.String() != "mcpctl.yaml:3" {
		t.Errorf("the finding is at %v", at)
	}
	if diff := cmp.Diff(`{"rule":"a","server":"s","item":"tool/x","reason":"r","expires":"2025-01-01"}`, string(got[0].New)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTolerated(t *testing.T) {
	all := []finding.Tolerance{{Server: "a", Reason: "old", Expires: "2026-06-29"}, {Server: "a", Reason: "moving", Expires: "2026-06-30"}}
	if got := finding.Tolerated(all, "a", noon()); got == nil || got.Reason != "moving" {
		t.Errorf("tolerated by %+v", got)
	}
	if finding.Tolerated(all, "a", noon().Add(12*time.Hour)) != nil || finding.Tolerated(all, "b", noon()) != nil {
		t.Error("what is over, or about another server, is tolerated")
	}
}

// TestEnded returns the tolerance of the server that ended last, and describes it with its place.
func TestEnded(t *testing.T) {
	all := []finding.Tolerance{
		{Server: "a", Expires: "2026-06-28"},
		{Server: "a", Expires: "2026-06-29", Source: finding.Location{File: "mcpctl.yaml", Line: 3}},
		{Server: "a", Expires: "2026-06-29"}, {Server: "a", Expires: "2026-06-27"}, {Server: "b", Expires: "2026-06-29"},
		{Server: "a", Expires: "2026-06-30"}, {Server: "a"}, {Server: "c"}}
	for server, want := range map[string]string{
		"a": "the tolerance of server a (mcpctl.yaml:3)", "b": "the tolerance of server b", "c": "", "d": ""} {
		got := ""
		if ended := finding.Ended(all, server, noon()); ended != nil {
			got = ended.String()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", server, got, want)
		}
	}
}

// TestDays: a day is near from 14 days before its end, today included, and over when it has ended in UTC.
func TestDays(t *testing.T) {
	now := time.Date(2026, 6, 30, 23, 59, 0, 0, time.UTC)
	for day, want := range map[finding.Day]string{
		"": "", "2026-06-29": "over", "2026-06-30": "near", "2026-07-14": "near", "2026-07-15": "",
	} {
		got := ""
		switch {
		case day.Over(now):
			got = "over"
		case day.Near(now):
			got = "near"
		}
		if got != want {
			t.Errorf("%q is %q, want %q", day, got, want)
		}
	}
}
