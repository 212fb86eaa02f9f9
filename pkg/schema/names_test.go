package schema

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyPatternsOfNames decides changes among 40 patterns of names, more than are combined: what one of them allows, or that
// it is there, is lost or gained.
func TestManyPatternsOfNames(t *testing.T) {
	object := func(patterns, changed int, value, rest string) *Schema {
		var table []string
		for i := range patterns {
			allowed := `{"type":"string"}`
			if i == changed {
				allowed = value
			}
			table = append(table, fmt.Sprintf(`"^k%d_":%s`, i, allowed))
		}
		return mustParse(t, `{"type":"object","patternProperties":{`+strings.Join(table, ",")+`}`+rest+`}`)
	}
	const closed = `,"additionalProperties":false`
	plain := object(40, -1, "", closed)
	for name, narrow := range map[string]*Schema{
		"a limit":           object(40, 3, `{"type":"string","maxLength":5}`, closed),
		"one less":          object(39, -1, "", closed),
		"a number of names": object(40, -1, "", closed+`,"maxProperties":2`),
		"short names":       object(40, -1, "", closed+`,"propertyNames":{"maxLength":6}`),
		"a required name":   object(40, -1, "", closed+`,"required":["k7_a"]`),
	} {
		if r := Contains(t.Context(), plain, narrow, Budget{}); r.Verdict != Compatible {
			t.Errorf("%s, narrow in wide: %v (%s)", name, r.Verdict, r.Reason)
		}
		if r := Contains(t.Context(), narrow, plain, Budget{}); r.Verdict != Incompatible {
			t.Errorf("%s, wide in narrow: %v (%s)", name, r.Verdict, r.Reason)
		}
	}
	if r := Contains(t.Context(), object(40, -1, "", ""), object(40, 3, `{"type":"integer"}`, ""), Budget{}); r.Verdict != Incompatible {
		t.Errorf("another type: %v (%s)", r.Verdict, r.Reason)
	}
}
