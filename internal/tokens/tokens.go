// Package tokens counts what a text costs a model, in tokens of the encoding o200k_base.
//
// The encoding is that of OpenAI's models since GPT-4o; other vendors' counts differ by some percent, which is near enough
// to compare servers and to keep a budget. Nothing is downloaded: the vocabulary is a part of the program that is read
// where it lies, so that a program that counts nothing pays nothing.
package tokens

// maxKnown is how many words of a text are remembered: texts for models say the same words over and over.
const maxKnown = 4096

// Count is the number of tokens of a text. Its time grows with the length of the text, whatever the text is.
func Count(text string) int {
	n, known := 0, map[string]int{}
	for len(text) > 0 {
		size := word(text)
		cost, seen := known[text[:size]]
		if !seen {
			cost = pieces(text[:size])
			if len(known) < maxKnown {
				known[text[:size]] = cost
			}
		}
		n += cost
		text = text[size:]
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
