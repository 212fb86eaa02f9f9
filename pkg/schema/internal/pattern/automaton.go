package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// The states every automaton has: found means that a match lies behind, lost that none can come any more.
const (
	found = 0
	lost  = 1
)

// A dfa is a deterministic automaton for one search, built as far as it is asked for.
type dfa struct {
	prog    *syntax.Prog
	sets    []int // by instruction: the alphabet's set it tests for
	alpha   *alphabet
	anchors bool // the search can only start at the start
	borders bool // there are word boundaries, so states remember what came before
	states  []dfaState
	index   map[string]int
	work    *int // units left, shared by the automata of one question
}

// A dfaState is the set of instructions that wait for the next code point, without the plain jumps between
// them.
type dfaState struct {
	waiting []uint32
	start   bool // nothing has been read
	word    bool // the code point before was a word character
	next    []int
}

func newDFA(prog *syntax.Prog, sets []int, work *int) *dfa {
	d := &dfa{prog: prog, sets: sets, index: map[string]int{}, work: work}
	d.anchors = prog.StartCond()&syntax.EmptyBeginText != 0
	for i := range prog.Inst {
		in := &prog.Inst[i]
		if in.Op == syntax.InstEmptyWidth &&
			syntax.EmptyOp(in.Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			d.borders = true
		}
	}
	d.states = make([]dfaState, 2)
	return d
}

func (d *dfa) begin() int {
	c := closure{dfa: d, start: true}
	c.add(uint32(d.prog.Start))
	return d.intern(c, false)
}

func (d *dfa) step(state, class int) int {
	if state == found || state == lost {
		return state
	}
	if next := d.states[state].next; next != nil && next[class] >= 0 {
		return next[class]
	}
	from := &d.states[state]
	here := d.settle(from, d.alpha.word[class], false)
	if here.matched {
		return d.remember(state, class, found)
	}
	after := closure{dfa: d}
	for _, pc := range here.list {
		in := &d.prog.Inst[pc]
		if in.Op != syntax.InstEmptyWidth && d.alpha.member[d.sets[pc]][class] {
			after.add(in.Out)
		}
	}
	if !d.anchors {
		after.add(uint32(d.prog.Start))
	}
	return d.remember(state, class, d.intern(after, d.borders && d.alpha.word[class]))
}

func (d *dfa) remember(state, class, next int) int {
	from := &d.states[state]
	if from.next == nil {
		*d.work -= len(d.alpha.runes)
		from.next = slices.Repeat([]int{-1}, len(d.alpha.runes))
	}
	from.next[class] = next
	return next
}

func (d *dfa) accepts(state int) bool {
	if state == found || state == lost {
		return state == found
	}
	return d.settle(&d.states[state], false, true).matched
}

// settle follows the assertions of a state that hold before the next code point or at the end.
func (d *dfa) settle(from *dfaState, nextIsWord, end bool) closure {
	c := closure{dfa: d, holds: d.conditions(from, nextIsWord, end), settling: true}
	for _, pc := range from.waiting {
		c.add(pc)
	}
	return c
}

func (d *dfa) conditions(from *dfaState, nextIsWord, end bool) syntax.EmptyOp {
	holds := syntax.EmptyNoWordBoundary
	if from.word != nextIsWord {
		holds = syntax.EmptyWordBoundary
	}
	if from.start {
		holds |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if end {
		holds |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	return holds
}

func (d *dfa) intern(c closure, word bool) int {
	switch {
	case c.matched:
		return found
	case len(c.list) == 0:
		return lost
	}
	slices.Sort(c.list)
	key := make([]byte, 0, 4*len(c.list)+2)
	for _, pc := range c.list {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	key = append(key, bit(c.start), bit(word))
	if i, ok := d.index[string(key)]; ok {
		return i
	}
	d.states = append(d.states, dfaState{waiting: c.list, start: c.start, word: word})
	d.index[string(key)] = len(d.states) - 1
	return len(d.states) - 1
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// A closure is a set of instructions reached without reading. Assertions wait in it until it is settled.
type closure struct {
	dfa      *dfa
	start    bool
	settling bool
	holds    syntax.EmptyOp
	seen     map[uint32]bool
	list     []uint32
	matched  bool
}

func (c *closure) add(pc uint32) {
	if c.seen == nil {
		c.seen = map[uint32]bool{}
	}
	stack := []uint32{pc}
	for len(stack) > 0 {
		pc = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		*c.dfa.work -= 4
		if c.seen[pc] || *c.dfa.work < 0 {
			continue
		}
		c.seen[pc] = true
		stack = c.visit(pc, stack)
	}
}

func (c *closure) visit(pc uint32, stack []uint32) []uint32 {
	in := &c.dfa.prog.Inst[pc]
	switch in.Op {
	case syntax.InstMatch:
		c.matched = true
	case syntax.InstAlt, syntax.InstAltMatch:
		return append(stack, in.Out, in.Arg)
	case syntax.InstCapture, syntax.InstNop:
		return append(stack, in.Out)
	case syntax.InstEmptyWidth:
		return c.assertion(pc, in, stack)
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		c.list = append(c.list, pc)
	}
	return stack
}

func (c *closure) assertion(pc uint32, in *syntax.Inst, stack []uint32) []uint32 {
	needs := syntax.EmptyOp(in.Arg)
	if c.settling {
		if needs&^c.holds == 0 {
			return append(stack, in.Out)
		}
		return stack
	}
	if c.start || needs&syntax.EmptyBeginText == 0 {
		c.list = append(c.list, pc)
	}
	return stack
}

// An alphabet divides all code points into classes of equivalent members for the automata of a question.
type alphabet struct {
	runes  []rune   // the most readable member of each class
	member [][]bool // by set, then by class: whether the set contains the class
	word   []bool   // by class: whether its members are word characters
}

type span struct{ low, high rune }

// A collector gathers the distinct sets of code points that automata test for.
type collector struct {
	sets  [][]span
	index map[string]int
}

func (c *collector) add(spans []span) int {
	var key strings.Builder
	for _, s := range spans {
		key.WriteString(string(s.low))
		key.WriteByte('-')
		key.WriteString(string(s.high))
	}
	if i, ok := c.index[key.String()]; ok {
		return i
	}
	c.index[key.String()] = len(c.sets)
	c.sets = append(c.sets, spans)
	return len(c.sets) - 1
}

func spansOf(in *syntax.Inst) []span {
	switch in.Op {
	case syntax.InstRuneAny:
		return []span{{0, unicode.MaxRune}}
	case syntax.InstRuneAnyNotNL:
		return []span{{0, '\n' - 1}, {'\n' + 1, unicode.MaxRune}}
	}
	if len(in.Rune) == 1 {
		return []span{{in.Rune[0], in.Rune[0]}}
	}
	spans := make([]span, 0, len(in.Rune)/2)
	for i := 0; i+1 < len(in.Rune); i += 2 {
		spans = append(spans, span{in.Rune[i], in.Rune[i+1]})
	}
	return spans
}

// alphabet divides the code points, surrogates excepted. The word characters are always a set of their own,
// number 0.
func (c *collector) alphabet() *alphabet {
	cuts := c.cuts()
	signatures := make([][]byte, len(cuts)-1)
	for i := range signatures {
		signatures[i] = make([]byte, (len(c.sets)+7)/8)
	}
	for n, set := range c.sets {
		for _, s := range set {
			first, _ := slices.BinarySearch(cuts, s.low)
			for i := first; i < len(signatures) && cuts[i] <= s.high; i++ {
				signatures[i][n/8] |= 1 << (n % 8)
			}
		}
	}
	return c.classes(cuts, signatures)
}

// cuts returns every code point at which some set starts or has just ended, sorted.
func (c *collector) cuts() []rune {
	cuts := []rune{0, 0xd800, 0xe000, unicode.MaxRune + 1}
	for _, set := range c.sets {
		for _, s := range set {
			cuts = append(cuts, s.low, s.high+1)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

func (c *collector) classes(cuts []rune, signatures [][]byte) *alphabet {
	a := &alphabet{member: make([][]bool, len(c.sets))}
	seen := map[string]int{}
	for i, signature := range signatures {
		if cuts[i] >= 0xd800 && cuts[i] < 0xe000 {
			continue
		}
		best := readable(cuts[i], cuts[i+1]-1)
		class, ok := seen[string(signature)]
		if ok {
			if rank(best) < rank(a.runes[class]) {
				a.runes[class] = best
			}
			continue
		}
		seen[string(signature)] = len(a.runes)
		a.runes = append(a.runes, best)
		for n := range c.sets {
			a.member[n] = append(a.member[n], signature[n/8]&(1<<(n%8)) != 0)
		}
	}
	return a.byReadability()
}

// byReadability orders the classes so that a search that takes the first way finds the most readable string.
func (a *alphabet) byReadability() *alphabet {
	order := make([]int, len(a.runes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return rank(a.runes[x]) - rank(a.runes[y]) })
	sorted := &alphabet{member: make([][]bool, len(a.member))}
	for _, class := range order {
		sorted.runes = append(sorted.runes, a.runes[class])
		for n := range a.member {
			sorted.member[n] = append(sorted.member[n], a.member[n][class])
		}
	}
	sorted.word = sorted.member[0]
	return sorted
}

const favourites = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. " +
	"/:@,+=!?#%&*()<>[]{};'\"$^|~`\\"

// rank orders code points by how well they read: favourites, then other printing ones, then the rest.
func rank(c rune) int {
	if i := strings.IndexRune(favourites, c); i >= 0 {
		return i
	}
	switch {
	case c > ' ' && unicode.IsPrint(c):
		return 1<<21 + int(c)
	case c == '\n' || c == '\t':
		return 1<<22 + int(c)
	}
	return 1<<23 + int(c)
}

// readable returns the member of a range of code points that reads best, looking at no more than a few.
func readable(low, high rune) rune {
	best := low
	for c := low; c <= high && c < low+unicode.MaxASCII; c++ {
		if rank(c) < rank(best) {
			best = c
		}
	}
	return best
}
