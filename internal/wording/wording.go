// Package wording analyzes texts that are written for a model: defaults and deprecations that they announce,
// orders to the model, passages that a reader does not see, and the words in which two texts differ.
package wording

import (
	"strconv"
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
		`(-?\d[\d_]*(?:,\d{3})*(?:\.\d+)?)(\s*[%\p{L}]\w*)?|\b(true|false)\b|([A-Za-z][\w-]*))`)
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
	for _, m := range defaults().FindAllStringSubmatch(text, -1) {
		joiner, quoted, next, number, behind, boolean, word := m[1], m[2], m[3], m[4], m[5], m[6], m[7]
		d := Default{Word: number + boolean + word, Number: number != "", Unit: unit().FindString(behind),
			Bare: word != ""}
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
	plain := strings.NewReplacer(",", "", "_", "")
	x, errX := strconv.ParseFloat(plain.Replace(a), 64)
	y, errY := strconv.ParseFloat(plain.Replace(b), 64)
	return errX == nil && errY == nil && x == y
}
