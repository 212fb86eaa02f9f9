package schema

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile lists schemas that are made to cost time or memory. Each pair must be answered, whatever the
// answer, within a second on an idle machine; the test counts steps and what is allocated in all, which are
// the same on every machine.
func hostile() map[string][2]string {
	both := func(s string) [2]string { return [2]string{s, s} }
	return map[string][2]string{
		"nested lists":        both(strings.Repeat(`{"items":`, 10_000) + `{}` + strings.Repeat(`}`, 10_000)),
		"nested to the limit": {nest(`{"items":%s}`, 500, `{"type":"string"}`), nest(`{"items":%s}`, 500, `{"type":"integer"}`)},
		"nested not": {nest(`{"not":%s}`, 501, `{"type":"string"}`),
			nest(`{"not":%s}`, 500, `{"type":"string","minLength":1}`)},
		"ten megabytes":           {`{"enum":["` + strings.Repeat("a", 10<<20) + `"]}`, `{"enum":["a"]}`},
		"three megabytes of enum": {list(`{"enum":[%s]}`, 200_000, `"value%d"`), list(`{"enum":[%s]}`, 200_001, `"value%d"`)},
		"self":                    {`{"$ref":"#"}`, `{"type":"string"}`},
		"loop of three": {
			`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#"}}}}`, `true`},
		"doubling allOf":      {doubling("allOf", 40, `"unevaluatedProperties":false`), `{"type":"object","maxProperties":3}`},
		"doubling anyOf":      {doubling("anyOf", 40, `"type":"object"`), doubling("anyOf", 40, `"type":"object","minProperties":1`)},
		"doubling oneOf":      {doubling("oneOf", 30, `"type":"object"`), `{"type":"object","required":["a"]}`},
		"doubling properties": {doublingProperties(40, `"type":"string"`), doublingProperties(40, `"type":"integer"`)},
		"many choices":        {choices(14, 6), choices(14, 5)},
		"colouring":           {colouring(40), `false`},
		"many branches":       {branches("oneOf", 150, ""), branches("oneOf", 150, `,"b":{"type":"integer"}`)},
		"overlapping oneOf":   {list(`{"oneOf":[%s]}`, 60, `{"minLength":%d}`), list(`{"oneOf":[%s]}`, 60, `{"maxLength":%d}`)},
		"many properties": {list(`{"properties":{%s}}`, 5000, `"p%d":{"type":"integer"}`),
			list(`{"properties":{%s}}`, 5000, `"p%d":{"type":"number"}`)},
		"many required": {list(`{"required":[%s]}`, 5000, `"p%d"`), list(`{"required":[%s]}`, 5001, `"p%d"`)},
		"many patterns": {list(`{"patternProperties":{%s},"minProperties":3}`, 30, `"^a{%d}b":{"type":"string"}`),
			`{"additionalProperties":{"type":"string"}}`},
		"costly pattern":       {`{"pattern":"^(a|b)*a(a|b){18}$"}`, `{"pattern":"^(a|b)*b(a|b){18}$"}`},
		"catastrophic pattern": {`{"pattern":"^(a+)+$"}`, `{"pattern":"^(a*)*b?$"}`},
		"huge exponent":        {`{"minimum":1e999999999}`, `{"minimum":1e999999998}`},
		"huge counts":          {`{"type":"array","minItems":1000000000,"uniqueItems":true,"items":{"type":"boolean"}}`, `{"maxItems":3}`},
		"huge string":          {`{"type":"string","minLength":1000000000}`, `{"maxLength":5}`},
		"many contains": {list(`{"type":"array","allOf":[%s],"maxItems":20}`, 20, `{"contains":{"minimum":%d,"maximum":%[1]d}}`),
			list(`{"type":"array","allOf":[%s],"maxItems":19}`, 20, `{"contains":{"minimum":%d,"maximum":%[1]d}}`)},
		"pigeons": {`{"type":"array","minItems":40,"uniqueItems":true,"items":{"type":"integer","minimum":1,"maximum":39}}`,
			`false`},
		"conditional chain": {list(`{"allOf":[%s]}`, 40,
			`{"if":{"properties":{"p%d":{"const":1}},"required":["p%[1]d"]},"then":{"required":["q%[1]d"]}}`),
			list(`{"allOf":[%s]}`, 40, `{"if":{"properties":{"p%d":{"const":1}},"required":["p%[1]d"]},"then":{"required":["r%[1]d"]}}`)},
		"mutual recursion": {
			`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"x":{"$ref":"#/$defs/b"}}},"b":{"type":"object",` +
				`"properties":{"x":{"$ref":"#/$defs/a"},"y":{"type":"string"}}}}}`,
			`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"x":{"$ref":"#/$defs/a"},"y":{"type":"string"}}}}}`},
		"exponential pattern": {`{"properties":{"a":{"pattern":"(a|b)*a(a|b){30}$"}}}`,
			`{"properties":{"a":{"pattern":"(a|b)*b(a|b){30}$"}}}`},
		"many unions": {list(`{"allOf":[%s]}`, 420,
			`{"anyOf":[{"required":["a%d"]},{"required":["b%[1]d"]},{"properties":{"c%[1]d":{"type":"integer"}}}]}`),
			list(`{"allOf":[%s]}`, 420,
				`{"anyOf":[{"required":["a%d"]},{"required":["b%[1]d"]},{"properties":{"c%[1]d":{"type":"string"}}}]}`)},
		"costly property names": {list(`{"patternProperties":{%s}}`, 150, `"^(a|b)*a(a|b){%d}c":{"type":"string"}`),
			list(`{"patternProperties":{%s}}`, 150, `"^(a|b)*a(a|b){%d}c":{"type":"integer"}`)},
		"many conditions": {list(`{"allOf":[%s]}`, 20_000,
			`{"if":{"required":["a%d"]},"then":{"required":["b"]},"else":{"required":["c"]}}`), `{}`},
		"renamed references": {list(`{"$defs":{"d":{"minLength":3}},"properties":{%s}}`, 4000, `"p%d":{"$ref":"#/$defs/d"}`),
			list(`{"$defs":{"d":{"minLength":3}},"properties":{%s}}`, 4000, `"q%d":{"$ref":"#/$defs/d"}`)},
		"renamed constants": {`{"allOf":[` + list(`{"properties":{%s}}`, 4000, `"p%d":{"const":%[1]d}`) + `,` +
			list(`{"required":[%s]}`, 4000, `"p%d"`) + `]}`, list(`{"properties":{%s}}`, 4000, `"q%d":{"const":%[1]d}`)},
		"thousands of patterns": {list(`{"patternProperties":{%s}}`, 4000, `"^(a|b)*a(a|b){30}c%d":{"type":"string"}`),
			list(`{"patternProperties":{%s}}`, 4000, `"^(a|b)*a(a|b){30}c%d":{"type":"integer"}`)},
		"dynamic scopes":      {dynamicScopes(12), `{"type":"object"}`},
		"defaults of a union": {list(manyDefaults, 4000, `"k%d":{}`), list(manyDefaults, 4001, `"k%d":{}`)},
		"sets inside sets": {list(setsInside, 1, "x%d"+strings.Repeat("x", 900_000)),
			list(setsInside, 1, "y%d"+strings.Repeat("y", 900_000))},
	}
}

var manyDefaults = `{"additionalProperties":{"anyOf":[` + strings.Repeat(`{"const":null},`, 4000) + `true]},"default":{%s}}`
var setsInside = `{"properties":{"a":{"uniqueItems":true,"items":{"$ref":"#/properties/a"},"default":` +
	strings.Repeat(`[1,`, 480) + `"%s"` + strings.Repeat(`]`, 480) + `}}}`

func nest(format string, depth int, inside string) string {
	for range depth {
		inside = fmt.Sprintf(format, inside)
	}
	return inside
}

func list(format string, n int, member string) string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf(member, i)
	}
	return fmt.Sprintf(format, strings.Join(members, ","))
}

// doubling refers from each definition twice to the next.
func doubling(keyword string, n int, root string) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d","title":"x"}]}`, i, keyword, i+1, i+1))
	}
	defs = append(defs, fmt.Sprintf(`"d%d":{"properties":{"a":{"type":"string"}}}`, n))
	return fmt.Sprintf(`{"$ref":"#/$defs/d0",%s,"$defs":{%s}}`, root, strings.Join(defs, ","))
}

func doublingProperties(n int, last string) string {
	var defs []string
	for i := range n {
		defs = append(defs,
			fmt.Sprintf(
				`"d%d":{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%[2]d"}}}`, i,
				i+1))
	}
	defs = append(defs, fmt.Sprintf(`"d%d":{%s}`, n, last))
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s}}`, strings.Join(defs, ","))
}

// choices is a conjunction of disjunctions.
func choices(n, width int) string {
	return list(`{"allOf":[%s]}`, n, `{"anyOf":[`+
		strings.TrimSuffix(strings.Repeat(`{"properties":{"p%[1]d":{"minimum":%[1]d}},"required":["q%[1]d"]},`, width), ",")+`]}`)
}

// colouring asks for three colours of a graph that needs four.
func colouring(n int) string {
	node := list(`%s`, n, `"n%d":{"enum":[1,2,3]}`)
	var edges []string
	for i := range n {
		for j := i + 1; j < min(n, i+4); j++ {
			edges = append(edges,
				fmt.Sprintf(
					`{"anyOf":[{"properties":{"n%d":{"const":1},"n%d":{"enum":[2,3]}}},{"properties":{"n%[1]d":{"const":2},`+
						`"n%[2]d":{"enum":[1,3]}}},{"properties":{"n%[1]d":{"const":3},"n%[2]d":{"enum":[1,2]}}}]}`, i, j))
		}
	}
	return fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"allOf":[%s]}`, node, list(`%s`, n, `"n%d"`),
		strings.Join(edges, ","))
}

func branches(keyword string, n int, more string) string {
	return list(`{"`+keyword+`":[%s]}`, n, `{"type":"object","properties":{"kind":{"const":"k%d"},"a":{"type":"string"}`+more+
		`},"required":["kind","a"]}`)
}

func dynamicScopes(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs,
			fmt.Sprintf(
				`"r%d":{"$id":"r%d","$dynamicAnchor":"n%d","properties":{"a":{"$ref":"r%d"},"b":{"$ref":"r%d"},`+
					`"c":{"$dynamicRef":"#n%d"}}}`, i, i, i, (i+1)%n, (i+2)%n, i))
	}
	return fmt.Sprintf(`{"$ref":"r0","$defs":{%s}}`, strings.Join(defs, ","))
}

func TestHostileSchemasEnd(t *testing.T) {
	for name, pair := range hostile() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			old, new := mustParse(t, pair[0]), mustParse(t, pair[1])
			there, back := Contains(t.Context(), new, old, Budget{}), Contains(t.Context(), old, new, Budget{Semantics: Strict})
			edits := Compare(t.Context(), old, new, Budget{}).Edits
			runtime.ReadMemStats(&after)
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%v (%s), %v (%s), %d edits, %d MB", there.Verdict, there.Reason, back.Verdict, back.Reason, len(edits), allocated)
			for _, r := range []Result{there, back} {
				if r.Steps > 2*DefaultSteps {
					t.Errorf("%d steps", r.Steps)
				}
				if r.Verdict == Unknown && r.Reason == "" {
					t.Error("unknown without a reason")
				}
			}
			if allocated > 1000 {
				t.Errorf("allocated %d MB", allocated)
			}
		})
	}
}

// TestJudgeKeepsToItsPool: the changes of a revision share one amount of work, whatever they ask for, and the
// same is answered each time.
func TestJudgeKeepsToItsPool(t *testing.T) {
	for name, pair := range hostile() {
		t.Run(name, func(t *testing.T) {
			var told []string
			for range 2 {
				pool := &Pool{Left: 20_000}
				old, new := parsedWithin(t, pair[0], pool), parsedWithin(t, pair[1], pool)
				judged := Compare(t.Context(), old, new, Budget{}).Judge(t.Context(), Input, Budget{Pool: pool})
				if pool.Left < -maxEvaluation/unitsPerStep { // what was found is read to the end
					t.Errorf("%d steps more than there were", -pool.Left)
				}
				text := fmt.Sprint(pool.Left, judged.Whole.Breaks.Verdict)
				for _, ch := range judged.Changes {
					text += fmt.Sprint(ch.Edit, ch.Breaks.Verdict, string(ch.Breaks.Witness))
				}
				told = append(told, text)
			}
			if told[0] != told[1] {
				t.Errorf("%s, and then %s", told[0], told[1])
			}
		})
	}
}

func parsedWithin(t *testing.T, text string, pool *Pool) *Schema {
	t.Helper()
	s, err := ParseWithin(t.Context(), []byte(text), pool)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReadingKeepsToItsPool: a schema is read as far as there is work for it, and what was not read makes no
// verdict.
func TestReadingKeepsToItsPool(t *testing.T) {
	const steps = 300
	for name, pair := range hostile() {
		t.Run(name, func(t *testing.T) {
			pool := &Pool{Left: steps}
			s := parsedWithin(t, pair[0], pool)
			if over := -pool.Left - len(pair[0])/unitsPerStep; over > steps/10 {
				t.Errorf("%d steps more than there were", over)
			}
			if pool.Left > 0 {
				return // there were enough
			}
			r := Contains(t.Context(), s, mustParse(t, `{"type":"object","minProperties":1}`), Budget{Pool: &Pool{Left: 1000}})
			if r.Verdict == Compatible && pair[0] != `true` {
				t.Errorf("%v though not all was read (%s)", r.Verdict, r.Reason)
			}
		})
	}
}

// countedContext ends after it was asked a number of times.
type countedContext struct {
	context.Context
	left, late int
}

func (c *countedContext) Err() error {
	if c.left--; c.left >= 0 {
		return nil
	}
	c.late++
	return context.Canceled
}

// TestReadingEndsWithItsContext: reading asks for its context each few thousand units of work, and does no
// more once it has ended.
func TestReadingEndsWithItsContext(t *testing.T) {
	text := hostile()["renamed references"][0]
	for _, looks := range []int{0, 1, 5} {
		ctx, pool := &countedContext{Context: t.Context(), left: looks}, &Pool{Left: 1_000_000}
		if _, err := ParseWithin(ctx, []byte(text), pool); err != nil {
			t.Fatal(err)
		}
		if ctx.late == 0 || ctx.late > 3 {
			t.Errorf("it looked %d times after the end", ctx.late)
		}
	}
}

// TestOnlySoManyEdits: the edits of one schema have an end, and what is left is judged as a whole.
func TestOnlySoManyEdits(t *testing.T) {
	pair := hostile()["renamed references"]
	old, new := mustParse(t, pair[0]), mustParse(t, pair[1])
	r := Compare(t.Context(), old, new, Budget{Pool: &Pool{Left: 1_000_000}})
	if len(r.Edits) != maxEdits || !r.cut {
		t.Fatalf("%d edits, cut: %v", len(r.Edits), r.cut)
	}
	j := r.Judge(t.Context(), Input, Budget{Pool: &Pool{Left: 100_000}})
	if j.Whole.Breaks.Verdict != Compatible && len(j.Rest) == 0 {
		t.Error("nothing is said of what was not compared")
	}
}

// TestDecisionsEndWithTheirContext: nothing costly is begun, and nothing is claimed, once no one waits for
// the answer.
func TestDecisionsEndWithTheirContext(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for name, pair := range hostile() {
		t.Run(name, func(t *testing.T) {
			old, new := mustParse(t, pair[0]), mustParse(t, pair[1])
			r := Contains(ended, new, old, Budget{})
			if r.Steps > 2*unitsPerLook/unitsPerStep || r.Verdict == Unknown && r.Reason == "" {
				t.Errorf("%d steps, %v (%s)", r.Steps, r.Verdict, r.Reason)
			}
			for _, ch := range Compare(t.Context(), old, new, Budget{}).judged(ended) {
				if ch.Breaks.Verdict == Incompatible && ch.Breaks.Witness == nil {
					t.Errorf("%v is told to break without a witness", ch.Edit)
				}
			}
		})
	}
}

func (r *Revision) judged(ctx context.Context) []Change {
	return r.Judge(ctx, Input, Budget{}).Changes
}

// TestPlacesAreChargedWhateverStandsThere: a place below a long name is written out for what is not a schema,
// too, so that reading ends.
func TestPlacesAreChargedWhateverStandsThere(t *testing.T) {
	for name, member := range map[string]string{"schemas": "{}", "no schemas": "1", "booleans": "true"} {
		members := make([]string, 2000)
		for i := range members {
			members[i] = fmt.Sprintf(`"a%d":%s`, i, member)
		}
		s, err := Parse([]byte(`{"properties":{"` + strings.Repeat("k", 60_000) + `":{"properties":{` + strings.Join(members, ",") +
			`}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.problems) > 0 || s.plain.why != outOfSteps.what {
			t.Errorf("%s: %d problems, %q", name, len(s.problems), s.plain.why)
		}
	}
}

// TestRepeatedListsAreEvaluatedOnce has a witness of 360,000 strings, which are 600 times the same list.
func TestRepeatedListsAreEvaluatedOnce(t *testing.T) {
	const lists = `{"type":"array","minItems":600,%s"items":{"type":"array","minItems":600,"items":{"type":"string","minLength":1}}}`
	old, new := mustParse(t, fmt.Sprintf(lists, "")), mustParse(t, fmt.Sprintf(lists, `"maxItems":599,`))
	if got := Contains(t.Context(), new, old, Budget{}); got.Verdict != Incompatible {
		t.Errorf("%v: %s", got.Verdict, got.Reason)
	}
}

// TestSpentBudgetAddsNoEdits: what is not compared any more is not said to differ.
func TestSpentBudgetAddsNoEdits(t *testing.T) {
	for steps := range 200 {
		old, new := mustParse(t, `{"pattern":"a"}`), mustParse(t, `{"pattern":"a"}`)
		if r := Compare(t.Context(), old, new, Budget{Pool: &Pool{Left: steps}}); len(r.Edits) > 0 {
			t.Fatalf("%d steps: %s", steps, r.Edits[0].Family)
		}
	}
}
