// Package tokens counts what a text costs a model, in tokens of the encoding o200k_base.
//
// The encoding is that of OpenAI's models since GPT-4o; other vendors' counts differ by some percent, which is near enough
// to compare servers and to keep a budget. Nothing is downloaded: the vocabulary is a part of the program that is read
// where it lies, so that a program that counts nothing pays nothing.
//
// The library tiktoken-go/tokenizer counts the same, and the tests hold this package to it. It is not linked, since it
// builds its vocabulary as a map at the first count (some 90 ms, against a list of a server that starts in 6) and makes the
// program 7.5 MB larger, against 1.7; it also counts "\n \n" as two tokens, and drops U+007F.
package tokens

import (
	"context"
	_ "embed"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Counter counts many texts and remembers their words. The zero value is ready, for one goroutine.
type Counter struct{ known map[string]int }

// maxKnown is how many words are remembered.
const maxKnown = 16 << 10

// manyWords are as many as pay for what prepare makes.
const manyWords = 1 << 10

// Count is the number of tokens of a text. Its time grows with the length of the text, whatever the text is.
func Count(text string) int {
	var c Counter
	return c.Count(text)
}

// Count is Count of a text that may be like those before it.
func (c *Counter) Count(text string) int {
	n, _ := c.CountWithin(context.Background(), text)
	return n
}

// CountWithin is Count that ends with ctx, whose error it then is.
func (c *Counter) CountWithin(ctx context.Context, text string) (int, error) {
	n := 0
	for len(text) > 0 && ctx.Err() == nil {
		size := word(text)
		n += c.pieces(ctx, text[:size])
		text = text[size:]
	}
	return n, ctx.Err()
}

// pieces is the number of tokens of a word, remembered.
func (c *Counter) pieces(ctx context.Context, word string) int {
	n, known := c.known[word]
	if known {
		return n
	}
	if n = pieces(ctx, word); ctx.Err() != nil {
		return n
	}
	if c.known == nil {
		c.known = map[string]int{}
	}
	if len(c.known) < maxKnown && len(word) <= maxToken {
		c.known[word] = n
	}
	if len(c.known) == manyWords {
		prepare()
	}
	return n
}

// pieces is the number of tokens of one word.
func pieces(ctx context.Context, word string) int {
	if _, whole := rankOf(word); whole {
		return 1
	}
	if len(word) > longestWord {
		prepare()
	}
	n, before, cost := 0, "", 0
	for ; len(word) > longestWord && ctx.Err() == nil; word = word[longestWord:] {
		if part := word[:longestWord]; part != before { // a long word mostly repeats itself
			before, cost = part, merge(part)
		}
		n += cost
	}
	if len(word) > longestWord {
		return n // nobody waits for it
	}
	return n + merge(word)
}

// longestWord is how many bytes are joined at once; a longer word counts as several, a token or two more for each.
const longestWord = 1 << 12

// word is the length of the first word of a text that is not empty. Words are those of o200k_base, whose definition is a
// regular expression; what follows it is tried in its order:
//
//	[^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]* [\p{Ll}\p{Lm}\p{Lo}\p{M}]+ (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]? [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+ [\p{Ll}\p{Lm}\p{Lo}\p{M}]* (?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	" "? [^\s\p{L}\p{N}]+ [\r\n/]*
//	\s* [\r\n]+
//	\s+ (?!\S)
//	\s+
func word(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if !isLineEnd(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) {
		if n := letters(text[size:]); n > 0 {
			return size + n
		}
	}
	if n := letters(text); n > 0 {
		return n
	}
	if n := digits(text); n > 0 {
		return n
	}
	if n := signs(text); n > 0 {
		return n
	}
	return max(blanks(text), size)
}

// letters is the length of a word of letters with its contraction: capitals, then small ones; else capitals alone.
func letters(text string) int {
	capitals := span(text, isUpper)
	if small := span(text[capitals:], isLower); small > 0 {
		return withContraction(text, capitals+small)
	}
	// The last letter that counts as small too ends the word, since the capitals give back what they must.
	if last := strings.LastIndexFunc(text[:capitals], isLower); last >= 0 {
		_, size := utf8.DecodeRuneInString(text[last:])
		return withContraction(text, last+size)
	}
	if capitals > 0 {
		return withContraction(text, capitals)
	}
	return 0
}

func withContraction(text string, n int) int {
	rest := text[n:]
	if !strings.HasPrefix(rest, "'") {
		return n
	}
	for _, ending := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if len(rest) >= len(ending) && strings.EqualFold(rest[:len(ending)], ending) {
			return n + len(ending)
		}
	}
	return n
}

func digits(text string) int {
	n := 0
	for range 3 {
		r, size := utf8.DecodeRuneInString(text[n:])
		if size == 0 || !unicode.IsNumber(r) {
			break
		}
		n += size
	}
	return n
}

// signs is the length of what is neither letter, number nor blank, with a blank before and line ends and slashes behind.
func signs(text string) int {
	space := 0
	if text[0] == ' ' {
		space = 1
	}
	n := span(text[space:], isSign)
	if n == 0 {
		return 0
	}
	n += space
	return n + span(text[n:], func(r rune) bool { return isLineEnd(r) || r == '/' })
}

// blanks is the length of white space: up to its last line end, else all but the blank that belongs to the next word.
func blanks(text string) int {
	n := span(text, unicode.IsSpace)
	if last := strings.LastIndexAny(text[:n], "\r\n"); last >= 0 {
		return last + 1
	}
	if n == len(text) {
		return n
	}
	_, size := utf8.DecodeLastRuneInString(text[:n])
	if n > size {
		return n - size
	}
	return n
}

// span is the length of the characters at the start of a text that are in a class.
func span(text string, in func(rune) bool) int {
	n := strings.IndexFunc(text, func(r rune) bool { return !in(r) })
	if n < 0 {
		return len(text)
	}
	return n
}

func isLineEnd(r rune) bool { return r == '\r' || r == '\n' }

func isSign(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

func isUpper(r rune) bool {
	if r < utf8.RuneSelf {
		return 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)
}

func isLower(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M)
}

// merge is the number of tokens that byte pair encoding makes of a word: it starts with single bytes and joins the
// neighbours whose union has the lowest rank, the leftmost of equals first, until no union is a token.
func merge(word string) int {
	m := merging{word: word, next: make([]int, len(word)+1), before: make([]int, len(word)+1)}
	for i := range m.next {
		m.next[i], m.before[i] = i+1, i-1
	}
	for i := range len(word) {
		m.offer(i)
	}
	left := len(word)
	for len(m.pairs) > 0 {
		at, middle, end := m.pop().parts()
		if m.next[at] != middle || m.after(middle) != end {
			continue // one of the two has been joined with another part
		}
		m.join(at, middle, end)
		left--
	}
	return left
}

// merging is a word in parts: a part begins at i and ends at next[i], where the next one begins.
type merging struct {
	word         string
	next, before []int
	pairs        []pair // a heap: the lowest rank first, then the leftmost
}

// pair is two neighbours that are a token together, as one number by which they are put in order: its rank, where it is in the word, and
// the bytes of the first of them and of both. container/heap would allocate each of them, and a long word has many.
type pair uint64

func (p pair) parts() (at, middle, end int) {
	at = int(p >> 16 & 0xFFFF)
	return at, at + int(p>>8&0xFF), at + int(p&0xFF)
}

// after is where the part that begins at i ends; none begins at the end of the word.
func (m *merging) after(i int) int {
	if i >= len(m.word) {
		return math.MaxInt
	}
	return m.next[i]
}

// offer puts the part at i and its right neighbour onto the heap, if their union is a token.
func (m *merging) offer(i int) {
	middle := m.after(i)
	end := m.after(middle)
	if end > len(m.word) {
		return
	}
	if rank, ok := rankOf(m.word[i:end]); ok {
		m.push(pair(rank<<32 | i<<16 | (middle-i)<<8 | (end - i)))
	}
}

// join makes one part of two and offers it to its neighbours.
func (m *merging) join(at, middle, end int) {
	m.next[at] = end
	m.before[end] = at
	m.next[middle] = math.MaxInt // no part begins here any more
	m.offer(at)
	if at > 0 {
		m.offer(m.before[at])
	}
}

func (m *merging) push(p pair) {
	m.pairs = append(m.pairs, p)
	i := len(m.pairs) - 1
	for ; i > 0 && p < m.pairs[(i-1)/2]; i = (i - 1) / 2 {
		m.pairs[i] = m.pairs[(i-1)/2]
	}
	m.pairs[i] = p
}

func (m *merging) pop() pair {
	first, last := m.pairs[0], m.pairs[len(m.pairs)-1]
	rest := m.pairs[:len(m.pairs)-1]
	i := 0
	for child := 1; child < len(rest); child = 2*i + 1 {
		if child+1 < len(rest) && rest[child+1] < rest[child] {
			child++
		}
		if last <= rest[child] {
			break
		}
		rest[i], i = rest[child], child
	}
	if m.pairs = rest; len(rest) > 0 {
		rest[i] = last
	}
	return first
}

// for the vocabulary

// table is the vocabulary, in a form that is small and is read where it lies: all tokens in the order of their bytes, in
// blocks of sixteen. A token is written as how many bytes it shares with the one before it in its block, and the others.
// A test writes and checks it. Its parts, one behind the other:
//
//   - where each block begins in the text, in three bytes, least first
//   - the rank of each token, in 18 bits, least first
//   - the text: for each token a byte of two halves, how many bytes it shares (low) and how many follow (high), where 15
//     means that a byte with the number follows, and then the bytes that follow
//
//go:embed o200k_base.bin
var table string

const (
	size      = 199_998 // tokens; their ranks are 0 … size-1
	blockSize = 16
	blocks    = (size + blockSize - 1) / blockSize
	width     = 3 // bytes of an offset
	rankBits  = 18
	ranksAt   = blocks * width
	textAt    = ranksAt + (size*rankBits+7)/8 + 1
	maxToken  = 128 // bytes of the longest token
	long      = 15  // a length that needs a byte of its own
)

// rankOf is the rank of a token; false when the text is none. Tokens of low rank are merged first.
func rankOf(token string) (rank int, ok bool) {
	if token == "" || len(token) > maxToken {
		return 0, false
	}
	low, high := around(token) // the block is the last one whose first token is not behind this one
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if head, _ := entry(start(middle)); table[head.at:head.at+head.size] <= token {
			low = middle
		} else {
			high = middle
		}
	}
	n, ok := search(token, low)
	return rankAt(low*blockSize + n), ok
}

// heads is headsBehind once there is much to count: to make it takes longer than all the texts of a usual server.
var heads atomic.Pointer[[1 << 16]uint16]

func prepare() { heads.Store(headsBehind()) }

// around is the blocks between which a token lies by its first two bytes: the first is not behind it, the last is.
func around(token string) (low, high int) {
	behind := heads.Load()
	if behind == nil {
		return 0, blocks
	}
	first := int(token[0]) << 8
	last := first | 0xFF
	if len(token) > 1 {
		first |= int(token[1])
		last = first
	}
	if first > 0 {
		low = max(int(behind[first-1])-1, 0)
	}
	return low, int(behind[last])
}

// headsBehind is for any two bytes how many blocks begin with a token that begins with these or with lesser ones.
var headsBehind = sync.OnceValue(func() *[1 << 16]uint16 {
	var counts [1 << 16]uint16
	block := 0
	for two := range counts {
		for ; block < blocks && firstTwo(block) <= two; block++ {
		}
		counts[two] = uint16(block)
	}
	return &counts
})

func firstTwo(block int) int {
	head, _ := entry(start(block))
	two := int(table[head.at]) << 8
	if head.size > 1 {
		two |= int(table[head.at+1])
	}
	return two
}

// part is what is written of a token.
type part struct {
	shared   int // bytes of the token before it
	at, size int // the others, in the table
}

// entry reads what is written at a place, and gives the place behind it.
func entry(at int) (p part, next int) {
	lengths := int(table[at])
	at++
	p.shared, p.size = lengths&long, lengths>>4
	if p.shared == long {
		p.shared = int(table[at])
		at++
	}
	if p.size == long {
		p.size = int(table[at])
		at++
	}
	p.at = at
	return p, at + p.size
}

// search is the position of a token in a block; false when it is not there.
func search(token string, block int) (int, bool) {
	at, alike := start(block), 0 // alike is how many bytes of the token before are those of this one
	for n := range min(blockSize, size-block*blockSize) {
		p, next := entry(at)
		at = next
		switch {
		case p.shared > alike:
			continue // it differs where the one before did
		case p.shared < alike:
			return 0, false // it is behind this one already
		}
		same := 0
		for same < p.size && alike+same < len(token) && table[p.at+same] == token[alike+same] {
			same++
		}
		if alike += same; alike == len(token) && same == p.size {
			return n, true
		}
	}
	return 0, false
}

func start(block int) int {
	at := block * width
	return textAt + (int(table[at]) | int(table[at+1])<<8 | int(table[at+2])<<16)
}

// rankAt is the rank of a token by its position among all.
func rankAt(n int) int {
	bit := n * rankBits
	at := ranksAt + bit/8
	return (int(table[at]) | int(table[at+1])<<8 | int(table[at+2])<<16) >> (bit % 8) & (1<<rankBits - 1)
}
