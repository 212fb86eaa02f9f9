package schema

import "slices"

// An object problem is a clause about objects, sorted: rules say what properties of some names must satisfy, needs
// ask for a property of some name, and the count lies between least and most.
type objectProblem struct {
	*engine
	rules       []lit
	needs       []lit
	least, most int
	names       []string // all names that are mentioned
	languages   []*node  // patterns and property-name schemas that divide the other names
	slots       []slot   // the properties chosen so far
	doubt       reason
	doubted     bool
}

// A slot is a property of the value that is being put together.
type slot struct {
	name string
	lits []lit
	out  outcome
}

// maxLanguages bounds the patterns of names that are combined.
const maxLanguages = 8

const unbounded = 1 << 52

// object decides a clause about objects.
func (e *engine) object(atoms []lit) outcome {
	o := e.objectProblem(atoms)
	if o.least > o.most {
		return outcome{answer: void}
	}
	var open []lit
	for _, need := range o.needs {
		if name, fixed := fixedName(need); fixed {
			o.put(name, demand(need))
		} else {
			open = append(open, need)
		}
	}
	if len(o.slots) > o.most {
		return outcome{answer: void}
	}
	for i := range o.slots {
		if o.fill(i) == void {
			return outcome{answer: void}
		}
	}
	return o.place(open)
}

func (e *engine) objectProblem(atoms []lit) *objectProblem {
	o := &objectProblem{engine: e, most: unbounded}
	for _, l := range atoms {
		switch {
		case l.op == opMinProperties && !l.not:
			o.least = max(o.least, l.count)
		case l.op == opMaxProperties && l.not:
			o.least = max(o.least, l.count+1)
		case l.op == opMaxProperties:
			o.most = min(o.most, l.count)
		case l.op == opMinProperties:
			o.most = min(o.most, l.count-1)
		case l.not == (l.op == opRequired):
			o.rules = append(o.rules, l)
		default:
			o.needs = append(o.needs, l)
		}
	}
	o.survey(atoms)
	return o
}

// survey collects the names and the languages that the atoms mention.
func (o *objectProblem) survey(atoms []lit) {
	for _, l := range atoms {
		switch l.op {
		case opProperty, opRequired:
			o.names = append(o.names, l.text)
		case opRest:
			o.names = append(o.names, l.names...)
			o.languages = append(append(o.languages, l.patterns...), l.within...)
		case opPropertyNames:
			o.languages = append(o.languages, l.kids[0].node)
			o.names = append(o.names, listedStrings(l.kids[0].node)...)
		}
	}
	slices.Sort(o.names)
	o.names = slices.Compact(o.names)
	slices.SortFunc(o.languages, func(a, b *node) int { return compareLits(yes(a), yes(b)) })
	o.languages = slices.CompactFunc(o.languages, func(a, b *node) bool { return a.sum == b.sum })
}

// listedStrings returns the strings that a schema of names lists in itself or in its parts.
func listedStrings(n *node) []string {
	if n.op == opScalars {
		return n.set.strings
	}
	var out []string
	for _, k := range n.kids {
		if k.op == opScalars {
			out = append(out, k.set.strings...)
		} else if n.op == opAll && k.op == opAny || n.op == opAny && k.op == opAll {
			for _, part := range k.kids {
				if part.op == opScalars {
					out = append(out, part.set.strings...)
				}
			}
		}
	}
	return out
}

// fixedName returns the one name that an atom speaks of.
func fixedName(l lit) (string, bool) {
	return l.text, l.op == opProperty || l.op == opRequired
}

// demand returns what the property that a need asks for must satisfy.
func demand(need lit) []lit {
	if need.op == opProperty || need.op == opRest {
		return []lit{need.kids[0].flip()}
	}
	return nil
}

// ruling returns what the rules say of the property of a name. A rule that may or may not speak of it is left out.
func (o *objectProblem) ruling(name string) []lit {
	var out []lit
	for _, rule := range o.rules {
		switch o.covers(rule, name) {
		case inhabited:
			out = append(out, consequence(rule))
		case unsure:
			o.leaveOut(reason{"a pattern that is not understood", rule.node})
		}
	}
	return out
}

func (o *objectProblem) leaveOut(r reason) { o.doubt, o.doubted = r, true }

// consequence returns what a rule says of the properties that it speaks of.
func consequence(rule lit) lit {
	if rule.op == opProperty || rule.op == opRest {
		return rule.kids[0]
	}
	return yes(nothing())
}
