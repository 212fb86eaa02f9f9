package check

import (
	"github.com/mcpctl/mcpctl/internal/conformance"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Exchange is a question that a server was asked on purpose, and what came of it.
type Exchange = conformance.Exchange

// conformanceRules are about what a server answered to such questions. What the specification only recommends is told as info.
var conformanceRules = func() map[string]look {
	rules := map[string]look{}
	for _, id := range conformance.Rules() {
		rules[id] = func(s *server, report tell) {
			for _, e := range s.Exchanges {
				fault, found := conformance.Judge(e)
				if !found || fault.Rule != id {
					continue
				}
				one := finding.Finding{Path: fault.Place, New: rawjson.Quote(fault.Told), Message: fault.Text, Hint: "What is wanted stands at " + fault.See}
				if fault.Should {
					one.Level = finding.Info
				}
				report(one)
			}
		}
	}
	return rules
}()
