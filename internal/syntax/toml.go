package syntax

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxDepth bounds how deep the values and tables of a TOML file may be nested.
const maxDepth = 200

// tomlReader gathers the expressions of one TOML file.
type tomlReader struct {
	parser unstable.Parser
	ends   []int // offsets of line breaks
	budget int   // values that may still be read
}

// TOML reads TOML 1.0. Mistakes that no single expression shows, such as a key twice, are found as well.
func TOML(data []byte) (Value, *Error) {
	r := &tomlReader{ends: newlines(data), budget: maxNodes}
	r.parser.Reset(data)
	root := &tomlNode{line: 1}
	current := root
	for r.parser.NextExpression() {
		var wrong *Error
		switch e := r.parser.Expression(); e.Kind {
		case unstable.KeyValue:
			wrong = r.assign(current, e)
		case unstable.Table, unstable.ArrayTable:
			current, wrong = r.header(root, e)
		}
		if wrong != nil {
			return Value{}, wrong
		}
	}
	if err := r.parser.Error(); err != nil {
		return Value{}, r.explain(err, len(data))
	}
	return root.finished(), nil
}

// explain keeps the place and the kind of the parser's error; its messages quote one character at most.
func (r *tomlReader) explain(err error, size int) *Error {
	line := 1 + len(r.ends)
	if wrong, ok := errors.AsType[*unstable.ParserError](err); ok && len(wrong.Highlight) > 0 {
		line = r.line(int(r.parser.Range(wrong.Highlight).Offset))
	} else if size > 0 && len(r.ends) > 0 && r.ends[len(r.ends)-1] == size-1 {
		line-- // the file ends with a line break
	}
	return &Error{max(line, 1), "invalid TOML: " + err.Error(), "strings are written in quotes, tables as [mcp_servers.NAME]"}
}

func (r *tomlReader) line(offset int) int { return 1 + sort.SearchInts(r.ends, offset) }

// lineOf is the line of a node, or that of its parent when the parser does not say.
func (r *tomlReader) lineOf(n *unstable.Node, parent int) int {
	if n.Raw.Length == 0 {
		return parent
	}
	return r.line(int(n.Raw.Offset))
}

// header is the table that [a.b] or [[a.b]] opens.
func (r *tomlReader) header(root *tomlNode, e *unstable.Node) (*tomlNode, *Error) {
	keys, lines := r.keys(e.Key())
	table, wrong := root.walk(keys[:len(keys)-1], lines)
	if wrong != nil {
		return nil, wrong
	}
	last, line := keys[len(keys)-1], lines[len(lines)-1]
	if e.Kind == unstable.ArrayTable {
		return table.push(last, line)
	}
	next, wrong := table.walk([]string{last}, []int{line})
	switch {
	case wrong != nil:
		return nil, wrong
	case next.opened:
		return nil, twice(line, next.line)
	}
	next.opened, next.line = true, line
	return next, nil
}

func twice(line, first int) *Error {
	return &Error{line, fmt.Sprintf("invalid TOML: a key or table twice, first on line %d", first), "keep one of them"}
}

func (r *tomlReader) assign(current *tomlNode, e *unstable.Node) *Error {
	keys, lines := r.keys(e.Key())
	table, wrong := current.walk(keys[:len(keys)-1], lines)
	if wrong != nil {
		return wrong
	}
	line := lines[len(lines)-1]
	v, wrong := r.read(e.Value(), line, 0)
	if wrong != nil {
		return wrong
	}
	return table.set(keys[len(keys)-1], line, v)
}

func (r *tomlReader) keys(it unstable.Iterator) (keys []string, lines []int) {
	for it.Next() {
		keys, lines = append(keys, string(it.Node().Data)), append(lines, r.line(int(it.Node().Raw.Offset)))
	}
	return keys, lines
}

func (r *tomlReader) read(n *unstable.Node, line, depth int) (Value, *Error) {
	line = r.lineOf(n, line)
	if r.budget--; r.budget < 0 || depth > maxDepth {
		return Value{}, &Error{line, "more values, or deeper ones, than a configuration has", "is this a configuration file?"}
	}
	switch n.Kind {
	case unstable.InlineTable:
		return r.inline(n, line, depth)
	case unstable.Array:
		return r.array(n, line, depth)
	case unstable.Bool:
		return Value{Kind: Boolean, Line: line, Text: string(n.Data)}, nil
	case unstable.Integer, unstable.Float:
		return Value{Kind: Number, Line: line, Text: decimal(string(n.Data))}, nil
	}
	return Value{Kind: Text, Line: line, Text: string(n.Data)}, nil
}

func (r *tomlReader) array(n *unstable.Node, line, depth int) (Value, *Error) {
	v := Value{Kind: List, Line: line}
	for it := n.Children(); it.Next(); {
		if it.Node().Kind == unstable.Comment {
			continue
		}
		item, wrong := r.read(it.Node(), line, depth+1)
		if wrong != nil {
			return v, wrong
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

func (r *tomlReader) inline(n *unstable.Node, line, depth int) (Value, *Error) {
	table := &tomlNode{line: line}
	for it := n.Children(); it.Next(); {
		e := it.Node()
		if e.Kind == unstable.Comment {
			continue
		}
		keys, lines := r.keys(e.Key())
		inner, wrong := table.walk(keys[:len(keys)-1], lines)
		if wrong != nil {
			return Value{}, wrong
		}
		v, wrong := r.read(e.Value(), lines[len(lines)-1], depth+1)
		if wrong == nil {
			wrong = inner.set(keys[len(keys)-1], lines[len(lines)-1], v)
		}
		if wrong != nil {
			return Value{}, wrong
		}
	}
	return table.finished(), nil
}

// decimal is a TOML number without underscores, and one with another base as a decimal.
func decimal(written string) string {
	written = strings.ReplaceAll(written, "_", "")
	if n, err := strconv.ParseInt(written, 0, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return strings.TrimPrefix(written, "+")
}

// tomlNode is a value, a table or an array of tables while it is put together: headers may come back to it at any time.
type tomlNode struct {
	key     string
	line    int
	value   *Value // nil = a table, or the tables of an array
	array   bool
	opened  bool // by a header of its own
	members []*tomlNode
	at      map[string]*tomlNode
}

// walk goes down to the table at keys, and makes those that are missing.
func (t *tomlNode) walk(keys []string, lines []int) (*tomlNode, *Error) {
	if len(keys) > maxDepth {
		return nil, &Error{lines[0], "tables deeper than a configuration has", "is this a configuration file?"}
	}
	for i, key := range keys {
		m, ok := t.at[key]
		switch {
		case !ok:
			m = t.add(key, lines[i])
		case m.value != nil:
			return nil, twice(lines[i], m.line)
		case m.array:
			m = m.members[len(m.members)-1]
		}
		t = m
	}
	return t, nil
}

func (t *tomlNode) add(key string, line int) *tomlNode {
	m := &tomlNode{key: key, line: line}
	if t.at == nil {
		t.at = map[string]*tomlNode{}
	}
	t.at[key], t.members = m, append(t.members, m)
	return m
}

func (t *tomlNode) set(key string, line int, v Value) *Error {
	if first, ok := t.at[key]; ok {
		return twice(line, first.line)
	}
	t.add(key, line).value = &v
	return nil
}

func (t *tomlNode) push(key string, line int) (*tomlNode, *Error) {
	m, ok := t.at[key]
	if !ok {
		m = t.add(key, line)
		m.array = true
	}
	if !m.array {
		return nil, twice(line, m.line)
	}
	table := &tomlNode{line: line, opened: true}
	m.members = append(m.members, table)
	return table, nil
}

// finished is the value of a node when it is complete.
func (t *tomlNode) finished() Value {
	if t.value != nil {
		return *t.value
	}
	out := Value{Kind: Object, Line: t.line}
	if t.array {
		out.Kind = List
	}
	for _, m := range t.members {
		if v := m.finished(); t.array {
			out.Items = append(out.Items, v)
		} else {
			out.Fields = append(out.Fields, Field{m.key, m.line, v})
		}
	}
	return out
}
