package wording

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

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
