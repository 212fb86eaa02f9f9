//go:build real

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// alarming are the rules of check that must not speak of a well-known server: they report an attack or a secret.
var alarming = []string{
	"secret-exposed", "text-hidden-characters", "text-hidden-comment", "text-instructs-model", "text-names-credential-file",
	"text-names-other-server", "text-padded", "tool-name-confusable", "url-with-credentials",
}

// check looks at the server with every rule, those included that need a live one: what it writes beside the protocol, and
// whether a second listing is the same.
func (s realServer) check(t *testing.T, source []string) {
	var report struct {
		Findings []struct{ Rule, Item, Path, Message string }
	}
	if err := json.Unmarshal(mcpctl(t, 0, source, "check", "--fail-on", "never"), &report); err != nil {
		t.Fatalf("checking: %v", err)
	}
	spoke := map[string]int{}
	for _, f := range report.Findings {
		spoke[f.Rule]++
		if slices.Contains(alarming, f.Rule) || strings.HasPrefix(f.Rule, "list-") {
			t.Errorf("%s: %s %s: %s", f.Rule, f.Item, f.Path, f.Message)
		}
	}
	var told []string
	for _, rule := range slices.Sorted(maps.Keys(spoke)) {
		told = append(told, fmt.Sprintf("%s %d", rule, spoke[rule]))
	}
	t.Logf("check of %s: %s", s.Name, strings.Join(told, ", "))
}
