package snapshot_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestTheDocumentedFileIsCanonical reads the example of the format's description.
func TestTheDocumentedFileIsCanonical(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```json\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no example")
	}
	if diff := cmp.Diff(example, string(encoded(t, parsed(t, []byte(example))))); diff != "" {
		t.Errorf("(-example +canonical):\n%s", diff)
	}
	validate(t, []byte(example))
}

func TestTheSchemaRefuses(t *testing.T) {
	schema := formatSchema(t)
	for _, file := range []string{`{}`, `{"mcpctl":2}`, `{"mcpctl":1,"tools":{}}`, `{"mcpctl":1,"ttlMs":5}`,
		`{"mcpctl":1,"protocolVersion":7}`} {
		if schema.Validate(instance(t, []byte(file))) == nil {
			t.Errorf("%s passes the schema", file)
		}
	}
}

func validate(t *testing.T, file []byte) {
	t.Helper()
	if err := formatSchema(t).Validate(instance(t, file)); err != nil {
		t.Error(err)
	}
}

func formatSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/snapshot.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func instance(t *testing.T, file []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
