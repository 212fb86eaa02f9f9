package redact

import (
	"encoding/base64"
	"strings"
)

// How long a secret must be to be looked for in what is not written exactly like it: ordinary words, put together or spelt in
// another case, must not be taken for a short one.
const (
	leastFolded  = 8
	leastWrapped = 10
	keySize      = 4 // bytes of a form that it is looked up by
	nested       = 2 // base64 inside of base64 is decoded, too
)

// finder finds the forms of secrets in texts, whatever the case of letters, and wherever a line was wrapped.
type finder struct {
	forms  map[[keySize]byte][]string // in lower case, without white space
	filter [256]uint64                // bits of the keys in forms
	first  [256]bool                  // bytes that a form begins with, in either case
}

func newFinder(forms []string) *finder {
	f := &finder{forms: map[[keySize]byte][]string{}}
	for _, form := range forms {
		plain := strings.Map(func(r rune) rune {
			if r < 0x80 && isSpace(byte(r)) {
				return -1
			}
			return r
		}, form)
		if len(plain) < leastFolded {
			continue
		}
		plain = foldASCII(plain)
		key := [keySize]byte([]byte(plain))
		f.forms[key] = append(f.forms[key], plain)
		f.filter[hash(key)>>6] |= 1 << (hash(key) & 63)
		f.first[key[0]] = true
		if 'a' <= key[0] && key[0] <= 'z' {
			f.first[key[0]-'a'+'A'] = true
		}
	}
	return f
}

func hash(key [keySize]byte) uint32 {
	n := uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24
	return n * 0x9e3779b1 >> 18
}

// mayWrap tells bytes that skip looks at.
func mayWrap(c byte) bool { return c <= ' ' || c == '\\' || c == '=' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func fold(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func foldASCII(s string) string {
	out := []byte(s)
	for i, c := range out {
		out[i] = fold(c)
	}
	return string(out)
}

// skip is the offset behind white space at i, also as JSON writes it, and behind the soft line breaks of mail.
func skip(text string, i int) int {
	for i < len(text) {
		switch c := text[i]; {
		case isSpace(c):
			i++
		case c == '\\' && i+1 < len(text) && strings.IndexByte("nrt", text[i+1]) >= 0:
			i += 2
		case c == '=' && i+1 < len(text) && (text[i+1] == '\n' || strings.HasPrefix(text[i+1:], "\r\n")):
			i++
		default:
			return i
		}
	}
	return i
}

// span is a piece of a text, in bytes.
type span struct{ start, end int }

// spans are the places of secrets in a text, in order; they do not overlap. first ends the search with the first.
func (f *finder) spans(text string, first bool) []span {
	var found []span
	for i := 0; i+keySize <= len(text); i++ {
		if !f.first[text[i]] {
			continue
		}
		end := f.at(text, i)
		if end == 0 {
			continue
		}
		if last := len(found) - 1; last >= 0 && i < found[last].end {
			found[last].end = max(found[last].end, end)
			continue
		}
		if found = append(found, span{i, end}); first {
			return found
		}
	}
	return found
}

// at is where the longest secret ends that begins at i; 0 = none does.
func (f *finder) at(text string, i int) int {
	var key [keySize]byte
	for at, n := i, 0; n < keySize; n++ {
		if at < len(text) && n > 0 && mayWrap(text[at]) {
			at = skip(text, at)
		}
		if at >= len(text) {
			return 0
		}
		key[n] = fold(text[at])
		at++
	}
	if h := hash(key); f.filter[h>>6]&(1<<(h&63)) == 0 {
		return 0
	}
	longest := 0
	for _, form := range f.forms[key] {
		longest = max(longest, matchAt(text, i, form))
	}
	return longest
}

// matchAt is where a form that begins at i ends; 0 = it does not begin there, or is too short for how it is written.
func matchAt(text string, i int, form string) int {
	at, wrapped := i, false
	for n := range len(form) {
		if at < len(text) && n > 0 && fold(text[at]) != form[n] {
			next := skip(text, at)
			wrapped, at = wrapped || next > at, next
		}
		if at >= len(text) || fold(text[at]) != form[n] {
			return 0
		}
		at++
	}
	if wrapped && len(form) < leastWrapped {
		return 0
	}
	return at
}

// runs calls use for every run of base64 digits in a text, in the standard alphabet and with the place of each in the text.
func runs(text string, use func(digits []byte, at []int)) {
	const leastRun = leastFolded*4/3 + 1
	var digits []byte
	var at []int
	marks := 0 // digits that words seldom have
	flush := func() {
		if len(digits) >= leastRun && marks >= 3 {
			use(digits, at)
		}
		digits, at, marks = digits[:0], at[:0], 0
	}
	for i := 0; i < len(text); i++ {
		if mayWrap(text[i]) {
			if next := skip(text, i); next > i {
				i = next - 1
				continue
			}
		}
		d := digit(text[i])
		if d == 0 {
			flush()
			continue
		}
		if d < 'a' || d > 'z' {
			marks++
		}
		digits, at = append(digits, d), append(at, i)
	}
	flush()
}

// digit is a digit of base64, in the standard alphabet whichever it is written in; 0 = it is none.
func digit(c byte) byte {
	switch {
	case c == '-':
		return '+'
	case c == '_':
		return '/'
	case 'a' <= fold(c) && fold(c) <= 'z', '0' <= c && c <= '9', c == '+', c == '/':
		return c
	}
	return 0
}

// encodedSpans are the places of secrets that are written in base64, wherever it begins and however it is wrapped.
func (f *finder) encodedSpans(text string, depth int, first bool) []span {
	var found []span
	runs(text, func(digits []byte, at []int) {
		for offset := 0; offset < 4 && !(first && len(found) > 0); offset++ {
			decoded := decode(digits[min(offset, len(digits)):])
			inner := f.spans(decoded, first)
			if depth > 1 {
				inner = append(inner, f.encodedSpans(decoded, depth-1, first)...)
			}
			for _, s := range inner {
				from, to := offset+s.start*8/6, min(offset+(s.end*8+5)/6, len(at))
				found = append(found, span{at[from], at[to-1] + 1})
			}
		}
	})
	return found
}

// decode is what base64 digits stand for; a last one that is no whole byte is left out.
func decode(digits []byte) string {
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1]
	}
	out, _ := base64.RawStdEncoding.AppendDecode(nil, digits) // cannot fail: they are digits
	return string(out)
}
