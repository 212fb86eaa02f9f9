package wording

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// ordersRead are the orders of texts that were read: check reads a text for two rules, diff finds what a
// report marks, and servers have texts in common.
var ordersRead memory

// memory keeps the orders of texts by their digests.
type memory struct {
	mu    sync.Mutex
	known map[readText][]Order
	size  int // bytes, about
}

// readText is a text, by its digest, and whether its words were read, too.
type readText struct {
	digest  [sha256.Size]byte
	byWords bool
}

// maxMemory is the size in bytes beyond which a memory forgets all.
const maxMemory = 16 << 20

// of returns the orders of a text, which are read unless they are known. byWords is whether its words are
// read, too. Callers do not change the list.
func (m *memory) of(text string, byWords bool, read func() []Order) []Order {
	key := readText{sha256.Sum256([]byte(text)), byWords}
	m.mu.Lock()
	orders, known := m.known[key]
	m.mu.Unlock()
	if known {
		return orders
	}
	orders = kit.Map(read(), Order.apartFromText)
	size := 90 // in the map
	for _, o := range orders {
		size += 90 + len(o.Passage) + 20*len(o.Words)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += size; m.known == nil || m.size > maxMemory {
		m.known, m.size = map[readText][]Order{}, size
	}
	m.known[key] = orders
	return orders
}

// apartFromText returns an order that does not keep its text in memory.
func (o Order) apartFromText() Order {
	o.Passage, o.Words = strings.Clone(o.Passage), kit.Map(o.Words, strings.Clone)
	return o
}
