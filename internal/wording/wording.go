// Package wording analyzes texts that are written for a model: defaults and deprecations that they announce,
// orders to the model, passages that a reader does not see, and the words in which two texts differ.
package wording

import (
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Default is a default value that a text mentions.
type Default struct {
	Word   string // the value as written, without quotes
	Number bool
	Unit   string // of a number, with the white space before it; empty for none
	Bare   bool   // a word of the sentence rather than a value
}

var (
	defaults = kit.Pattern(`(?i)\bdefaults?(?:\s+value)?(\s*[:=]\s*|\s+(?:is|to|of|as)\s+|\s+)(?:` +
		`("[^"\n]{0,80}"|'[^'\n]{0,80}'|` + "`[^`\\n]{0,80}`" + `)(\s+[a-z]\w*)?|` +
		`([-+−]?\.?\d)|\b(true|false)\b|([A-Za-z][\w-]*))`)
	unit = kit.Pattern(`(?i)^\s*(?:%|π|million|thousand|(?:[kmg]i?b|ms|s|secs?|seconds?|m|mins?|minutes?|h|` +
		`hours?|d|days?|weeks?|months?|years?|k|bytes?|x|px|tokens?)\b)`)
	conjunction = kit.Pattern(`^\s+(?:if|when|where|while|and|or|for|in|on|at|with|unless|otherwise|` +
		`but|which|because|will|is|applies)$`)
)

// IsUnit reports whether the text behind a number begins with a unit of measure.
func IsUnit(behind string) bool { return unit().MatchString(behind) }

// Defaults returns the defaults that a text mentions, in order. A mention without a value has no Word.
func Defaults(text string) []Default {
	var all []Default
	for _, at := range defaults().FindAllStringSubmatchIndex(text, -1) {
		group := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		joiner, quoted, next, boolean, word := group(1), group(2), group(3), group(5), group(6)
		d := Default{Word: boolean + word, Bare: word != ""}
		if start := at[2*4]; start >= 0 {
			n, _, _ := ReadNumber(text[start:])
			d.Word, d.Number, d.Unit = n.Text, true, n.Unit
			if !n.Part {
				d.Unit = unit().FindString(n.Unit)
			}
		}
		if quoted != "" {
			d.Word = quoted[1 : len(quoted)-1]
			// in a default "Tag <name>" message it is not the default of the argument
			d.Bare = strings.TrimSpace(joiner) == "" && next != "" && !conjunction().MatchString(next)
		}
		all = append(all, d)
	}
	return all
}

// Same reports whether two texts mention the same default, also when only one of them has a unit.
func (d Default) Same(other Default) bool {
	return SameValue(d.Word, other.Word) &&
		(d.Unit == "" || other.Unit == "" || strings.EqualFold(d.Unit, other.Unit))
}

var camelCase = kit.Pattern(`(\p{Ll})(\p{Lu})`)

// Words returns the words of a name or a text in lower case: deleteBranch and delete_branch have two each.
func Words(text string) []string {
	spaced := strings.ToLower(camelCase().ReplaceAllString(text, "$1 $2"))
	return strings.FieldsFunc(spaced,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// SameValue reports whether two written values are equal, ignoring case and the form of numbers.
func SameValue(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, isX := numberOf(a)
	y, isY := numberOf(b)
	return isX && isY && x.Equals(y)
}
