package schema

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Fault is one thing that is wrong with a value.
type Fault struct {
	Path    string // JSON pointer in the value
	Reason  string // in a few words
	Keyword string // the keyword of the schema that the value is against; empty for the schema false
	// of "required" the properties that are missing, of the other keywords about names those that are not
	// known
	Names []string
	Want  []string // of "type" the types, of "enum" and "const" the values as JSON, of a bound the bound

	union bool // found in one branch of a union: another may have been meant
}

// maxFaultWork bounds the work for the faults of one value, in units.
const maxFaultWork = 1 << 22

// Faults returns the faults of a value (numbers as [json.Number]; formats are annotations) by the schema
// object at a JSON pointer, the deepest first, each place once for the branches of a union. sure is false
// and found empty where that takes more work than the pool has, or rests on something unsupported.
func (s *Schema) Faults(pointer string, value any, pool *Pool) (found []Fault, sure bool) {
	if s.doc == nil || pool.empty() {
		return nil, false
	}
	place, ok := rawjson.At(s.doc.root, pointer)
	if !ok {
		return nil, false
	}
	n := s.plain
	if pointer != "" {
		m, paid := pool.meter(context.Background(), s.doc.limit)
		m.spend(len(pointer))
		n = seal(newBuilder(s.doc, m).schema(place, spot{doc: s.doc, place: pointer}))
		markLoops(n)
		paid()
	}
	m, paid := pool.meter(context.Background(), maxFaultWork)
	f := &faultFinder{meter: m, doc: s.doc}
	defer func() { paid(); pool.lacked(m.left < 0) }()
	switch f.satisfies(n, value) {
	case inhabited:
		return nil, true
	case unsure:
		return nil, false
	}
	f.all(yes(n), value, "", false)
	if f.left < 0 {
		return nil, false
	}
	return distinct(f.found), true
}

// A faultFinder reads why a value is rejected.
type faultFinder struct {
	*meter
	doc   *document
	found []Fault
}

// all collects the faults of a value that a literal rejects.
func (f *faultFinder) all(l literal, v any, path string, union bool) {
	n := l.node
	switch {
	case l.not:
		f.add(n, "not", v, path, union)
	case slices.Contains([]string{"const", "enum", "not", "maxContains", "dependentRequired"}, n.keyword):
		f.add(n, n.keyword, v, path, union)
	case n.op == opAll:
		for _, k := range n.kids {
			if f.accepts(k, v) == empty {
				f.all(k, v, path, union)
			}
		}
	case n.op == opAny &&
		slices.Contains([]string{"then", "else", "dependentSchemas", "dependencies"}, n.keyword):
		f.all(n.kids[len(n.kids)-1], v, path, union) // the rest is the condition
	case n.op == opAny && len(n.kids) > 0, n.op == opOne && f.satisfies(some(n.kids...), v) == empty:
		for _, k := range n.kids {
			f.all(k, v, path, true)
		}
	case n.op == opItem, n.op == opItems:
		items := v.([]any)
		for i := min(n.count, len(items)); i < len(items) && (n.op == opItems || i == n.count); i++ {
			f.member(n, items[i], path, fmt.Sprint(i), union)
		}
	case n.op == opProperty:
		f.member(n, v.(map[string]any)[n.text], path, n.text, union)
	case n.op == opRest:
		o := v.(map[string]any)
		for _, name := range kit.SortedKeys(o) {
			if f.covers(yes(n), name) == inhabited {
				f.member(n, o[name], path, name, union)
			}
		}
	case n.op == opRequired:
		f.add(n, n.keyword, v, path, union, n.text)
	case n.strict && n.keyword == "minimum": // draft-04 says so in another keyword
		f.add(n, "exclusiveMinimum", v, path, union)
	case n.strict && n.keyword == "maximum":
		f.add(n, "exclusiveMaximum", v, path, union)
	default:
		f.add(n, n.keyword, v, path, union)
	}
}

// member collects the faults of a value inside the value, if its schema rejects it.
func (f *faultFinder) member(n *node, v any, path, step string, union bool) {
	switch l := n.kids[0]; {
	case f.accepts(l, v) != empty:
	case l.isFalse() && n.op == opRest:
		f.add(n, n.keyword, v, path, union, step)
	case !f.spend((len(path) + len(step)) / 4): // the place is written out
		f.all(l, v, rawjson.Join(path, step), union)
	}
}

// add puts down a fault; what one keyword says of several names at one place is one.
func (f *faultFinder) add(n *node, keyword string, v any, path string, union bool, names ...string) {
	last := len(f.found) - 1
	if len(names) > 0 && last >= 0 && f.found[last].Path == path && f.found[last].Keyword == keyword {
		f.found[last].Names = append(f.found[last].Names, names...)
		return
	}
	o, _ := rawjson.At(f.doc.root, n.place)
	object, _ := o.(map[string]any)
	want := wanted(keyword, object[n.keyword])
	reason := fmt.Sprintf("violates %q", keyword)
	switch keyword {
	case "type":
		reason = fmt.Sprintf("expected %s, got %s", strings.Join(want, " or "), typeName(v))
	case "enum", "const":
		reason = "expected one of the allowed values"
	case "":
		reason = "not allowed"
	}
	f.found = append(f.found, Fault{Path: path, Reason: reason, Keyword: keyword, Names: names, Want: want,
		union: union})
}

// typeName returns the name of a value's type as the keyword type spells it; an integer is a "number" here.
func typeName(v any) string {
	for name, kind := range kindNames() {
		if kind == kindOf(v) {
			return name
		}
	}
	return ""
}

// maxFaults bounds the faults that are compared with each other.
const maxFaults = 5_000

// distinct returns the faults without those that say no more than a deeper one, or than one of the same
// keyword at the same place. Of a union, one fault for each place is enough.
func distinct(found []Fault) []Fault {
	slices.SortStableFunc(found, func(a, b Fault) int {
		return cmp.Or(len(b.Path)-len(a.Path), order(b.Keyword == "required")-order(a.Keyword == "required"))
	})
	var out []Fault
	for _, f := range found {
		i := slices.IndexFunc(out, func(known Fault) bool {
			below, inside := strings.CutPrefix(known.Path, f.Path)
			inside = inside && (below == "" || below[0] == '/')
			return inside && (f.union || known.union) || known.Path == f.Path && known.Keyword == f.Keyword
		})
		switch {
		case i < 0 && len(out) < maxFaults:
			out = append(out, f)
		case i < 0:
			return out
		case out[i].Path == f.Path && out[i].Keyword == "type" && f.Keyword == "type" &&
			!slices.Equal(out[i].Want, f.Want):
			out[i].Want = slices.Concat(out[i].Want, f.Want) // the branches of a union
		}
	}
	return out
}

// wanted returns what a message to a person needs of the value of a keyword.
func wanted(keyword string, value any) []string {
	var list []any
	switch keyword {
	case "type", "enum":
		list = listed(value)
	case "const":
		list = []any{value}
	default:
		switch value.(type) {
		case json.Number, string:
			list = []any{value}
		}
	}
	return kit.Map(list, func(v any) string {
		if text, ok := v.(string); ok && keyword != "enum" && keyword != "const" {
			return text
		}
		return string(rawOf(v))
	})
}
