package snapshot

import "unicode"

// Hidden are the characters of a text that a model reads and a person does not see: control characters other than tab
// and line ends, zero-width, bidirectional and filler characters, tags, and variation selectors that select nothing.
// What emoji and the joining scripts need to be written at all is not counted.
func Hidden(text string) []rune {
	var hidden []rune
	runes := []rune(text)
	flagTags := 0 // how many tags may follow: a black flag turns into that of a region by up to seven of them
	for i, r := range runes {
		flagTags--
		switch {
		case r == 0x1F3F4:
			flagTags = 8
		case isTag(r) && flagTags > 0:
		case r == 0x200C || r == 0x200D:
			if !joins(runes, i) {
				hidden = append(hidden, r)
			}
		case 0xFE00 <= r && r <= 0xFE0F:
			if i == 0 || invisible(runes[i-1]) {
				hidden = append(hidden, r)
			}
		case invisible(r):
			hidden = append(hidden, r)
		}
	}
	return hidden
}

func isTag(r rune) bool { return 0xE0000 <= r && r <= 0xE007F }

// invisible tells the characters that nobody sees, whatever is around them.
func invisible(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case unicode.IsControl(r), isTag(r):
		return true
	case 0xFE00 <= r && r <= 0xFE0F, 0xE0100 <= r && r <= 0xE01EF: // variation selectors
		return true
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0x180E, r == 0xFEFF: // soft hyphen, joiners and marks
		return true
	case r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0: // fillers
		return true
	}
	return 0x200B <= r && r <= 0x200F || 0x202A <= r && r <= 0x202E || 0x2060 <= r && r <= 0x206F
}

// joins tells whether a zero-width joiner or non-joiner stands where a script or an emoji needs one.
func joins(runes []rune, i int) bool {
	if i == 0 || i == len(runes)-1 {
		return false
	}
	return joinable(runes[i-1]) && joinable(runes[i+1])
}

func joinable(r rune) bool {
	return r >= 0x2190 && r < 0xE0000 && !invisible(r) || r == 0xFE0F ||
		unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
			unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
			unicode.Mongolian, unicode.Syriac)
}
