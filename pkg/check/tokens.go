package check

import (
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// bytesPerToken is the average number of bytes of canonical JSON per token. On 186 published servers the
// estimate differs from the exact count in o200k_base by 4 % (median) and 9 % (90th percentile); vendors
// differ by more.
const bytesPerToken = 4.4

// Tokens estimates the tokens of a server in every conversation: its instructions and its tools.
func Tokens(s *snapshot.Snapshot) int {
	size := len(s.Instructions)
	for _, t := range s.Tools.Items() {
		size += promptBytes(t)
	}
	return estimate(size)
}

// ToolTokens estimates the tokens of a tool: its name, description and arguments.
func ToolTokens(tool snapshot.Item) int { return estimate(promptBytes(tool)) }

// estimate returns the tokens of a text with some bytes, rounded.
func estimate(bytes int) int { return int(float64(bytes)/bytesPerToken + 0.5) }

// promptBytes returns the size of what clients pass to the model of a tool, as canonical JSON.
func promptBytes(tool snapshot.Item) int {
	var parts []rawjson.Member
	o := rawjson.ObjectOf(tool.Raw)
	for _, name := range []string{"name", "description", "inputSchema"} {
		if value := o[name]; value != nil {
			parts = append(parts, rawjson.Member{Key: name, Value: value})
		}
	}
	canonical, err := rawjson.Canonical(rawjson.Build(parts...))
	if err != nil {
		return len(tool.Raw)
	}
	return len(canonical)
}
