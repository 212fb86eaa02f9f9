package report

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchema holds every case against the schema that the project ships.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, one := range cases(t) {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(written(t, "json", &one.Report, Options{})))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaRefuses makes sure that the schema can say no.
func TestSchemaRefuses(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	good := written(t, "json", &Report{Command: "list", Servers: []Server{{Name: "a", State: OK}}}, Options{})
	for _, change := range [][2]string{
		{`"mcpctl": 1`, `"mcpctl": 2`},
		{`"state": "ok"`, `"state": "fine"`},
		{`"state": "ok"`, `"state": "ok", "extra": 1`},
		{`"status": 0`, `"status": 7`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatalf("%v: %v", change, err)
		}
		if schema.Validate(value) == nil {
			t.Errorf("the schema accepts %s", change[1])
		}
	}
}
