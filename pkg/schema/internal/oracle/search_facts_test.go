package oracle

import (
	"encoding/json"
	"math/big"
	"slices"
)

// Facts are what some schemas say about a value, read keyword by keyword.
type facts struct {
	parts []node
}

// values collects what stands under keywords of every part.
func (f facts) values(keywords ...string) []any {
	var out []any
	for _, n := range f.parts {
		for _, k := range keywords {
			if v, ok := n.object()[k]; ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// lists collects the members of arrays under keywords.
func (f facts) lists(keywords ...string) []any {
	var out []any
	for _, v := range f.values(keywords...) {
		list, _ := v.([]any)
		out = append(out, list...)
	}
	return out
}

func (f facts) strings(keywords ...string) []string {
	var out []string
	for _, v := range append(f.values(keywords...), f.lists(keywords...)...) {
		if s, ok := v.(string); ok && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (f facts) numbers(keywords ...string) []*big.Rat {
	var out []*big.Rat
	for _, v := range f.values(keywords...) {
		if r, ok := rat(v); ok {
			out = append(out, r)
		}
	}
	return out
}

// counts collects whole numbers under keywords, as far as they are of a size that can be built.
func (f facts) counts(keywords ...string) []int {
	var out []int
	for _, r := range f.numbers(keywords...) {
		if r.IsInt() && r.Num().IsInt64() && r.Num().Int64() >= 0 && r.Num().Int64() <= MaxValues {
			out = append(out, int(r.Num().Int64()))
		}
	}
	return out
}

// least returns the strictest lower bound, and most the strictest upper one; most is -1 where there is none.
func (f facts) least(keyword string) int { return max(0, slices.Max(append(f.counts(keyword), 0))) }

func (f facts) most(keyword string) int {
	if all := f.counts(keyword); len(all) > 0 {
		return slices.Min(all)
	}
	return -1
}

// kinds are the types of values, in the order in which they are tried.
func kinds() []string {
	return []string{"string", "integer", "number", "boolean", "object", "array", "null"}
}

// kinds returns the types that all parts allow.
func (f facts) kinds() []string {
	var out []string
	for _, kind := range kinds() {
		if !slices.ContainsFunc(f.values("type"), func(v any) bool { return !allows(v, kind) }) {
			out = append(out, kind)
		}
	}
	return f.likely(out)
}

// likely moves the type that the keywords speak of to the front.
func (f facts) likely(kinds []string) []string {
	keywords := map[string][]string{
		"object":  {"properties", "required", "additionalProperties", "patternProperties", "minProperties", "propertyNames"},
		"array":   {"items", "prefixItems", "minItems", "contains", "uniqueItems", "maxItems"},
		"integer": {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"},
		"string":  {"pattern", "minLength", "maxLength", "format"},
	}
	rank := func(kind string) int {
		if len(f.values(keywords[kind]...)) > 0 && keywords[kind] != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return rank(a) - rank(b) })
	return kinds
}

func allows(v any, kind string) bool {
	names, ok := v.([]any)
	if !ok {
		names = []any{v}
	}
	return slices.Contains(names, any(kind)) || kind == "integer" && slices.Contains(names, any("number"))
}

// finite returns the values that some part lists in full, and whether one does.
func (f facts) finite() ([]any, bool) {
	for _, n := range f.parts {
		o := n.object()
		if v, ok := o["const"]; ok {
			return []any{v}, true
		}
		if list, ok := o["enum"].([]any); ok {
			return list, true
		}
	}
	return nil, false
}

// known returns the values that the schemas show: examples, defaults, members of enumerations.
func (f facts) known() []any {
	return slices.Concat(f.lists("examples"), f.values("default", "const"), f.lists("enum"))
}

func rat(v any) (*big.Rat, bool) {
	n, ok := v.(json.Number)
	if !ok || !Writable(n) {
		return nil, false
	}
	return new(big.Rat).SetString(string(n))
}

// number writes an exact number, where it has a finite decimal form.
func number(r *big.Rat) (json.Number, bool) {
	if r.IsInt() {
		return json.Number(r.Num().String()), true
	}
	digits, exact := r.FloatPrec()
	return json.Number(r.FloatString(digits)), exact
}
