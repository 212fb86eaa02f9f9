package report

import (
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/printable"
)

// text is a line of text that may come from anywhere, in a format that is no page. Whatever prints it – fmt, html/template,
// the encoders of JSON and XML – gets it with everything spelled out that cannot be seen, line breaks included.
type text string

// String is the text with what cannot be seen spelled out.
func (t text) String() string { return string(printable.Visible(string(t))) }

// MarshalText is what JSON and XML hold.
func (t text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// multiline is such a text whose line breaks stay.
type multiline string

// String is the lines, each as text has it.
func (m multiline) String() string {
	all := lines(string(m))
	for i, line := range all {
		all[i] = string(printable.Visible(line))
	}
	return strings.Join(all, "\n")
}

// MarshalText is what JSON and XML hold.
func (m multiline) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// firstLine is the first line of s that has something on it.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// oneLine is all of a text with each run of white space, line breaks included, as one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// join joins the parts that are not empty.
func join(sign string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), sign)
}

// lines are the lines of s without trailing space. Blank lines at either end are left out, several in a row are one.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		line = strings.ReplaceAll(strings.TrimRight(line, " \t\r\n"), "\t", "    ")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	if last := len(out) - 1; last >= 0 && out[last] == "" {
		out = out[:last]
	}
	return out
}

// Visible is a text for messages outside a report, as printable.Message has it.
func Visible(s string) string { return printable.Message(s) }
