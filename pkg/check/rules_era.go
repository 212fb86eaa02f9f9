package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// eraRows are about what a revision of the protocol brought or took away.
func eraRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "header-name-invalid", Level: finding.Breaking,
			Title:   "HTTP clients must leave the tool out",
			Doc:     "x-mcp-header asks for an argument in an HTTP header (2026-07-28, streamable HTTP). It must be a token, unique whatever the case, on a string, integer or boolean that is reached through properties only. A client that conforms leaves out a tool that breaks this: nobody calls it over HTTP.",
			Example: `{"type":"object","x-mcp-header":"Region"}`,
			Instead: "Use a header name of letters, digits and hyphens, once, on a plain property.",
		}, alone: headers},
		{Rule: finding.Rule{
			ID: "protocol-outdated", Level: finding.Info,
			Title:   "The server speaks an old revision of the protocol",
			Doc:     "Revisions before 2025-06-18 have neither structured results nor titles, and their HTTP+SSE transport is deprecated. Clients still speak them; new ones need not.",
			Example: `"protocolVersion":"2024-11-05"`,
			Instead: "Update the SDK.",
		}, alone: outdated},
		{Rule: finding.Rule{
			ID: "transport-deprecated", Level: finding.Warning,
			Title:   "The server was reached over HTTP+SSE",
			Doc:     "Streamable HTTP took the place of HTTP+SSE in 2025-03-26, and 2026-07-28 lists it among what will be removed. Clients that have dropped it cannot connect.",
			Example: `GET /sse`,
			Instead: "Offer streamable HTTP.",
		}, alone: deprecatedTransport},
		{Rule: finding.Rule{
			ID: "feature-deprecated", Level: finding.Info,
			Title:   "The server uses what 2026-07-28 removed or deprecated",
			Doc:     "The capability logging is deprecated since 2026-07-28, and execution of a tool is gone: tasks are an extension now. A server that speaks that revision says it in vain.",
			Example: `"capabilities":{"logging":{}}`,
			Instead: "Leave it out of what is sent to a client of 2026-07-28.",
		}, alone: deprecatedFeatures},
	}
}

var headerToken = expression("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

const headerKeyword = "x-mcp-header"

func headers(s *subject, report tell) {
	if !s.modern() {
		return
	}
	for _, t := range s.tools {
		for _, d := range t.schemas {
			if d.path == "/inputSchema" {
				headersOf(t, d, report)
			}
		}
	}
}

func headersOf(t tool, d document, report tell) {
	used := map[string]bool{}
	for _, p := range d.places() {
		value, asked := p.object[headerKeyword]
		if !asked {
			continue
		}
		name, _ := value.(string)
		if why := headerFault(p, name, used[strings.ToLower(name)]); why != "" {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: headerKeyword, New: encoded(value), Message: fmt.Sprintf("HTTP clients must leave the tool out: the header %q %s.", name, why)})
		}
		used[strings.ToLower(name)] = true
	}
}

// headerFault is why a header may not be asked for; empty when it may.
func headerFault(p place, name string, used bool) string {
	kind, _ := p.object["type"].(string)
	switch {
	case !headerToken().MatchString(name):
		return "is no token of HTTP"
	case used:
		return "is asked for twice"
	case !p.plain || p.depth == 0:
		return "is not on a property that is reached through properties only"
	case !slices.Contains([]string{"string", "integer", "boolean"}, kind):
		return "is on a value that is no string, integer or boolean"
	}
	return ""
}

func outdated(s *subject, report tell) {
	if p := s.Snapshot.Protocol; p != "" && p < "2025-06-18" && !s.modern() {
		report(finding.Finding{Path: "/protocolVersion", New: quoted(p), Message: fmt.Sprintf("The server speaks %s at most.", p)})
	}
}

func deprecatedTransport(s *subject, report tell) {
	if s.Observed.Transport == "sse" {
		report(finding.Finding{})
	}
}

func deprecatedFeatures(s *subject, report tell) {
	if s.Snapshot.Protocol < modern {
		return
	}
	capabilities, _ := decode(s.Snapshot.Capabilities).(map[string]any)
	if value, ok := capabilities["logging"]; ok {
		report(finding.Finding{Path: "/capabilities/logging", New: encoded(value), Message: "The capability logging is deprecated since 2026-07-28."})
	}
	for _, t := range s.tools {
		if value, ok := t.fields["execution"]; ok {
			report(finding.Finding{Item: t.id, Path: "/execution", New: encoded(value), Message: "Tools have no execution since 2026-07-28: tasks are an extension now."})
		}
	}
}
