// Package tokens counts what a text costs a model, in tokens of the encoding o200k_base.
//
// The encoding is that of OpenAI's models since GPT-4o; other vendors' counts differ by some percent, which is near enough
// to compare servers and to keep a budget. Nothing is downloaded: the vocabulary is a part of the program that is read
// where it lies, so that a program that counts nothing pays nothing.
package tokens

// Counter counts many texts, and remembers their words: texts for models say the same words over and over. The zero value
// is ready. It is not for several goroutines.
type Counter struct{ known map[string]int }

// maxKnown is how many words are remembered.
const maxKnown = 16 << 10

// Count is the number of tokens of a text. Its time grows with the length of the text, whatever the text is.
func Count(text string) int {
	var c Counter
	return c.Count(text)
}

// Count is Count of a text that may be like those before it.
func (c *Counter) Count(text string) int {
	n := 0
	for len(text) > 0 {
		size := word(text)
		n += c.pieces(text[:size])
		text = text[size:]
	}
	return n
}

// pieces is the number of tokens of a word, remembered.
func (c *Counter) pieces(word string) int {
	n, known := c.known[word]
	if known {
		return n
	}
	n = pieces(word)
	if c.known == nil {
		c.known = map[string]int{}
	}
	if len(c.known) < maxKnown && len(word) <= maxToken {
		c.known[word] = n
	}
	return n
}

// pieces is the number of tokens of one word.
func pieces(word string) int {
	if _, whole := rankOf(word); whole {
		return 1
	}
	return merge(word)
}
