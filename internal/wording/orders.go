package wording

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// instructions match orders that the user does not see, as published attacks word them.
var instructions = []func() *regexp.Regexp{
	order(`(?i)<\s*(?:important|critical)\s*>`),
	order(`(?i)<\s*(?:system|hidden)\s*>\s*[\pL"*\[(]`), // else a part of an address, such as /<system>/log
	order(`(?i)\b(?:ignore|disregard|forget|override) (?:all |any |the |your )*(?:previous|prior|above|` +
		`earlier|preceding|other|system|existing) (?:system )?(?:instruction|prompt|rule|message|direction|` +
		`guideline)s?\b`),
	order(`(?i)\b(?:do not|don't|never|must not|without) (?:tell|telling|mention|mentioning|inform|` +
		`informing|reveal|revealing|notify|notifying|alert|alerting|disclose|disclosing|show|showing|` +
		`let)\b[^.!?\n]{0,40}\b(?:the|your) (?:user|human|customer|developer)\b[^.!?\n]{0,3}(?:[.!?\n]|` +
		`about|of|that|know|what|$)`),
	order(`(?i)\b(?:hide|conceal|keep) (?:this|it|these|that)\b[^.!?\n]{0,20}\bfrom the (?:user|human)\b`),
	order(`(?i)\bthe (?:user|human) (?:need not|needn't|does not need to|doesn't need to|must not|should ` +
		`not|shouldn't) (?:be (?:told|informed|notified|aware)\b|(?:know|see|notice)(?: (?:about )?(?:this|` +
		`it|that)\b|\s*[.!?,;\n]|$))`),
	order(`(?i)\b(?:collect|read|gather|include|send|pass|attach|upload|copy|append)\b[^.!?\n]{0,40}(?:\s|` +
		`/)\.env\b[^.!?\n]{0,60}`),
	order(`(?i)\b(?:send|pass|include|attach|append|forward|copy)\b[^.!?\n]{0,20}\b(?:the|your) (?:entire|` +
		`whole|full|complete) (?:conversation|chat|system prompt|context window)\b`),
}

// priorityClaims match orders to use a tool before or instead of all others.
var priorityClaims = []func() *regexp.Regexp{
	order(`(?i)\balways (?:use|call|invoke|run) this (?:tool|function|server)?\s*(?:first|before ` +
		`(?:any|all|every|everything|anything|each|using any)\b[^.!?\n]{0,40})`),
	order(`(?i)\b(?:never|do not|don't|must not) (?:use|call|invoke|rely on) (?:any |the )?other (?:tools?|` +
		`servers?|functions?|mcp\b)[^.!?\n]{0,30}`),
	order(`(?i)\b(?:must|should|needs? to|has to) be (?:called|used|invoked|run) (?:first )?before (?:any|` +
		`all|every) other (?:tools?|servers?|functions?)\b`),
	order(`(?i)\b(?:instead of|over|rather than) (?:any|all) other (?:tools?|servers?|functions?|mcp\b)`),
	order(`(?i)\b(?:takes?|has|have) (?:absolute |highest )?(?:priority|precedence) over (?:any|all|every|` +
		`other)\b[^.!?\n]{0,30}`),
}

// order compiles an expression at first use, since each start would pay for all. A blank matches any white
// space, and an apostrophe any apostrophe.
func order(expression string) func() *regexp.Regexp {
	return kit.Pattern(strings.NewReplacer(` `, `[\s\v\x{85}\p{Z}]+`, `'`, `['’]`).Replace(expression))
}

// Reading is a text as a model reads it: without invisible characters, and with Latin letters in place of
// those that look like them. Invisible characters may also separate words, so that a text with some has a
// second view with blanks in their place; one with markup has a view without it.
type Reading struct {
	text  string
	views []view
}

// view is one way to read a text.
type view struct {
	plain string
	lower string
	from  []int32 // offsets in the text of the bytes of plain and of its end; nil = the same
	kind  viewKind
}

type viewKind int

const (
	asWritten viewKind = iota
	undisguised
	rendered
)

// Read returns the reading of a text.
func Read(text string) Reading {
	invisible := func(r rune) bool { return Latin(r) < 0 }
	r := Reading{text, []view{{plain: text, lower: strings.ToLower(text)}}}
	if strings.ContainsFunc(text, disguised) {
		r.views = append(r.views, undisguise(text, ""))
	}
	if strings.ContainsFunc(text, invisible) {
		r.views = append(r.views, undisguise(text, " "))
	}
	if found := markupIn(text); found != nil {
		r.views = append(r.views, render(text, found))
	}
	return r
}

// markup is a passage that words may have between or inside them and that a page does not show.
type markup struct {
	start, end int
	parts      bool // it ends a word
}

// tags of HTML that stand inside a line, and those that end one.
var (
	inLine = kit.Set(strings.Fields("a abbr b bdi bdo big code del em font i ins kbd mark s small span " +
		"strike strong sub sup tt u var wbr"))
	endsLine = kit.Set(strings.Fields("br div h1 h2 h3 h4 h5 h6 li ol p td th tr ul"))
)

// markupIn returns the comments, the tags of HTML and the emphasis in a text.
func markupIn(text string) (all []markup) {
	noComment := false // ends behind here
	for at := 0; at < len(text); {
		next := strings.IndexAny(text[at:], "<*_")
		if next < 0 {
			break
		}
		at += next
		m := markup{start: at, end: at + 1}
		switch rest := text[at:]; {
		case strings.HasPrefix(rest, "<!--") && !noComment:
			length := strings.Index(rest, "-->")
			if noComment = length < 0; noComment {
				at = m.end
				continue
			}
			m.end = at + length + len("-->")
		case rest[0] == '<':
			length, name := tagAt(rest)
			if !inLine[name] && !endsLine[name] {
				at = m.end
				continue
			}
			m.end, m.parts = at+length, endsLine[name]
		default:
			for m.end < len(text) && text[m.end] == text[at] {
				m.end++
			}
			if length := m.end - at; length > 3 || rest[0] == '_' && length != 2 {
				at = m.end
				continue
			}
		}
		all = append(all, m)
		at = m.end
	}
	return all
}

// tagAt returns the length and the name of the tag of HTML that a text begins with; an empty name for none.
func tagAt(text string) (length int, name string) {
	const longest = 250
	text = text[:min(len(text), longest)]
	end := strings.IndexByte(text, '>')
	if end < 0 || strings.IndexByte(text[1:end], '<') >= 0 {
		return 0, ""
	}
	name, _, _ = strings.Cut(strings.Trim(text[1:end], "/"), " ")
	return end + 1, strings.ToLower(name)
}

// render returns a text in plain letters and without the markup that was found in it.
func render(text string, found []markup) view {
	var shown strings.Builder
	offsets := make([]int32, 0, len(text)+1)
	keep := func(passage string, at int) {
		shown.WriteString(passage)
		for i := range len(passage) {
			offsets = append(offsets, int32(at+i))
		}
	}
	done := 0
	for _, m := range found {
		keep(text[done:m.start], done)
		if m.parts {
			shown.WriteString(" ")
			offsets = append(offsets, int32(m.start))
		}
		done = m.end
	}
	keep(text[done:], done)
	offsets = append(offsets, int32(len(text)))
	v := undisguise(shown.String(), "")
	v.kind = rendered
	for i, at := range v.from {
		v.from[i] = offsets[at]
	}
	return v
}

// disguised reports whether a model may read a character as another one or skip it, such as marks on letters.
func disguised(r rune) bool {
	return r >= utf8.RuneSelf && (Latin(r) != r || unicode.Is(unicode.Mn, r))
}

// undisguise returns a text in plain letters, with a replacement for invisible characters.
func undisguise(text, invisible string) view {
	var plain strings.Builder
	plain.Grow(len(text))
	from := make([]int32, 0, len(text)+1)
	for at, c := range text {
		before := plain.Len()
		switch c = Latin(c); {
		case c < 0:
			plain.WriteString(invisible)
		case !unicode.Is(unicode.Mn, c):
			plain.WriteRune(c)
		}
		for range plain.Len() - before {
			from = append(from, int32(at))
		}
	}
	return view{plain.String(), strings.ToLower(plain.String()), append(from, int32(len(text))), undisguised}
}

// HasAny reports whether the text contains one of some words, which are in lower case.
func (r Reading) HasAny(words []string) bool {
	return slices.ContainsFunc(r.views, func(v view) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(v.lower, word) })
	})
}

// match is a passage of a text that an expression matches; disguised if it does so in plain letters only.
type match struct {
	start, end int
	disguised  bool
}

// Find returns the first match of an expression as offsets in the text; nil for none.
func (r Reading) Find(pattern func() *regexp.Regexp) []int {
	if found := r.all(pattern, 1); found != nil {
		return []int{found[0].start, found[0].end}
	}
	return nil
}

// all returns the matches in every view, sorted, without matches that overlap one of an earlier view.
func (r Reading) all(pattern func() *regexp.Regexp, most int) (found []match) {
	for _, v := range r.views {
		if !MayMatch(pattern(), v.lower) {
			continue
		}
		for _, at := range pattern().FindAllStringIndex(v.plain, most) {
			if v.from != nil {
				at[0], at[1] = int(v.from[at[0]]), int(v.from[at[1]])
			}
			if i, free := gapFor(found, at[0], at[1]); free {
				found = slices.Insert(found, i, match{at[0], at[1], v.kind == undisguised})
			}
		}
	}
	return found
}

// gapFor returns the index of a passage in sorted ones; free is false if it overlaps one of them.
func gapFor(sorted []match, start, end int) (i int, free bool) {
	i, _ = slices.BinarySearchFunc(sorted, start,
		func(other match, start int) int { return cmp.Compare(other.end, start+1) })
	return i, i == len(sorted) || sorted[i].start >= end
}

// markOrders returns a text with a sign before each order.
func markOrders(text string) string {
	var starts []int
	for _, o := range Commands(text, true) {
		if o.end > 0 { // else it is encoded
			starts = append(starts, len(strings.TrimRight(text[:o.start], "<!-[("))) // with its markup
		}
	}
	slices.Sort(starts)
	var out strings.Builder
	done := 0
	for _, next := range slices.Compact(starts) {
		out.WriteString(text[done:next] + orderSign)
		done = next
	}
	return out.String() + text[done:]
}

// Sign precedes what is concealed, BlankLines ends a line before blank lines.
const (
	Sign       = "⚠ "
	orderSign  = Sign + "order: "
	BlankLines = " blank lines:"
)

// concealed matches what models read and people do not see in a rendered text: comments, markup, images, text
// behind white space.
var concealed = kit.Pattern(`(?is)<!--.*?(?:-->|$)|<script\b.*?(?:</script\s*>|$)|!\[[^\]]*\]\([^)]*\)|` +
	`<(?:img|iframe|object|embed|svg|style|link|meta)\b[^>]*>|[^\s][ \t]{16,}[^\s]|\n(?:[ \t\r]*\n){6,}`)

// Marked returns a text with signs before concealed passages and orders to the model.
func Marked(text string) string {
	text = markOrders(text)
	if !strings.ContainsAny(text, "<!\t") && !strings.Contains(text, "        ") &&
		!strings.Contains(text, "\n\n\n") && !strings.Contains(text, "\n ") {
		return text // most texts, and the search is slow
	}
	return concealed().ReplaceAllStringFunc(text, func(m string) string {
		switch lower := strings.ToLower(m); {
		case strings.HasPrefix(m, "<!--"):
			return Sign + "hidden comment: " + m
		case strings.HasPrefix(lower, "<script"):
			return Sign + "script: " + m
		case m[0] == '!' || strings.HasPrefix(lower, "<img"):
			return Sign + "image: " + m
		case m[0] == '<':
			return Sign + "markup: " + m
		case m[0] == '\n':
			return "\n" + Sign + fmt.Sprintf("after %d%s\n", strings.Count(m, "\n")-1, BlankLines)
		}
		_, first := utf8.DecodeRuneInString(m)
		_, last := utf8.DecodeLastRuneInString(m)
		return m[:first] + " " + Sign + fmt.Sprintf("after %d spaces: ", len(m)-first-last) + m[len(m)-last:]
	})
}

// Latin returns the ASCII letter that a character looks like, in lower case if it is of another script: full
// width, circled, mathematical, raised, a small capital, Cyrillic or Greek, or a tag. It returns a negative
// number for invisible characters, and any other character itself.
func Latin(r rune) rune {
	const tags, wide = 0xE0000, 0xFEE0
	if r < utf8.RuneSelf {
		return r
	}
	letter, known := lookAlikes[r]
	if !known {
		letter, known = lookAlikes[unicode.ToLower(r)]
	}
	switch {
	case known:
		return letter
	case r == '\u2800': // a pattern of Braille without dots
		return ' '
	case tags+0x20 <= r && r < tags+0x7F:
		return r - tags
	case wide+0x21 <= r && r < wide+0x7F:
		return r - wide
	case 0x1D400 <= r && r <= 0x1D6A3:
		return inAlphabet(r - 0x1D400)
	case 0x24B6 <= r && r <= 0x24E9:
		return inAlphabet(r - 0x24B6)
	case 0x249C <= r && r <= 0x24B5: // in parentheses
		return 'a' + r - 0x249C
	case 0x1F130 <= r && r <= 0x1F189: // in squares and circles
		if n := (r - 0x1F130) % 0x20; n < 26 {
			return 'A' + n
		}
	case 0x1F1E6 <= r && r <= 0x1F1FF: // of flags
		return 'A' + r - 0x1F1E6
	case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return -1
	}
	return r
}

// inAlphabet returns a letter by its index in consecutive alphabets of upper and lower case.
func inAlphabet(n rune) rune {
	if n %= 52; n < 26 {
		return 'A' + n
	}
	return 'a' + n%26
}

// lookAlikes are the Latin letters that Cyrillic and Greek letters look like (Unicode's confusables.txt);
// upper case where the lower case looks like another letter or none.
var lookAlikes = map[rune]rune{
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'ѕ': 's', 'у': 'y', 'х': 'x', 'ѵ': 'v', 'ԝ': 'w',
	'α': 'a', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y',
	'В': 'b', 'Н': 'h', 'К': 'k', 'М': 'm', 'Т': 't', 'Β': 'b', 'Ε': 'e', 'Ζ': 'z', 'Η': 'h', 'Μ': 'm',
	'Ν': 'n', 'Υ': 'y',
	'ı': 'i', 'ɡ': 'g', 'օ': 'o', 'ո': 'n', 'ս': 'u', 'հ': 'h', 'ց': 'g', 'զ': 'q',
	'ᴀ': 'a', 'ʙ': 'b', 'ᴄ': 'c', 'ᴅ': 'd', 'ᴇ': 'e', 'ғ': 'f', 'ꜰ': 'f', 'ɢ': 'g', 'ʜ': 'h', 'ɪ': 'i',
	'ᴊ': 'j', 'ᴋ': 'k', 'ʟ': 'l', 'ᴍ': 'm', 'ɴ': 'n', 'ᴏ': 'o', 'ᴘ': 'p', 'ǫ': 'q', 'ꞯ': 'q', 'ʀ': 'r',
	'ꜱ': 's', 'ᴛ': 't', 'ᴜ': 'u', 'ᴠ': 'v', 'ᴡ': 'w', 'ʏ': 'y', 'ᴢ': 'z',
	'ᵃ': 'a', 'ᵇ': 'b', 'ᶜ': 'c', 'ᵈ': 'd', 'ᵉ': 'e', 'ᶠ': 'f', 'ᵍ': 'g', 'ʰ': 'h', 'ⁱ': 'i', 'ʲ': 'j',
	'ᵏ': 'k', 'ˡ': 'l', 'ᵐ': 'm', 'ⁿ': 'n', 'ᵒ': 'o', 'ᵖ': 'p', 'ʳ': 'r', 'ˢ': 's', 'ᵗ': 't', 'ᵘ': 'u',
	'ᵛ': 'v', 'ʷ': 'w', 'ˣ': 'x', 'ʸ': 'y', 'ᶻ': 'z',
}
