package report

import (
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestAnswersOnce holds that what the records say of several items alike is said once, the refused calls first.
func TestAnswersOnce(t *testing.T) {
	members := []finding.Finding{
		{Item: "tool/a", Usage: &finding.Usage{Recorded: 9, Days: 30}},
		{Item: "tool/b", Usage: &finding.Usage{Recorded: 9, Calls: 3, Refused: 2, Days: 30, Consumers: []string{"x"}}},
		{Item: "tool/c", Usage: &finding.Usage{Recorded: 9, Days: 30}},
		{Item: "tool/c", Usage: &finding.Usage{Recorded: 9, Days: 30}},
		{Item: "tool/d"},
	}
	all := answers(members)
	if len(all) != 2 || all[0].Refused != 2 || strings.Join(all[1].of, " ") != "a c" {
		t.Errorf("%d answers: %+v", len(all), all)
	}
}
