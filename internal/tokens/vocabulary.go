package tokens

import _ "embed" // for the vocabulary

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
	if len(token) > maxToken {
		return 0, false
	}
	low, high := 0, blocks // the block is the last one whose first token is not behind this one
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
