package schema

// Bounds are numbers: a value that shows that one is lower now may have any length. One that is too large to
// be printed is kept as what it repeats and how often. It is read back like any other value.

// A longText is a text of that many letters a.
type longText int

// A longList is an array in which the last of the items is repeated up to a length.
type longList struct {
	items  []any
	length int
}

// A longObject is an object with further members up to a length, all with one value, whose names no schema
// mentions.
type longObject struct {
	members map[string]any
	length  int
	other   any
}

// satisfies decides an assertion about strings.
func (v longText) satisfies(n *node) answer {
	switch n.op {
	case opMinLength:
		return answerOf(int(v) >= n.count)
	case opMaxLength:
		return answerOf(int(v) <= n.count)
	case opPattern:
		return unsure
	case opScalars:
		for _, s := range n.set.strings() {
			if len(s) == int(v) {
				return unsure
			}
		}
		return empty
	}
	return inhabited
}

// from returns the items from an index on, repeated ones once.
func (v longList) from(i int) []any {
	if i >= v.length || len(v.items) == 0 {
		return nil
	}
	return v.items[min(i, len(v.items)-1):]
}

// covered answers whether opRest speaks of the members whose names no schema mentions.
func (v longObject) covered(n *node) answer {
	if len(n.patterns)+len(n.within) > 0 {
		return unsure
	}
	return inhabited
}
