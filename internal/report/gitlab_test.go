package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// issue is an entry of GitLab's code quality report.
type issue struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// checkGitLab holds a report against GitLab's description: an array of objects with five members, each of its kind.
func checkGitLab(t testing.TB, out string) []issue {
	t.Helper()
	checkVisible(t, out)
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	var issues []issue
	if err := decoder.Decode(&issues); err != nil || issues == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	seen := map[string]bool{}
	for _, i := range issues {
		if i.Description == "" || i.CheckName == "" || i.Location.Path == "" || i.Location.Lines.Begin < 1 ||
			!slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, i.Severity) {
			t.Fatalf("something is missing: %+v", i)
		}
		if i.Fingerprint == "" || seen[i.Fingerprint] {
			t.Fatalf("the fingerprint %q is not the only one", i.Fingerprint)
		}
		seen[i.Fingerprint] = true
		for _, text := range []string{i.Description, i.CheckName, i.Location.Path} {
			checkVisible(t, text)
		}
	}
	return issues
}
