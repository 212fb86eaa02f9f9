package call

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCheck: a person reads where it is wrong, what is there, and what is wanted.
func TestCheck(t *testing.T) {
	for value, want := range map[string]string{
		`{}`:                         "",
		`{"i":1,"text":"x"}`:         "",
		`{"i":"1"}`:                  `/i "1" is a string, want integer`,
		`{"i":1.5}`:                  `/i 1.5 is a number, want integer`,
		`{"ref":0}`:                  `/ref 0 is against minimum 1`,
		`{"e":"no"}`:                 `/e "no" is not allowed; use "on", "off", 1, null`,
		`{"c":"other"}`:              `/c "other" is not allowed; use "only"`,
		`{"u":[]}`:                   `/u [] is an array, want string or integer`,
		`{"list":[1,"x",2.5]}`:       `/list/1 "x" is a string, want integer|/list/2 2.5 is a number, want integer`,
		`{"tree":{"next":{"v":""}}}`: `/tree/next/v "" is a string, want number`,
		`{"a/b":1,"i":"x"}`:          `/i "x" is a string, want integer|/a~1b is not taken`,
		`[]`:                         ` [] is an array, want object`,
	} {
		problems, sure := Check(json.RawMessage(everyType), json.RawMessage(value))
		var got []string
		for _, p := range problems {
			got = append(got, p.Path+" "+p.Message)
		}
		if diff := cmp.Diff(want, strings.Join(got, "|")); diff != "" || !sure {
			t.Errorf("%s: sure %v (-want +got)\n%s", value, sure, diff)
		}
	}
}

// TestCheckUndecided: nothing is refused because of a schema that cannot be read, or that takes too long.
func TestCheckUndecided(t *testing.T) {
	var defs []string
	for i := range 20 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"},{"$ref":"#/$defs/d%[2]d"}]}`, i,
			i+1))
	}
	wide := `{"$ref":"#/$defs/d0","$defs":{"d20":{"type":"integer"},` + strings.Join(defs, ",") + `}}`
	large := `{"anyOf":[` + strings.Repeat(`{},`, 2_000_000) + `{}]}`
	for name, schema := range map[string]string{
		"no JSON":       `{`,
		"a bad pattern": `{"type":"string","pattern":"(?<=x"}`,
		"no reference":  `{"$ref":"#/$defs/none"}`,
		"a far schema":  `{"$ref":"https://example.com/schema.json"}`,
		"a wide union":  wide,
		"a large one":   large,
		"a wrong shape": `{"type": 5}`,
	} {
		if problems, sure := Check(json.RawMessage(schema), json.RawMessage(`"a"`)); sure || len(problems) > 0 {
			t.Errorf("%s: sure %v, %v", name, sure, problems)
		}
	}
}
