package schema

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// Large unions whose alternatives a constant distinguishes are decided, although each two of them are compared.
func TestDiscriminatedUnionsAreDecidedWithinTheUsualBudget(t *testing.T) {
	union := func(keyword string, alternatives int, other string) *Schema {
		var all []string
		for i := range alternatives {
			all = append(all, fmt.Sprintf(`{"type":"object","required":["kind","v"],"properties":
				{"kind":{"const":"k%d"},"v":{"type":"string","maxLength":%d},"o":{"type":"integer"%s}}}`, i, 10+i, other))
		}
		return mustParse(t, `{"`+keyword+`":[`+strings.Join(all, ",")+`]}`)
	}
	for _, keyword := range []string{"oneOf", "anyOf"} {
		tighter, wide := union(keyword, 40, `,"minimum":1`), union(keyword, 40, "")
		if r := Contains(context.Background(), wide, tighter, Budget{}); r.Verdict != Compatible {
			t.Errorf("%s, tighter in wider: %v (%s)", keyword, r.Verdict, r.Reason)
		}
		if r := Contains(context.Background(), tighter, wide, Budget{}); r.Verdict != Incompatible {
			t.Errorf("%s, wider in tighter: %v (%s)", keyword, r.Verdict, r.Reason)
		}
	}
}

// TestClosedAlternativesExcludeEachOther decides each of 200 alternatives that require a name which no other one allows, on
// either side, within the steps of one tool.
func TestClosedAlternativesExcludeEachOther(t *testing.T) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		union := func(changed, longest int) *Schema {
			var alternatives []string
			for i := range 200 {
				most := 10
				if i == changed {
					most = longest
				}
				alternatives = append(alternatives, fmt.Sprintf(`{"type":"object","properties":{"v%d":{"type":"string","maxLength":%d}},`+
					`"required":["v%[1]d"],"additionalProperties":false}`, i, most))
			}
			return mustParse(t, fmt.Sprintf(`{"properties":{"x":{%q:[%s]}}}`, keyword, strings.Join(alternatives, ",")))
		}
		before, after := union(150, 10), union(150, 9)
		for direction, pair := range map[Direction][2]*Schema{Input: {before, after}, Output: {after, before}} {
			pool := &Pool{Left: 500_000}
			budget := Budget{Pool: pool}
			r := Compare(t.Context(), pair[0], pair[1], budget)
			changes := r.Judge(t.Context(), direction, budget).Changes
			if len(changes) != 1 || changes[0].Breaks.Verdict != Incompatible {
				t.Errorf("%s, direction %d: %+v", keyword, direction, changes)
			}
		}
	}
}
