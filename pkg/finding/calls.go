package finding

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Calls counts the recorded calls that a finding affects.
type Calls struct {
	Total     int             `json:"total"`             // calls of the server that were valid before
	Failing   int             `json:"failing"`           // calls that fail now because of the finding
	Undecided int             `json:"undecided"`         // calls for which that cannot be decided
	Clients   []string        `json:"clients,omitempty"` // names of the clients that made the failing ones
	Last      string          `json:"last,omitempty"`    // day of the last failing call, such as 2026-11-20
	Example   json.RawMessage `json:"example,omitempty"` // arguments of a failing call, secrets masked
}

// Unaffected reports whether the recorded calls show that the finding affects none of them.
func (c *Calls) Unaffected() bool {
	return c != nil && c.Total > 0 && c.Failing == 0 && c.Undecided == 0
}

// String returns the counts as a clause, such as "3 of 412 recorded calls fail now (2 clients, last
// 2026-11-20)".
func (c *Calls) String() string {
	all := kit.Counted(c.Total, "recorded call")
	switch {
	case c.Total == 0:
		return "no valid call of this server is recorded"
	case c.Failing == 0 && c.Undecided == 0:
		return "none of " + all + " is affected"
	case c.Failing == 0:
		return fmt.Sprintf("undecided for %d of %s", c.Undecided, all)
	}
	verb := "fail"
	if c.Failing == 1 {
		verb = "fails"
	}
	says := fmt.Sprintf("%d of %s %s now", c.Failing, all, verb)
	var details []string
	if len(c.Clients) > 0 {
		details = append(details, kit.Counted(len(c.Clients), "client"))
	}
	if c.Last != "" {
		details = append(details, "last "+c.Last)
	}
	if len(details) > 0 {
		says += " (" + strings.Join(details, ", ") + ")"
	}
	if c.Undecided > 0 {
		says += fmt.Sprintf(", undecided for %d", c.Undecided)
	}
	return says
}

// ResultRule is the id of the rule about results of calls that are sent again.
const ResultRule = "call-result-unexpected"

// CallRules returns the rules of replay.
func CallRules() []Rule {
	return []Rule{{
		ID: ResultRule, Level: Breaking, Title: "The result of a call is not as recorded or expected",
		Doc: "A recorded call was sent again, or a call of mcpctl.yaml was sent, and its result differs " +
			"from the recorded one or does not meet the expectation. A text that is only longer or " +
			"shorter is info.",
		Example: `/structuredContent/total: 3 → 4`,
		Instead: "Restore the result, record the calls again, or list places that change with each call " +
			"under calls.ignore in mcpctl.yaml.",
	}}
}
