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
