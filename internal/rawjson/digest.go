package rawjson

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"hash/maphash"
	"slices"
)

// Digest is a number that values of the same canonical form share under one seed, and others but by chance do
// not. It costs a fraction of the form: no text is written, and keys are put in order by their numbers. What
// is no JSON is told by its bytes.
func Digest(seed maphash.Seed, raw json.RawMessage) uint64 {
	d := digester{scanner: scanner{data: raw}, seed: seed}
	var sum uint64
	err := d.whole(func() (err error) {
		sum, err = d.value()
		return err
	})
	if err != nil {
		return maphash.Bytes(seed, raw)
	}
	return sum
}

type digester struct {
	scanner
	seed    maphash.Seed
	members []digested // of the objects and arrays that are open
	bytes   []byte     // what is hashed of one of them
}

type digested struct{ key, value uint64 }

func (d *digester) value() (uint64, error) {
	start := len(d.members)
	switch d.peek() {
	case '{':
		err := d.object(func(key []byte) error {
			return d.member(
				maphash.Bytes(d.seed, canonicalString(key)))
		})
		slices.SortStableFunc(d.members[start:], func(a, b digested) int { return cmp.Compare(a.key, b.key) })
		return d.end('{', start), err
	case '[':
		err := d.array(func() error { return d.member(0) })
		return d.end('[', start), err
	}
	token, err := d.scalar()
	if err == nil && token[0] == '"' {
		token = canonicalString(token)
	}
	return maphash.Bytes(d.seed, token), err
}

func (d *digester) member(key uint64) error {
	value, err := d.value()
	d.members = added(d.members, digested{key, value})
	return err
}

// end is the digest of the object or array whose members begin at an index, which are let go.
func (d *digester) end(open byte, start int) uint64 {
	d.bytes = append(d.bytes[:0], open)
	for _, m := range d.members[start:] {
		d.bytes = binary.LittleEndian.AppendUint64(d.bytes, m.key)
		d.bytes = binary.LittleEndian.AppendUint64(d.bytes, m.value)
	}
	d.members = d.members[:start]
	return maphash.Bytes(d.seed, d.bytes)
}
