package finding_test

import (
	"testing"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

func TestCallsString(t *testing.T) {
	for _, test := range []struct {
		calls      finding.Calls
		unaffected bool
		want       string
	}{
		{finding.Calls{}, false, "no valid call of this server is recorded"},
		{finding.Calls{Total: 412}, true, "none of 412 recorded calls is affected"},
		{finding.Calls{Total: 1}, true, "none of 1 recorded call is affected"},
		{finding.Calls{Total: 5, Failing: 1, Clients: []string{"a"}}, false, "1 of 5 recorded calls fails now (1 client)"},
		{finding.Calls{Total: 412, Undecided: 4}, false, "undecided for 4 of 412 recorded calls"},
		{finding.Calls{Total: 1, Failing: 1}, false, "1 of 1 recorded call fails now"},
		{finding.Calls{Total: 412, Failing: 3, Clients: []string{"a", "b"}, Last: "2026-11-20"}, false,
			"3 of 412 recorded calls fail now (2 clients, last 2026-11-20)"},
		{finding.Calls{Total: 9, Failing: 2, Undecided: 1}, false,
			"2 of 9 recorded calls fail now, undecided for 1"},
	} {
		if got := test.calls.String(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.calls, got, test.want)
		}
		if got := test.calls.Unaffected(); got != test.unaffected {
			t.Errorf("%+v: unaffected %v", test.calls, got)
		}
	}
	if none := (*finding.Calls)(nil); none.Unaffected() {
		t.Error("without recorded calls a finding counts as unaffected")
	}
}

func TestLocationOf(t *testing.T) {
	for text, want := range map[string]finding.Location{
		"mcpctl.yaml:12":        {File: "mcpctl.yaml", Line: 12},
		"a/b.json":              {File: "a/b.json", Line: 1},
		"a:1":                   {File: "a", Line: 1},
		"mcp.json:0":            {},
		":5":                    {},
		"git:main":              {},
		"https://h.example:443": {},
		"the command line":      {},
	} {
		if got := finding.LocationOf(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestWithFailOn(t *testing.T) {
	project := finding.Policy{FailOn: finding.FailOnWarning,
		Overrides: map[string]finding.Override{"a": {FailOn: finding.FailOnAny}}}
	kept, err := project.WithFailOn("")
	if err != nil || kept.FailOn != finding.FailOnWarning || kept.Overrides["a"].FailOn != finding.FailOnAny {
		t.Errorf("without a flag: %+v, %v", kept, err)
	}
	if usual, _ := (finding.Policy{}).WithFailOn(""); usual.FailOn != finding.FailOnBreaking {
		t.Errorf("without any threshold: %q", usual.FailOn)
	}
	named, err := project.WithFailOn("breaking")
	if err != nil || named.FailOn != finding.FailOnBreaking || named.Overrides["a"].FailOn != "" {
		t.Errorf("with a flag: %+v, %v", named, err)
	}
	if project.Overrides["a"].FailOn != finding.FailOnAny {
		t.Error("the flag changed the project's policy")
	}
	if _, err := project.WithFailOn("often"); err == nil {
		t.Error("an unknown threshold was accepted")
	}
}
