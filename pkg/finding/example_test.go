package finding_test

import (
	"fmt"
	"time"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

func ExamplePolicy() {
	findings := []finding.Finding{
		{Rule: "tool-removed", Level: finding.Breaking, Server: "github", Item: "tool/create_issue"},
		{Rule: "tool-added", Level: finding.Info, Server: "github", Item: "tool/issue_write"},
	}
	policy := finding.Policy{
		Rules:   map[string]finding.Level{"tool-added": finding.Off},
		Waivers: []finding.Waiver{{Rule: "tool-removed", Item: "tool/create_*", Reason: "replaced by issue_write", Expires: "2026-12-31"}},
	}
	scope := finding.Scope{Rules: []string{"tool-removed", "tool-added"}, Seen: []string{"github"}}
	for _, month := range []time.Month{time.July, time.December} {
		judged := policy.Apply(findings, scope, time.Date(2026, month, 31, 12, 0, 0, 0, time.UTC))
		fmt.Println(len(judged), judged[0].Waiver.Reason, policy.Fails(judged), finding.Policy{}.Fails(findings))
	}
	// Output:
	// 1 replaced by issue_write false true
	// 1 replaced by issue_write false true
}
