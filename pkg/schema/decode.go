package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Limits on what is read at all. A schema past them is kept as one construct that nothing is known about.
const (
	maxBytes   = 4 << 20
	maxNesting = 512
	maxNodes   = 50_000
	maxScoped  = 5_000 // under dynamic scopes, of which there may be very many
)

// decode reads one JSON value with its numbers as written.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("reading schema: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("reading schema: more follows the first JSON value")
	}
	return v, nil
}

// nesting returns how deeply the arrays and objects of a JSON text are nested.
func nesting(raw []byte) int {
	deepest, depth, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
