package diff_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestAnotherGeneratorOfRealServers writes the input schemas of real servers as the library
// after zod 3 would: another dialect, the bounds of safe integers, objects that are open, and parts in $defs
// that stood in their places. That is one cause, and no more than info.
func TestAnotherGeneratorOfRealServers(t *testing.T) {
	files, err := filepath.Glob("../../testdata/listings/*@*.json")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d listings, %v", len(files), err)
	}
	rewritten := 0
	for _, file := range files {
		old, now := decode(t, read(t, file)), decode(t, read(t, file))
		for i := range old["tools"].([]any) {
			before, _ := old["tools"].([]any)[i].(map[string]any)["inputSchema"].(map[string]any)
			after, _ := now["tools"].([]any)[i].(map[string]any)["inputSchema"].(map[string]any)
			if before == nil || after == nil || after["$defs"] != nil || after["definitions"] != nil {
				continue
			}
			before["$schema"], after["$schema"] = "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"
			definitions := map[string]any{}
			regenerate(after, definitions)
			if len(definitions) > 0 {
				after["$defs"] = definitions
			}
			rewritten++
		}
		findings := compared(t, parse(t, string(encode(t, old))), parse(t, string(encode(t, now))), diff.Options{})
		for _, g := range finding.Groups(findings) {
			if g.Level > finding.Info || g.Cause != "Schemas come from a different generator; callers are unaffected" {
				t.Errorf("%s: %s %s", filepath.Base(file), g.Level, g.Title)
			}
		}
	}
	if rewritten < 200 {
		t.Errorf("%d tools were rewritten", rewritten)
	}
}

// regenerate writes a schema as another library would.
func regenerate(schema, definitions map[string]any) {
	if schema["additionalProperties"] == false {
		delete(schema, "additionalProperties")
	}
	if schema["type"] == "integer" && schema["enum"] == nil {
		for keyword, bound := range map[string]string{"minimum": "-9007199254740991", "maximum": "9007199254740991"} {
			if exclusive := "exclusive" + string(keyword[0]-'a'+'A') + keyword[1:]; schema[keyword] == nil && schema[exclusive] == nil {
				schema[keyword] = json.Number(bound)
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, part := range properties {
		if part, ok := part.(map[string]any); ok {
			if regenerate(part, definitions); part["type"] == "object" && definitions[name] == nil {
				definitions[name], properties[name] = part, map[string]any{"$ref": "#/$defs" + rawjson.Join("", name)}
			}
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		regenerate(items, definitions)
	}
}
