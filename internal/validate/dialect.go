package validate

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// drafts are the versions of JSON Schema by the address that "$schema" names, without its fragment.
func drafts() map[string]*jsonschema.Draft {
	return map[string]*jsonschema.Draft{
		DefaultDialect: jsonschema.Draft2020,
		"https://json-schema.org/draft/2019-09/schema": jsonschema.Draft2019,
		"http://json-schema.org/draft-07/schema":       jsonschema.Draft7,
		"http://json-schema.org/draft-06/schema":       jsonschema.Draft6,
		"http://json-schema.org/draft-04/schema":       jsonschema.Draft4,
	}
}

// DefaultDialect is the dialect of a schema that names none, as MCP has it since 2025-11-25.
const DefaultDialect = "https://json-schema.org/draft/2020-12/schema"

// Dialect is the address of the version of JSON Schema that a decoded schema is written in, without its fragment. known
// tells whether it is one that can be read; its address is then the standard's, whether it was named over http or https.
func Dialect(schema any) (address string, known bool) {
	named := DefaultDialect
	object, _ := schema.(map[string]any)
	if name, ok := object["$schema"].(string); ok {
		named = strings.TrimRight(strings.TrimSuffix(name, "#"), "/")
	}
	for address := range drafts() {
		if bare(address) == bare(named) {
			return address, true
		}
	}
	return named, false
}

func bare(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	return rest
}
