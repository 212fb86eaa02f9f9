package schema

import "slices"

// A clause is what is known of a value of one type: assertions about that type, and choices that are still open.
type clause struct {
	kind    kindSet
	known   *facts
	base    *clause // what the clause adds to; nil for one that stands alone
	atoms   []lit   // without those of base
	index   *nameIndex
	tags    []tag
	choices []choice
	doubt   reason // a construct that had to be left out
	doubted bool
}

// A choice is a list of alternatives, one of which holds.
type choice struct {
	of           lit // what the choice was made from
	alternatives [][]lit
}

func newClause(k kindSet) *clause { return &clause{kind: k, known: &facts{}} }

// fork returns a copy that can be extended on its own.
func (c *clause) fork() *clause {
	d := c.probe()
	d.choices = slices.Clone(c.choices)
	return d
}

// probe is a fork that leaves the open choices out.
func (c *clause) probe() *clause {
	return &clause{kind: c.kind, base: c, known: &facts{outer: c.known}, doubt: c.doubt, doubted: c.doubted}
}

// assertions returns all atoms, with those of the clauses this one adds to.
func (c *clause) assertions() []lit {
	if c.base == nil {
		return c.atoms
	}
	return slices.Concat(c.base.assertions(), c.atoms)
}

// facts is the set of literals that a clause is known to satisfy.
type facts struct {
	outer *facts
	list  []fact
	index map[digest]uint8 // once the list is long
}

// A fact is a node with what is known of it.
type fact struct {
	*node
	sides uint8
}

const (
	holds   uint8 = 1 << iota // it was assumed to hold, and what it stands for with it
	fails                     // it was assumed not to hold
	implied                   // it is known to hold; what it stands for was not looked at
)

func (f *facts) add(n *node, sides uint8) {
	f.list = append(f.list, fact{n, sides})
	if f.index == nil && len(f.list) > 12 {
		f.index = map[digest]uint8{}
		for _, known := range f.list {
			f.index[known.sum] |= known.sides
		}
	}
	if f.index != nil {
		f.index[n.sum] |= sides
	}
}

func (l lit) side() uint8 {
	if l.not {
		return fails
	}
	return holds
}

// contradict reports whether a literal is known not to hold.
func (f *facts) contradict(l lit) bool {
	if l.not {
		return f.of(l.node)&(holds|implied) != 0
	}
	return f.of(l.node)&fails != 0
}

// settle reports whether a literal is known to hold.
func (f *facts) settle(l lit) bool { return f.contradict(l.flip()) }

// of returns what is known of a node.
func (f *facts) of(n *node) uint8 {
	var sides uint8
	for ; f != nil; f = f.outer {
		if f.index != nil {
			sides |= f.index[n.sum]
			continue
		}
		for _, known := range f.list {
			if known.node == n || known.sum == n.sum {
				sides |= known.sides
			}
		}
	}
	return sides
}

// assume adds literals to a clause. It reports false where that is a contradiction.
func (e *engine) assume(c *clause, lits []lit) bool {
	queue := slices.Clone(lits)
	for len(queue) > 0 {
		l := queue[0].core()
		queue = queue[1:]
		if c.vacuous(l) {
			continue
		}
		if c.known.contradict(l) || c.impossible(l) {
			return false
		}
		if c.known.of(l.node)&l.side() != 0 {
			continue
		}
		c.known.add(l.node, l.side())
		more, ok := e.unfold(c, l)
		if !ok {
			return false
		}
		queue = append(queue, more...)
	}
	return true
}

// vacuous reports whether a literal holds for every value of the clause's type.
func (c *clause) vacuous(l lit) bool { return c.impossible(l.flip()) }

// impossible reports whether a literal holds for no value of the clause's type.
func (c *clause) impossible(l lit) bool {
	if l.op == opKinds {
		return (l.kinds&c.kind == 0) != l.not
	}
	return l.may()&c.kind == 0
}

// unfold returns the literals that l stands for, or records it as an atom or a choice.
func (e *engine) unfold(c *clause, l lit) ([]lit, bool) {
	if !l.not && !c.imply(l) {
		return nil, false
	}
	switch {
	case l.loop:
		c.leaveOut(reason{"a schema that refers to itself", l.node})
	case l.op == opOpaque:
		c.leaveOut(reason{l.why, l.node})
	case l.op == opFormat && e.formats == nil:
		return nil, !l.not
	case l.op == opKinds:
	case l.op == opAll && !l.not || l.op == opAny && l.not:
		return signed(l.kids, l.not), true
	case l.op == opAll || l.op == opAny:
		c.choices = append(c.choices, choice{l, alternatives(l.kids, l.not)})
	case l.op == opOne:
		c.choices = append(c.choices, choice{l, e.exactlyOne(l)})
	default:
		c.atoms = append(c.atoms, l)
		c.learn(l)
	}
	return nil, true
}

// imply records what a literal is known to imply. It reports false where that is known to fail.
func (c *clause) imply(l lit) bool {
	for _, weaker := range l.implied {
		if c.known.contradict(weaker) {
			return false
		}
		c.known.add(weaker.node, implied)
	}
	return true
}

func (c *clause) leaveOut(r reason) { c.doubt, c.doubted = r, true }

func signed(kids []lit, negated bool) []lit {
	if !negated {
		return kids
	}
	out := make([]lit, len(kids))
	for i, k := range kids {
		out[i] = k.flip()
	}
	return out
}

func alternatives(kids []lit, negated bool) [][]lit {
	out := make([][]lit, len(kids))
	for i, k := range signed(kids, negated) {
		out[i] = []lit{k}
	}
	return out
}
