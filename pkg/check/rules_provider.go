package check

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// providerRows are facts about the APIs of models, each with its source and the date of that source. They bind nobody but
// those who hand tools on as they are: many clients rename and rewrite first.
func providerRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "provider-tool-name", Level: finding.Warning,
			Title:   "APIs of models reject the tool's name",
			Doc:     "OpenAI and Anthropic take names of 1 to 64 letters, digits, underscores and hyphens (langchain-ai/deepagents#5953, 2026-08-28; OpenAI's error in cline/cline#11885, 2026-06-26). MCP also allows dots and 128 characters. A client that does not rename tools has its whole request refused.",
			Example: `"files.read" → "files_read"`,
			Instead: "Use up to 64 letters, digits, underscores and hyphens.",
		}, alone: providerName},
		{Rule: finding.Rule{
			ID: "provider-property-name", Level: finding.Warning,
			Title:   "An API of a model rejects the argument's name",
			Doc:     "Anthropic's API takes arguments of 1 to 64 letters, digits, dots, underscores and hyphens, and refuses the whole request because of one other (anthropics/claude-code#79418, 2026-07-20; twilio-labs/mcp#42, 2025-10-08).",
			Example: `"$top" → "top"`,
			Instead: "Rename the argument.",
		}, alone: providerProperty},
		{Rule: finding.Rule{
			ID: "provider-root-union", Level: finding.Warning,
			Title:   "APIs of models reject a union at the root of the arguments",
			Doc:     "Anthropic's API refuses inputSchema with oneOf, anyOf or allOf at its root, and with it the whole request (anthropics/claude-code#40075, 2026-03-28; anomalyco/opencode#35516, 2026-07-06, which says the same of OpenAI).",
			Example: `{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			Instead: "Say in the description which arguments go together, and check it in the tool.",
		}, alone: providerUnion},
		{Rule: finding.Rule{
			ID: "provider-array-items", Level: finding.Warning,
			Title:   "An API of a model rejects an array without items",
			Doc:     "OpenAI's API refuses a tool with {\"type\":\"array\"} that does not say what the items are: \"array schema missing items\" (meilisearch/meilisearch-mcp#27, 2025-06-05; garrytan/gbrain#1028, 2026-05-15). So does VS Code (agentscope-ai/ReMe#84, 2026-01-26).",
			Example: `{"type":"array"} → {"type":"array","items":{"type":"string"}}`,
			Instead: "Say what the items are; {} when they can be anything.",
		}, alone: providerItems},
		{Rule: finding.Rule{
			ID: "provider-type-list", Level: finding.Info,
			Title:   "Gemini's function declarations reject several types at once",
			Doc:     "\"type\" is a single word in the parameters of Gemini's function declarations, so a list of types is refused where a client does not rewrite it (sbroenne/mcp-server-excel#674, 2026-06-11; taylorwilsdon/google_workspace_mcp#1099, 2026-09-06). parametersJsonSchema takes it (danny-avila/LibreChat#13845, 2026-06-19).",
			Example: `"type":["string","null"]`,
			Instead: "Leave null out where an argument is optional anyway.",
		}, alone: providerTypes},
		{Rule: finding.Rule{
			ID: "provider-reference", Level: finding.Info,
			Title:   "APIs of models reject references in the arguments",
			Doc:     "Gemini's API refuses schemas with $ref and $defs (google-gemini/gemini-cli#13326, 2025-11-18; anomalyco/opencode#12295, 2026-02-05) where a client does not put the definitions in place first.",
			Example: `{"$ref":"#/$defs/issue"}`,
			Instead: "Write the definition where it is used.",
		}, alone: providerReference},
	}
}

var (
	providerNames = expression(`^[A-Za-z0-9_-]{1,64}$`)
	propertyNames = expression(`^[A-Za-z0-9_.-]{1,64}$`)
)

func providerName(s *subject, report tell) {
	for _, t := range s.tools {
		if t.Key != "" && !providerNames().MatchString(t.Key) {
			report(finding.Finding{Item: t.id, Path: "/name", New: quoted(t.Key)})
		}
	}
}

// eachInput calls f with every schema inside the arguments of every tool.
func (s *subject) eachInput(f func(t tool, p place)) {
	s.eachPlace(func(t tool, d document, p place) {
		if d.path == "/inputSchema" {
			f(t, p)
		}
	})
}

func providerProperty(s *subject, report tell) {
	s.eachInput(func(t tool, p place) {
		properties, _ := p.object["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if p.depth == 0 && !propertyNames().MatchString(name) {
				report(finding.Finding{Item: t.id, Path: rawjson.Join(p.path(), "properties", name), New: quoted(name)})
			}
		}
	})
}

func providerUnion(s *subject, report tell) {
	s.eachInput(func(t tool, p place) {
		for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
			if p.depth == 0 && p.object[keyword] != nil {
				report(finding.Finding{Item: t.id, Path: p.path(), Member: keyword, Message: fmt.Sprintf("APIs of models reject %s at the root of the arguments.", keyword)})
			}
		}
	})
}

func providerItems(s *subject, report tell) {
	s.eachInput(func(t tool, p place) {
		if p.object["type"] == "array" && p.object["items"] == nil && p.object["prefixItems"] == nil {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "items"})
		}
	})
}

func providerTypes(s *subject, report tell) {
	s.eachInput(func(t tool, p place) {
		if types, several := p.object["type"].([]any); several {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "type", New: encoded(types)})
		}
	})
}

// providerReference tells the first reference of a tool only: where there is one there are many.
func providerReference(s *subject, report tell) {
	told := map[string]bool{}
	s.eachInput(func(t tool, p place) {
		if target, ok := p.object["$ref"]; ok && !told[t.id] {
			told[t.id] = true
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "$ref", New: encoded(target)})
		}
	})
}
