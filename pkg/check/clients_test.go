package check_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestToolsOfApplications: for each application its servers are counted together, with the tools that it gives to its model.
func TestToolsOfApplications(t *testing.T) {
	server := func(name string, tools int, applications ...string) check.Member {
		m := check.Member{Name: name, Applications: applications, OnIn: map[string]int{}}
		for i := range tools {
			m.Tools = append(m.Tools, fmt.Sprintf("%s_%d", name, i))
		}
		return m
	}
	found := func(members ...check.Member) (says []string) {
		all := check.Together(members, check.Options{}.Budgets)
		all = slices.DeleteFunc(all, func(f finding.Finding) bool { return f.Rule != "fleet-too-many-tools" })
		for _, f := range all {
			says = append(says, f.Message)
		}
		return says
	}
	want := func(name string, got []string, messages ...string) {
		t.Helper()
		if diff := cmp.Diff(messages, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	want("of no application", found(server("a", 100), server("b", 100)),
		"The servers have 200 tools (a 100, b 100); some clients accept at most 128.")
	want("of two", found(server("a", 100, "Cursor"), server("b", 100, "Codex CLI")))
	both := []string{"Cursor", "Codex CLI"}
	want("both", found(server("a", 100, both...), server("b", 100, "Codex CLI"), server("c", 1, "Cursor")),
		"Codex CLI loads 200 tools (a 100, b 100); some clients accept at most 128.")
	limited := server("a", 100, both...)
	limited.OnIn["Codex CLI"] = 1
	want("limited in one", found(limited, server("b", 100, both...)),
		"Cursor loads 200 tools (a 100, b 100); some clients accept at most 128.")
}
