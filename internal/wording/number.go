package wording

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Number is a number that a text writes.
type Number struct {
	Text   string    // as written, with its factor: -0.5, 1,000, 1e3, 10k
	Values []float64 // what it may mean: 1.000 is one or a thousand, and 1k a thousand or 1024
	Unit   string    // the sign, word or rest of the expression behind it, with the white space before
	Part   bool      // of an expression or another word, such as 2^16, 3π, 1/2, 4x or 1.2.3
}

var (
	digits = kit.Pattern(`^[-+−]?(?:\d{1,3}(?:[,_ \x{a0}\x{202f}]\d{3})+|\d[\d_]*)?(?:\.\d+)?` +
		`(?:[eE][-+]?\d+)?`)
	factor     = kit.Pattern(`(?i)^(?:k\b|\s+(?:thousand|million|billion)\b)`)
	behind     = kit.Pattern(`^\s*(?:[%‰°]|\pL[\pL\d_]*)`)
	expression = kit.Pattern(`^(?:\s*[\^×*÷√π²³½⅓⅔¼¾⅛]|\s*/\s*\d|/\pL|` +
		`\s*(?i:x|times)(?:\s|\W|$)|[,.:]\d|_|[xX][0-9A-Fa-f])`)
	operand   = kit.Pattern(`^\s*[^\s,;)]+`)
	thousands = kit.Pattern(`^[-+−]?\d{1,3}(?:\.\d{3})+$`) // with points, as in some languages
)

// ReadNumber returns the number at the start of a text, read whole, and the text behind it; false if there is
// none.
func ReadNumber(text string) (n Number, rest string, ok bool) {
	n.Text = digits().FindString(text)
	plain := strings.NewReplacer(",", "", "_", "", " ", "", "\u00a0", "", "\u202f", "", "−", "-")
	value, err := strconv.ParseFloat(plain.Replace(n.Text), 64)
	if err != nil {
		return Number{}, text, false
	}
	n.Values = []float64{value}
	if thousands().MatchString(n.Text) {
		n.Values = append(n.Values, value*1000)
	}
	rest = text[len(n.Text):]
	if by := factor().FindString(rest); by != "" {
		times := map[byte][]float64{'k': {1e3, 1 << 10}, 't': {1e3}, 'm': {1e6}, 'b': {1e9}}
		n.Values = nil
		for _, t := range times[strings.ToLower(strings.TrimSpace(by))[0]] {
			n.Values = append(n.Values, value*t)
		}
		n.Text, rest = n.Text+by, rest[len(by):]
	}
	n.Part = expression().MatchString(rest)
	n.Unit = behind().FindString(rest)
	if n.Part {
		n.Unit = operand().FindString(rest)
	}
	return n, rest[len(n.Unit):], true
}

// Equals reports whether two numbers may have the same value.
func (n Number) Equals(other Number) bool {
	return slices.ContainsFunc(n.Values, func(v float64) bool { return slices.Contains(other.Values, v) })
}

// numberOf returns the number that a text is, and whether it is one.
func numberOf(text string) (Number, bool) {
	n, rest, ok := ReadNumber(strings.TrimSpace(text))
	return n, ok && !n.Part && n.Unit == "" && rest == ""
}
