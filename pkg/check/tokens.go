package check

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/tokens"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Tokens is what a server costs every conversation that has it, in tokens of o200k_base: its instructions and its tools.
// Prompts and resources cost nothing until they are used.
func Tokens(s *snapshot.Snapshot) int { return TokensOf(s)[0] }

// TokensOf is Tokens of several surfaces. A tool that they share is counted once, which is what makes comparing two
// versions of a server cheap.
func TokensOf(surfaces ...*snapshot.Snapshot) []int {
	all, known := make([]int, len(surfaces)), map[string]int{}
	var counter tokens.Counter
	for i, s := range surfaces {
		all[i] = counter.Count(s.Instructions)
		for _, t := range s.Tools.Items() {
			n, counted := known[string(t.Raw)]
			if !counted {
				n = counter.Count(string(handedOn(t)))
				known[string(t.Raw)] = n
			}
			all[i] += n
		}
	}
	return all
}

// ToolTokens is what one tool costs: its name, description and arguments, which are what clients hand to models, as one
// line of canonical JSON.
func ToolTokens(tool snapshot.Item) int {
	return tokens.Count(string(handedOn(tool)))
}

func handedOn(tool snapshot.Item) []byte {
	parts := map[string]json.RawMessage{}
	for _, name := range []string{"name", "description", "inputSchema"} {
		if value := tool.Field(name); value != nil {
			parts[name] = value
		}
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return tool.Raw
	}
	canonical, err := rawjson.Canonical(raw)
	if err != nil {
		return raw
	}
	return canonical
}
