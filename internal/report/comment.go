package report

import (
	"fmt"
	"slices"
	"strings"
)

// noteRoom are the bytes kept for the note about what was left out.
const noteRoom = 500

// comment is a text that must not grow beyond a limit: what matters most is kept, and a note says what was left out.
type comment struct {
	limit    int
	head     string
	chapters []chapter
}

// chapter is blocks between two tags. It is left out when none of its blocks stays.
type chapter struct {
	open, end string
	blocks    []block
}

// block is the smallest piece that is kept or left out.
type block struct {
	rank  int    // lower stays first
	what  string // what is counted when it is left out
	full  string
	brief string // what stays where the whole does not fit; empty = nothing
}

// add puts a block at the end of the last chapter, which is a new one unless it opens in the same way.
func (c *comment) add(ch chapter, b block) {
	last := len(c.chapters) - 1
	if last < 0 || c.chapters[last].open != ch.open {
		c.chapters, last = append(c.chapters, ch), last+1
	}
	c.chapters[last].blocks = append(c.chapters[last].blocks, b)
}

// write is the text with as much as the limit allows.
func (c *comment) write() string {
	kept, out := c.fit(c.limit - len(c.head) - noteRoom)
	var b strings.Builder
	b.WriteString(c.head)
	for i, ch := range c.chapters {
		if body := strings.Join(kept[i], ""); body != "" {
			b.WriteString(ch.open + body + ch.end)
		}
	}
	b.WriteString(out.note(c.limit))
	return b.String()
}

// fit chooses what stays: blocks of low rank first, in their order, each whole, or in brief, or not at all.
func (c *comment) fit(room int) (kept [][]string, out leftOut) {
	kept = make([][]string, len(c.chapters))
	opened := make([]bool, len(c.chapters))
	for i, ch := range c.chapters {
		kept[i] = make([]string, len(ch.blocks))
	}
	for rank := -1; rank <= 3; rank++ {
		for i, ch := range c.chapters {
			for j, b := range ch.blocks {
				if b.rank != rank {
					continue
				}
				frame := 0
				if !opened[i] {
					frame = len(ch.open) + len(ch.end)
				}
				kept[i][j] = b.within(room - frame)
				out.count(b, kept[i][j])
				if kept[i][j] != "" {
					opened[i], room = true, room-frame-len(kept[i][j])
				}
			}
		}
	}
	return kept, out
}

// within is as much of a block as fits.
func (b block) within(room int) string {
	switch {
	case len(b.full) <= room:
		return b.full
	case len(b.brief) <= room:
		return b.brief
	}
	return ""
}

// leftOut counts what did not fit.
type leftOut struct {
	words  []string // in order of their first appearance
	counts map[string]int
	values int // blocks that stayed in brief
}

func (l *leftOut) count(b block, kept string) {
	switch kept {
	case b.full:
	case "":
		if l.counts == nil {
			l.counts = map[string]int{}
		}
		if !slices.Contains(l.words, b.what) {
			l.words = append(l.words, b.what)
		}
		l.counts[b.what]++
	default:
		l.values++
	}
}

// note says what was left out; nothing when all is there.
func (l leftOut) note(limit int) string {
	var parts []string
	for _, word := range l.words {
		parts = append(parts, fmt.Sprintf("%d %s", l.counts[word], word))
	}
	if l.values > 0 {
		parts = append(parts, fmt.Sprintf("the values of %d of those above", l.values))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("<p>✂️ Left out, since this text has at most %d bytes: %s. The formats json and html have everything.</p>\n",
		limit, strings.Join(parts, ", "))
}
