package diff_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// TestHostileSchemasEnd compares schemas that would take hours if each change were followed to its end. The bound is a
// count of steps; the time here only tells an end from none.
func TestHostileSchemasEnd(t *testing.T) {
	for name, schema := range map[string]func(kind string) string{
		"many alternatives that overlap": overlapping,
		"references in circles":          circular,
		"many properties that change":    crowded,
	} {
		t.Run(name, func(t *testing.T) {
			surface := func(kind string) string {
				return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[{"name":"t","inputSchema":` + schema(kind) + `}]}`
			}
			start := time.Now()
			findings := diff.Compare(parse(t, surface("number")), parse(t, surface("integer")), diff.Options{})
			if elapsed := time.Since(start); elapsed > 5*time.Minute {
				t.Errorf("it took %v", elapsed)
			}
			if len(findings) == 0 {
				t.Error("nothing was told")
			}
		})
	}
}

func overlapping(kind string) string {
	var arms []string
	for i := range 30 {
		arms = append(arms, fmt.Sprintf(`{"type":"object","properties":{"a%d":{"type":"%s"},"b%d":{"pattern":"^(a|b)\\1%d"}}}`, i, kind, i%7, i))
	}
	return `{"type":"object","properties":{"p":{"oneOf":[` + strings.Join(arms, ",") + `]}}}`
}

func circular(kind string) string {
	var definitions []string
	for i := range 50 {
		definitions = append(definitions, fmt.Sprintf(
			`"D%d":{"type":"object","properties":{"l":{"$ref":"#/$defs/D%d"},"r":{"$ref":"#/$defs/D%d"},"v":{"type":"%s"}}}`, i, (i+1)%50, (i+7)%50, kind))
	}
	return `{"type":"object","properties":{"p":{"$ref":"#/$defs/D0"}},"$defs":{` + strings.Join(definitions, ",") + `}}`
}

func crowded(kind string) string {
	var properties []string
	for i := range 150 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"%s"}}}]}`, i, kind))
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
}
