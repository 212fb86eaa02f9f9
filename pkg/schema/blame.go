package schema

import (
	"slices"
	"strconv"
)

// A blame is the keyword that rejects a value.
type blame struct {
	path     string // JSON pointer of the keyword
	instance string // JSON pointer of the rejected value
	keyword  string
	detail   string
}

// A blamer finds out why a value is rejected.
type blamer struct{ formats *formats }

func (b blamer) accepts(l lit, v any) answer { return accepts(l, v, b.formats) }

// of finds the keyword deepest inside a literal that rejects a value.
func (b blamer) of(l lit, v any, instance string) blame {
	n := l.node
	here := blame{instance: instance, keyword: n.keyword, path: n.place}
	if n.keyword != "" {
		here.path = join(n.place, n.keyword)
	}
	if l.not {
		return here
	}
	switch n.op {
	case opAll, opAny, opOne:
		return b.among(n, v, here)
	case opItem, opItems:
		for i, item := range v.([]any) {
			if i >= n.count && (n.op == opItems || i == n.count) && b.accepts(n.kids[0], item) == void {
				return b.inside(n.kids[0], item, here, strconv.Itoa(i))
			}
		}
	case opProperty:
		return b.inside(n.kids[0], v.(map[string]any)[n.text], here, n.text)
	case opRest:
		value := v.(map[string]any)
		for _, name := range sortedKeys(value) {
			if (*engine)(nil).covers(yes(n), name) == inhabited && b.accepts(n.kids[0], value[name]) == void {
				return b.inside(n.kids[0], value[name], here, name)
			}
		}
	case opRequired:
		here.detail = strconv.Quote(n.text) + " is missing"
	}
	return here
}

// among chooses among the parts of a combination: the one that rejects, or the only one for this type of value.
func (b blamer) among(n *node, v any, here blame) blame {
	var rejecting []lit
	for _, k := range n.kids {
		if b.accepts(k, v) == void && (n.op == opAll || k.may()&kindOf(v) != 0) {
			rejecting = append(rejecting, k)
		}
	}
	switch {
	case n.op == opAll && len(rejecting) > 0:
		return b.part(rejecting[0], v, here)
	case n.op == opAny && slices.Contains(oneSided, n.keyword):
		return b.part(n.kids[len(n.kids)-1], v, here)
	case n.op == opAny && len(rejecting) == 1:
		return b.part(rejecting[0], v, here)
	}
	return here
}

// oneSided lists the keywords that are: not the condition, or else the last part.
var oneSided = []string{"then", "else", "dependentRequired", "dependentSchemas", "dependencies"}

// part descends into a part that says of the same value; a part made up for a keyword is told as the keyword.
func (b blamer) part(l lit, v any, here blame) blame {
	if l.not {
		return here
	}
	found := b.of(l, v, here.instance)
	if found.path == "" && found.keyword == "" && here.keyword != "" {
		found.path, found.keyword = here.path, here.keyword
	}
	return found
}

// inside descends into a value inside the value. A schema that accepts nothing is told as the keyword above it.
func (b blamer) inside(l lit, v any, here blame, token string) blame {
	here.instance = join(here.instance, token)
	if l.isFalse() {
		here.detail = strconv.Quote(token) + " is not allowed"
		return here
	}
	return b.of(l, v, here.instance)
}
