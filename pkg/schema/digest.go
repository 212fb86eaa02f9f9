package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// digest sums up the meaning of a node. A combination of one is that one; the order of more does not matter.
func (n *node) digest() digest {
	if n.op <= opOne && len(n.kids) == 1 && !n.kids[0].not && len(n.implied) == 0 {
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
	if n.set != nil {
		b = n.set.append(b)
	}
	for _, name := range n.names {
		b = appendText(b, name)
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

func (n *node) ordered() []lit {
	if n.op > opOne {
		return n.kids
	}
	out := slices.Clone(n.kids)
	slices.SortFunc(out, compareLits)
	if n.op != opOne {
		out = slices.CompactFunc(out, lit.same)
	}
	return out
}

// compareLits orders literals by meaning, a node next to its negation.
func compareLits(a, b lit) int {
	if c := bytes.Compare(a.sum[:], b.sum[:]); c != 0 || a.not == b.not {
		return c
	}
	if a.not {
		return 1
	}
	return -1
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(append(b, '"'), uint64(len(s))), s...)
}

func sign(l lit) byte {
	if l.not {
		return '-'
	}
	return '+'
}

// headSum names a node on a cycle by where it stands: text holds the digest of its document.
func headSum(n *node) digest {
	h := sha256.Sum256([]byte("cycle\x00" + n.text + "\x00" + n.place + "\x00" + n.keyword))
	return digest(h[:16])
}
