package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// writeYAML writes the object that writeJSON writes, with its keys in the same order and its numbers as they stand. It does so
// without a library: a tree of nodes took three times as long as the JSON of a report.
func writeYAML(w io.Writer, r *Report, _ Options) error {
	parts, err := partsOf(r)
	if err != nil {
		return err
	}
	y := yamlWriter{Writer: bufio.NewWriter(w)}
	for _, p := range parts {
		y.rest, _ = p.encoded() // which was tried
		if p.at <= 0 {
			y.scalar(p.key, flat)
			y.put(":")
		}
		if p.at == 0 {
			y.put("\n")
		}
		if p.at < 0 {
			y.value(1, 0, false)
			continue
		}
		y.put("  -")
		y.value(2, 2, true)
	}
	return y.Flush()
}

// blockDepth is how deep values are spread over lines; what lies deeper stands on one line.
const blockDepth = 32

// longestKey is how many bytes a key may have without a question mark in front; readers of YAML want one from 1024 on.
const longestKey = 128

// flat is in place of an indentation where a text must stay on its line.
const flat = -1

// yamlWriter writes JSON without white space as YAML. It reads each byte once, however deep the value is.
type yamlWriter struct {
	*bufio.Writer
	rest []byte // to be read
}

// put writes what cannot fail before Flush, which tells what went wrong.
func (y *yamlWriter) put(s string) { _, _ = y.WriteString(s) }

func (y *yamlWriter) spaces(n int) {
	for range n {
		_ = y.WriteByte(' ')
	}
}

// next reads one byte.
func (y *yamlWriter) next() byte {
	c := y.rest[0]
	y.rest = y.rest[1:]
	return c
}

// value writes the next value behind the colon or the dash of a line so far indented, and ends its last line. Behind a dash or a
// question mark an object or array begins on the same line.
func (y *yamlWriter) value(depth, indent int, same bool) {
	switch c := y.rest[0]; {
	case c == '{' && y.rest[1] != '}' && depth <= blockDepth, c == '[' && y.rest[1] != ']' && depth <= blockDepth:
		y.block(depth, indent+2, same)
	case c == '"':
		y.put(" ")
		y.scalar(y.text(), indent+2)
		y.put("\n")
	default:
		y.put(" ")
		y.flow()
		y.put("\n")
	}
}

// block writes an object or array over several lines.
func (y *yamlWriter) block(depth, indent int, same bool) {
	lead := "\n"
	if same {
		lead = " "
	}
	y.put(lead)
	for open, more := y.next(), true; more; more = y.next() == ',' {
		if lead != " " {
			y.spaces(indent)
		}
		lead = ""
		if open == '{' {
			y.member(depth, indent)
			continue
		}
		y.put("-")
		y.value(depth+1, indent, true)
	}
}

func (y *yamlWriter) member(depth, indent int) {
	long := y.key()
	if long {
		y.put("\n")
		y.spaces(indent)
	}
	y.put(":")
	y.value(depth+1, indent, long)
}

// key reads a key with its colon and writes it without; long = a question mark stands before it.
func (y *yamlWriter) key() (long bool) {
	key := y.text()
	y.next()
	if long = len(key) > longestKey; long {
		y.put("? ")
	}
	y.scalar(key, flat)
	return long
}

// flow writes the next value on the line.
func (y *yamlWriter) flow() {
	switch c := y.rest[0]; c {
	case '"':
		y.scalar(y.text(), flat)
	case '{', '[':
		_ = y.WriteByte(y.next())
		for y.rest[0] != c+2 { // the one that closes it
			if c == '{' {
				if y.key() {
					y.put(" ")
				}
				y.put(": ")
			}
			y.flow()
			if y.rest[0] == ',' {
				y.next()
				y.put(", ")
			}
		}
		_ = y.WriteByte(y.next())
	default:
		end := bytes.IndexAny(y.rest, ",]}")
		if end < 0 {
			end = len(y.rest)
		}
		_, _ = y.Write(y.rest[:end])
		y.rest = y.rest[end:]
	}
}

// text reads a string.
func (y *yamlWriter) text() string {
	end := 1
	for y.rest[end] != '"' {
		if y.rest[end] == '\\' {
			end++
		}
		end++
	}
	text, _ := rawjson.Text(y.rest[:end+1])
	y.rest = y.rest[end+1:]
	return text
}

// scalar writes a text as YAML shows it: quoted whenever it could be taken for something else, spread over lines of an indentation
// when it has lines and all of it can be seen.
func (y *yamlWriter) scalar(s string, indent int) {
	switch {
	case bareword(s) && (indent != flat || !strings.Contains(s, ",")):
		y.put(s)
	case indent != flat && literal(s):
		y.lines(s, indent)
	default:
		y.quoted(s)
	}
}

// reserved are words that some version of YAML takes for a boolean or for nothing.
var reserved = lists.Set([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil", "nan", "inf"})

// bareword tells a text that no reader of YAML takes for anything else.
func bareword(s string) bool {
	if s == "" || !isLetter(s[0]) && s[0] != '_' && s[0] != '/' || len(s) <= 5 && reserved[strings.ToLower(s)] {
		return false
	}
	words := false
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c), '0' <= c && c <= '9', strings.IndexByte("_./-", c) >= 0:
		case c == ' ' && i+1 < len(s) && strings.IndexByte(" ),'", s[i+1]) < 0:
			words = true
		case words && strings.IndexByte("(),'", c) >= 0:
		default:
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func literal(s string) bool {
	if !strings.Contains(s, "\n") || s[0] == ' ' || s[0] == '\n' || strings.Contains(s, " \n") || strings.HasSuffix(s, " ") {
		return false
	}
	for _, r := range s {
		if r != '\n' && (printable.Hidden(r) || r > 0xffff) {
			return false
		}
	}
	return printable.SpelledOut.Without(s) == s
}

// lines writes a text as it stands, but for the end of the last line, which who writes the scalar adds.
func (y *yamlWriter) lines(s string, indent int) {
	switch {
	case strings.HasSuffix(s, "\n\n"):
		y.put("|+\n")
	case strings.HasSuffix(s, "\n"):
		y.put("|\n")
	default:
		y.put("|-\n")
	}
	for line := range strings.Lines(strings.TrimSuffix(s, "\n")) {
		if line != "\n" {
			y.spaces(indent)
		}
		y.put(line)
	}
}

// shortEscapes are the letters of characters that have one.
var shortEscapes = map[rune]string{0: "0", '\a': "a", '\b': "b", '\t': "t", '\n': "n", '\v': "v", '\f': "f", '\r': "r", 0x1b: "e", '"': `"`, '\\': `\`, 0x85: "N", 0x2028: "L", 0x2029: "P"}

// quoted writes a text in double quotes, with escapes for what cannot be seen.
func (y *yamlWriter) quoted(s string) {
	y.put(`"`)
	for _, r := range s {
		short, has := "", false
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			short, has = shortEscapes[r]
		}
		switch {
		case has:
			y.put(`\` + short)
		case r > 0xffff:
			_, _ = fmt.Fprintf(y, `\U%08X`, r)
		case unicode.IsControl(r):
			_, _ = fmt.Fprintf(y, `\x%02X`, r)
		case printable.Hidden(r):
			_, _ = fmt.Fprintf(y, `\u%04X`, r)
		default:
			_, _ = y.WriteRune(r)
		}
	}
	y.put(`"`)
}
