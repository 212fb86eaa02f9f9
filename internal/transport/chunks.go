package transport

// chunks collects a text whose length is not known, without copying what is there already: a list may have many MiB.
type chunks struct {
	parts [][]byte
	size  int
}

// The first chunk is kept for the next text; further ones grow up to the last size. Those of that size are no memory of
// the garbage collector's, which would keep all of them beside the whole text: they are given back one by one.
const (
	firstChunk = 4 << 10
	lastChunk  = 1 << 20
)

func (c *chunks) add(p []byte) {
	c.size += len(p)
	for len(p) > 0 {
		if n := len(c.parts); n == 0 || len(c.parts[n-1]) == cap(c.parts[n-1]) {
			c.parts = append(c.parts, newChunk(min(firstChunk<<min(n, 8), lastChunk)))
		}
		last := &c.parts[len(c.parts)-1]
		n := min(len(p), cap(*last)-len(*last))
		*last = append(*last, p[:n]...)
		p = p[n:]
	}
}

func newChunk(size int) []byte {
	if size == lastChunk {
		return mapChunk()
	}
	return make([]byte, 0, size)
}

// head is the start of the text, as much as the first chunk has; it is good until the next call of another method.
func (c *chunks) head() []byte {
	if len(c.parts) == 0 {
		return nil
	}
	return c.parts[0]
}

// drain hands on the chunks, which use must not keep, and forgets them.
func (c *chunks) drain(use func([]byte)) {
	for _, part := range c.parts {
		use(part)
		if cap(part) == lastChunk {
			unmapChunk(part)
		}
	}
	*c = chunks{}
}

// drop forgets the text.
func (c *chunks) drop() { c.drain(func([]byte) {}) }

// take is the whole text in memory of its own, of exactly its size.
func (c *chunks) take() []byte {
	text := make([]byte, 0, c.size)
	first := c.head()
	c.drain(func(part []byte) { text = append(text, part...) })
	if first != nil {
		c.parts = append(c.parts, first[:0])
	}
	return text
}
