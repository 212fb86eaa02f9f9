package check

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// validating prepares for values of a document; nil when its schema cannot be read.
func (d document) validating() *schema.Schema {
	if v, err := schema.Parse(d.raw); err == nil {
		return v
	}
	return nil
}

// faultsOf are what is wrong with a value at a place of a document; none when that cannot be told.
func (d document) faultsOf(v *schema.Schema, p place, value any) []schema.Fault {
	found, _ := v.Faults(strings.TrimPrefix(p.path(), d.path), value)
	return found
}

// wrongness says what is wrong where.
func wrongness(f schema.Fault) string {
	if f.Path == "" {
		return "it " + f.Reason
	}
	return f.Path + " " + f.Reason
}

// compact is a value for a message, cut when it is long.
func compact(value any) string {
	raw, _ := json.Marshal(value)
	if len(raw) > 60 {
		return string(raw[:60]) + "…"
	}
	return string(raw)
}
