package finding_test

import (
	"testing"

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
