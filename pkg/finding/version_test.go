package finding_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"1.2.3": "1.2.3", "v1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3", "1.2.3+build": "1.2.3", "0.0.0": "0.0.0",
		"1.2": "", "1.2.3.4": "", "latest": "", "": "", "1.2.3 ": "", "99999999999999999999.0.0": "", "01.2.3": "",
	} {
		got := ""
		if v, ok := finding.ParseVersion(text); ok {
			got = v.String()
		}
		if got != want {
			t.Errorf("ParseVersion(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSteps(t *testing.T) {
	for _, test := range []struct {
		old, new string
		want     finding.Bump
	}{
		{"1.2.3", "1.2.3", "none"}, {"1.2.3", "1.2.2", "none"}, {"2.0.0", "1.9.9", "none"},
		{"1.2.3", "1.2.4", "patch"}, {"1.2.3", "1.3.0", "minor"}, {"1.2.3", "2.0.0", "major"}, {"1.9.0", "1.10.0", "minor"},
		{"0.2.3", "0.2.4", "patch"}, {"0.2.3", "0.3.0", "major"}, {"0.2.3", "1.0.0", "major"},
	} {
		old, _ := finding.ParseVersion(test.old)
		new, _ := finding.ParseVersion(test.new)
		if got := old.Step(new); got != test.want {
			t.Errorf("from %s to %s is %s, want %s", test.old, test.new, got, test.want)
		}
		if next := old.Next(test.want); test.want != finding.None && (!old.Less(next) || new.Less(next)) {
			t.Errorf("the next version of %s by %s is %s, which is not between %s and %s", test.old, test.want, next, test.old, test.new)
		}
	}
}

func TestAdvise(t *testing.T) {
	breaks, adds, rewords := removed("s", "a"), finding.Finding{Level: finding.Info, Item: "tool/b"}, finding.Finding{Level: finding.Warning, Item: "tool/b"}
	version := finding.Finding{Rule: "server-version-changed", Level: finding.Info, Path: "/serverInfo/version"}
	stale := finding.Finding{Rule: "waiver-expired", Level: finding.Breaking, Item: "waiver/x"}
	for name, test := range map[string]struct {
		old, new string
		findings []finding.Finding
		want     *finding.Advice
	}{
		"too little":          {"1.2.3", "1.3.0", []finding.Finding{version, rewords, breaks}, &finding.Advice{"1.2.3", "1.3.0", "minor", "major", "2.0.0", false}},
		"enough":              {"1.2.3", "2.0.0-rc.1", []finding.Finding{breaks}, &finding.Advice{"1.2.3", "2.0.0-rc.1", "major", "major", "2.0.0", true}},
		"more than enough":    {"1.2.3", "2.0.0", []finding.Finding{adds}, &finding.Advice{"1.2.3", "2.0.0", "major", "minor", "1.3.0", true}},
		"not stepped":         {"1.2.3", "1.2.3", []finding.Finding{rewords}, &finding.Advice{"1.2.3", "1.2.3", "none", "patch", "1.2.4", false}},
		"new and reworded":    {"1.2.3", "1.2.4", []finding.Finding{adds, rewords}, &finding.Advice{"1.2.3", "1.2.4", "patch", "minor", "1.3.0", false}},
		"below 1.0, breaks":   {"0.2.3", "0.3.0", []finding.Finding{breaks}, &finding.Advice{"0.2.3", "0.3.0", "major", "major", "0.3.0", true}},
		"below 1.0, adds":     {"0.2.3", "0.2.4", []finding.Finding{adds}, &finding.Advice{"0.2.3", "0.2.4", "patch", "minor", "0.2.4", true}},
		"only the version":    {"1.2.3", "1.2.4", []finding.Finding{version, stale}, nil},
		"nothing":             {"1.2.3", "1.2.4", nil, nil},
		"no semantic version": {"2026-01-01", "2026-02-01", []finding.Finding{breaks}, nil},
	} {
		if diff := cmp.Diff(test.want, finding.Advise(test.old, test.new, test.findings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
