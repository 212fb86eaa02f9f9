package check

import (
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// bytesPerToken is how many bytes of canonical JSON a token has on average. On 186 published servers the
// estimate differs from the exact count in o200k_base by 4 % (median) and 9 % (90th percentile); vendors
// differ by more.
const bytesPerToken = 4.4

// Tokens estimates what a server costs in every conversation, in tokens: its instructions and its tools.
func Tokens(s *snapshot.Snapshot) int {
	size := len(s.Instructions)
	for _, t := range s.Tools.Items() {
		size += len(promptPart(t))
	}
	return estimate(size)
}

// ToolTokens estimates what one tool costs, in tokens: its name, description and arguments.
func ToolTokens(tool snapshot.Item) int { return estimate(len(promptPart(tool))) }

// estimate returns the tokens of a text of some bytes, rounded.
func estimate(size int) int { return int(float64(size)/bytesPerToken + 0.5) }

// promptPart returns what clients pass to the model of a tool, as one line of canonical JSON.
func promptPart(tool snapshot.Item) []byte {
	var parts []rawjson.Member
	o := rawjson.ObjectOf(tool.Raw)
	for _, name := range []string{"name", "description", "inputSchema"} {
		if value := o[name]; value != nil {
			parts = append(parts, rawjson.Member{Key: name, Value: value})
		}
	}
	canonical, err := rawjson.Canonical(rawjson.Build(parts...))
	if err != nil {
		return tool.Raw
	}
	return canonical
}
