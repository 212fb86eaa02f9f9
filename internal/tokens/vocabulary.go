package tokens

import (
	_ "embed" // for the vocabulary
	"strings"
)

// table is the vocabulary: slots of a hash table that hold 1 + rank (0 = free), then where each token ends in the text
// behind them, in the order of ranks. All numbers have three bytes, least first. A test writes and checks it.
//
//go:embed o200k_base.bin
var table string

const (
	size     = 199_998 // tokens; their ranks are 0 … size-1
	slots    = 1 << 18
	width    = 3
	endsAt   = slots * width
	textAt   = endsAt + size*width
	maxToken = 128 // bytes of the longest token
)

// rankOf is the rank of a token; false when the text is none. Tokens of low rank are merged first.
func rankOf(token string) (rank int, ok bool) {
	if len(token) > maxToken {
		return 0, false
	}
	for slot := hash(token); ; slot = (slot + 1) % slots {
		rank := number(slot*width) - 1
		if rank < 0 {
			return 0, false
		}
		if strings.HasPrefix(table[textAt+start(rank):], token) && end(rank)-start(rank) == len(token) {
			return rank, true
		}
	}
}

// hash is FNV-1a, folded to the number of slots.
func hash(token string) int {
	h := uint32(2166136261)
	for i := range len(token) {
		h = (h ^ uint32(token[i])) * 16777619
	}
	return int((h ^ h>>18) % slots)
}

func number(at int) int {
	return int(table[at]) | int(table[at+1])<<8 | int(table[at+2])<<16
}

func end(rank int) int { return number(endsAt + rank*width) }

func start(rank int) int {
	if rank == 0 {
		return 0
	}
	return end(rank - 1)
}
