package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// letters is the length of a word of letters at the start of a text, with the contraction behind it: capitals, then small
// ones, of which there must be one; else capitals alone.
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

// digits is the length of up to three digits.
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
