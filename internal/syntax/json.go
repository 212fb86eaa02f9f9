package syntax

import (
	"bytes"
	"errors"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/mcpctl/mcpctl/internal/match"
)

// maxComposites bounds the lists and objects of one JSON file, and with them the depth that the parser recurses to.
const maxComposites = 200_000

// JSON reads JSON with comments and trailing commas.
func JSON(data []byte) (Value, *Error) {
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxComposites {
		return Value{}, &Error{1, "more than 200000 lists and objects", "is this a configuration file?"}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Value{}, &Error{1, "empty file", `write {"mcpServers": {}} at least`}
	}
	tree, err := hujson.Parse(data)
	if err != nil {
		return Value{}, jsonError(err)
	}
	return fromJSON(tree, newlines(data)), nil
}

var hujsonPlace = match.Pattern(`^hujson: line (\d+), column \d+: `)

// jsonError keeps the place and the kind of a parser's error, and drops the text that it quotes: that may be a secret.
func jsonError(err error) *Error {
	line := 1
	if m := hujsonPlace().FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	what := hujsonPlace().ReplaceAllString(err.Error(), "")
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{line, "invalid JSON: the file ends too early", "close every quote, bracket and comment"}
	case strings.HasPrefix(what, `invalid literal: "`):
		return &Error{line, "invalid JSON: a string with a wrong escape or a line break", `write \\ for a backslash and \n for a line break`}
	case strings.HasPrefix(what, "invalid literal:"):
		return &Error{line, "invalid JSON: not a string, number, true, false or null", "put strings in double quotes"}
	}
	return &Error{line, "invalid JSON: " + what, "comments and trailing commas are fine; look for a missing comma, quote or bracket"}
}

// newlines are the offsets of all line ends.
func newlines(data []byte) []int {
	var ends []int
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	return ends
}

func fromJSON(tree hujson.Value, ends []int) Value {
	v := Value{Line: 1 + sort.SearchInts(ends, tree.StartOffset)}
	switch t := tree.Value.(type) {
	case *hujson.Object:
		v.Kind = Object
		for _, m := range t.Members {
			name := fromJSON(m.Name, ends)
			v.Fields = append(v.Fields, Field{name.Text, name.Line, fromJSON(m.Value, ends)})
		}
	case *hujson.Array:
		v.Kind = List
		for _, e := range t.Elements {
			v.Items = append(v.Items, fromJSON(e, ends))
		}
	case hujson.Literal:
		v.Kind, v.Text = fromLiteral(t)
	}
	return v
}

func fromLiteral(l hujson.Literal) (Kind, string) {
	switch l.Kind() {
	case '"':
		return Text, l.String()
	case 't', 'f':
		return Boolean, string(l)
	case 'n':
		return Null, ""
	}
	return Number, string(l)
}
