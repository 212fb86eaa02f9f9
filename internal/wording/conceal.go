package wording

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Sign stands before what is concealed, BlankLines at the end of a line whose next one is.
const (
	Sign       = "⚠ "
	BlankLines = " blank lines:"
)

// hideouts are what people do not see where a text is rendered, though a model reads it: comments, scripts and other
// markup, images, and what stands behind much white space.
var hideouts = match.Pattern(`(?is)<!--.*?(?:-->|$)|<script\b.*?(?:</script\s*>|$)|!\[[^\]]*\]\([^)]*\)|<(?:img|iframe|object|embed|svg|style|link|meta)\b[^>]*>|[^\s][ \t]{16,}[^\s]|\n(?:[ \t\r]*\n){6,}`)

// Marked is a text in which what hideouts are is marked, and what gives the model orders that the user did not.
func Marked(text string) string {
	if !strings.ContainsAny(text, " \t\n\f\r<!") && !strings.Contains(text, ".env") {
		return text // a name, or a number: each order has a blank, but one to read a file of secrets
	}
	for _, order := range slices.Concat(Instructions, PriorityClaims) {
		text = order().ReplaceAllString(text, Sign+"order: $0")
	}
	if !strings.ContainsAny(text, "<!\t") && !strings.Contains(text, "        ") && !strings.Contains(text, "\n\n\n") && !strings.Contains(text, "\n ") {
		return text // which most are, and the search takes its time
	}
	return hideouts().ReplaceAllStringFunc(text, func(m string) string {
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
		first, last := firstRune(m), lastRune(m)
		return first + " " + Sign + fmt.Sprintf("after %d spaces: ", len(m)-len(first)-len(last)) + last
	})
}

func firstRune(s string) string { _, n := utf8.DecodeRuneInString(s); return s[:n] }

func lastRune(s string) string { _, n := utf8.DecodeLastRuneInString(s); return s[len(s)-n:] }
