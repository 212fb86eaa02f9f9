package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// A kindSet is a set of the six types of JSON values. An integer is a number here.
type kindSet uint8

const (
	kindNull kindSet = 1 << iota
	kindBoolean
	kindNumber
	kindString
	kindArray
	kindObject

	kindNone kindSet = 0
	kindAll          = kindNull | kindBoolean | kindNumber | kindString | kindArray | kindObject
)

// kinds lists the types in the order in which a witness of them is preferred: small and likely ones first.
var kinds = [...]kindSet{kindString, kindNumber, kindBoolean, kindArray, kindObject, kindNull}

func kindNames() map[string]kindSet {
	return map[string]kindSet{"null": kindNull, "boolean": kindBoolean, "number": kindNumber,
		"string": kindString, "array": kindArray, "object": kindObject}
}

// An op is what a node asserts. All but the first five speak of one type of value and hold for every other
// type.
type op uint8

const (
	opAll     op = iota // every child holds; without children: everything
	opAny               // some child holds; without children: nothing
	opOne               // exactly one child holds
	opKinds             // the value has one of the types in kinds
	opScalars           // the value is one of the scalars in set
	opOpaque            // nothing is known of it but its text

	opMinimum  // at least number; more than it if strict
	opMaximum  // at most number; less than it if strict
	opMultiple // a multiple of number

	opMinLength // at least count code points
	opMaxLength // at most count code points
	opPattern   // pattern matches
	opFormat    // has the format named by text

	opItem     // item count, if it is there, satisfies the child
	opItems    // every item from count on satisfies the child
	opMinItems // at least count items
	opMaxItems // at most count items
	opUnique   // no two items are equal
	opContains // at least count items satisfy the child

	opProperty // property text, if it is there, satisfies the child
	// every property not in names whose name satisfies all of within and none of patterns satisfies the child
	opRest
	opRequired      // property text is there
	opMinProperties // at least count properties
	opMaxProperties // at most count properties
)

// guard returns the one type an op speaks of, or all.
func (o op) guard() kindSet {
	switch {
	case o <= opOpaque:
		return kindAll
	case o <= opMultiple:
		return kindNumber
	case o <= opFormat:
		return kindString
	case o <= opContains:
		return kindArray
	}
	return kindObject
}

// A node is one assertion about a value. Nodes form a graph: a recursive schema has cycles.
type node struct {
	op       op
	strict   bool
	head     bool // the node stands for itself in sums, since a cycle passes through it
	loop     bool // the node refers to itself without going through a value inside the value
	state    uint8
	kinds    kindSet
	yes, no  kindSet // the types of values that may satisfy the node, and its negation
	count    int
	text     string
	number   *big.Rat
	set      scalars
	pattern  *pattern.Pattern // nil where it could not be read
	names    []string
	patterns []*node     // of opRest: schemas of the names that are left out
	within   []*node     // of opRest: schemas of the names that are not
	parts    []evaluated // of opOpaque: of unevaluatedProperties, to be read with a value in hand
	kids     []literal
	shape    shape
	sum      digest // equal sums mean equal assertions
	place    string // JSON pointer of the schema object
	why      string // of opOpaque: why nothing is known; no part of the sum
	keyword  string // keyword the node comes from; empty for a whole schema object
}

// A literal is a node or its negation.
type literal struct {
	*node
	not bool
}

// core unwraps combinations of one, which have the sum of what they hold.
func (l literal) core() literal {
	for l.op <= opOne && len(l.kids) == 1 && !l.head && !l.kids[0].not {
		l.node = l.kids[0].node
	}
	return l
}

func (l literal) flip() literal { return literal{l.node, !l.not} }

// may returns the types of values that can satisfy the literal.
func (l literal) may() kindSet {
	if l.not {
		return l.no
	}
	return l.yes
}

func (l literal) same(m literal) bool { return l.not == m.not && (l.node == m.node || l.sum == m.sum) }

// A digest stands for the meaning of a node.
type digest [16]byte

func (l literal) isTrue() bool {
	return l.op == opAll && len(l.kids) == 0 && !l.not || l.op == opAny && len(l.kids) == 0 && l.not
}

func (l literal) isFalse() bool { return l.flip().isTrue() }

const (
	unsealed uint8 = iota
	sealing
	sealed
)

// seal computes the sum and the possible types of a node and of all below it.
func seal(n *node) *node {
	switch n.state {
	case sealed:
		return n
	case sealing: // a cycle: the node is named by where it stands, and text holds the digest of its document
		if !n.head {
			h := sha256.Sum256([]byte("cycle\x00" + n.text + "\x00" + n.place + "\x00" + n.keyword))
			n.head, n.sum = true, digest(h[:16])
			n.yes, n.no = kindAll, kindAll
		}
		return n
	}
	n.state = sealing
	for _, k := range n.kids {
		seal(k.node)
	}
	for _, p := range slices.Concat(n.patterns, n.within) {
		seal(p)
	}
	n.yes, n.no = n.possible()
	n.shape = shapeOf(n)
	if !n.head {
		n.sum = n.digest()
	}
	n.state = sealed
	return n
}

// possible returns the types whose values may satisfy the node, and those whose values may not. The answers
// may be too large but never too small: a type that is left out is proved not to occur.
func (n *node) possible() (yes, no kindSet) {
	all, some := kindAll, kindNone
	allNot, someNot := kindAll, kindNone
	for _, k := range n.kids {
		all, some = all&k.may(), some|k.may()
		allNot, someNot = allNot&k.flip().may(), someNot|k.flip().may()
	}
	switch n.op {
	case opAll:
		return all, someNot
	case opAny:
		return some, allNot
	case opOne:
		return some, kindAll
	case opKinds:
		return n.kinds, kindAll &^ n.kinds
	case opScalars:
		return n.set.kinds(), kindAll
	}
	return kindAll, n.op.guard()
}

// digest sums up the meaning of a node. A combination of one is that one; the order of more does not matter.
func (n *node) digest() digest {
	if n.op <= opOne && len(n.kids) == 1 && !n.kids[0].not {
		return n.kids[0].sum
	}
	var space [256]byte
	b := space[:0]
	b = append(b, byte(n.op), byte(n.kinds))
	if n.strict {
		b = append(b, 's')
	}
	b = binary.AppendVarint(b, int64(n.count))
	if n.op != opAll { // there it names the document, for cycles
		b = appendText(b, n.text)
	}
	if n.number != nil {
		b = appendText(b, n.number.RatString())
	}
	for _, text := range slices.Concat(n.set, n.names) {
		b = appendText(b, text)
	}
	for _, p := range n.patterns {
		b = append(append(b, 'p'), p.sum[:]...)
	}
	for _, p := range n.within {
		b = append(append(b, 'w'), p.sum[:]...)
	}
	for _, k := range n.ordered() {
		b = append(append(b, sign(k)), k.sum[:]...)
	}
	h := sha256.Sum256(b)
	return digest(h[:16])
}

// ordered returns the children in the order of their digests, where order has no meaning. Repeated ones are
// dropped, but not from oneOf, in which a repeated child refuses what it accepts.
func (n *node) ordered() []literal {
	if n.op > opOne {
		return n.kids
	}
	out := slices.Clone(n.kids)
	slices.SortFunc(out, compareLits)
	if n.op != opOne {
		out = slices.CompactFunc(out, literal.same)
	}
	return out
}

// compareLits orders literals by meaning, a node next to its negation.
func compareLits(a, b literal) int {
	if c := bytes.Compare(a.sum[:], b.sum[:]); c != 0 || a.not == b.not {
		return c
	}
	if a.not {
		return 1
	}
	return -1
}

// alike reports whether two nodes are written alike, cycles included, which have sums of their own: what
// they refer to is assumed to be alike until a difference is found.
func alike(a, b *node) bool {
	assumed := map[[2]*node]bool{}
	var visit func(a, b literal) bool
	visit = func(a, b literal) bool {
		a.node, b.node = bare(a.node), bare(b.node)
		key := [2]*node{a.node, b.node}
		switch {
		case a.not != b.not:
			return false
		case a.node == b.node, a.sum == b.sum, assumed[key]:
			return true
		}
		assumed[key] = true
		if len(a.kids) != len(b.kids) || !a.saysAs(b.node) {
			return false
		}
		for i := range a.kids {
			if !visit(a.kids[i], b.kids[i]) {
				return false
			}
		}
		return true
	}
	return visit(yes(a), yes(b))
}

// bare returns what a node holds that is a combination of one, which says the same.
func bare(n *node) *node {
	for range maxWrappers {
		if n.op > opOne || len(n.kids) != 1 || n.kids[0].not {
			break
		}
		n = n.kids[0].node
	}
	return n
}

// saysAs reports whether two nodes say the same apart from what their children say.
func (n *node) saysAs(m *node) bool {
	same := func(a, b *node) bool { return a.sum == b.sum }
	return n.op == m.op && n.kinds == m.kinds && n.strict == m.strict && n.count == m.count &&
		n.loop == m.loop && (n.op == opAll || n.text == m.text) && (n.number == nil) == (m.number == nil) &&
		(n.number == nil || n.number.Cmp(m.number) == 0) && slices.Equal(n.set, m.set) &&
		slices.Equal(n.names, m.names) && slices.EqualFunc(n.patterns, m.patterns, same) &&
		slices.EqualFunc(n.within, m.within, same)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(append(b, '"'), uint64(len(s))), s...)
}

func sign(l literal) byte {
	if l.not {
		return '-'
	}
	return '+'
}

// scalars is a finite set of nulls, booleans, numbers and strings, by their keys, sorted and distinct.
type scalars []string

// scalarsOf returns the set of some scalars. It reports false for a number that cannot be read, and for
// anything but a scalar.
func scalarsOf(values ...any) (scalars, bool) {
	set := make(scalars, len(values))
	for i, v := range values {
		key, ok := scalarKey(v)
		if !ok {
			return nil, false
		}
		set[i] = key
	}
	slices.Sort(set)
	return slices.Compact(set), true
}

// scalarKey returns a text that only equal scalars share: their JSON, but of a string the quote and the text.
func scalarKey(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(v), true
	case string:
		return `"` + v, true
	case json.Number:
		if r, ok := rational(v); ok {
			return string(decimal(r)), true
		}
	}
	return "", false
}

func scalarOf(key string) any {
	switch key[0] {
	case 'n':
		return nil
	case 't', 'f':
		return key == "true"
	case '"':
		return key[1:]
	}
	return json.Number(key)
}

func (s scalars) has(v any) bool {
	key, ok := scalarKey(v)
	_, found := slices.BinarySearch(s, key)
	return ok && found
}

// of returns the members of a type.
func (s scalars) of(k kindSet) []any {
	return kit.Filter(kit.Map(s, scalarOf), func(v any) bool { return kindOf(v) == k })
}

func (s scalars) strings() []string {
	return kit.Map(s.of(kindString), func(v any) string { return v.(string) })
}

// kinds returns the types that have a member in the set; none if it is empty.
func (s scalars) kinds() kindSet {
	k := kindNone
	for _, key := range s {
		k |= kindOf(scalarOf(key))
	}
	return k
}
