package syntax

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// maxTables bounds the lists and tables of one TOML file: go-toml takes a time that grows with their square.
const maxTables = 30_000

// TOML parses TOML 1.0. A value has the line of the table that it stands in.
func TOML(data []byte) (Value, *ParseError) {
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxTables {
		return Value{}, &ParseError{1, "more than 30000 lists and tables", "is this a configuration file?"}
	}
	var root map[string]any
	if err := toml.Unmarshal(data, &root); err != nil {
		line := 1
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = wrong.Position()
		}
		message := strings.TrimPrefix(err.Error(), "toml: ")
		hint := "strings are written in quotes, tables as [mcp_servers.NAME], each once"
		if strings.Contains(message, "escape") {
			hint = `write \\ for a backslash, or the string in single quotes, which know no escapes`
		}
		return Value{}, &ParseError{line, "invalid TOML: " + message, hint}
	}
	return fromTOML(root, 1, "", tableLines(data)), nil
}

// Headers of tables such as [a."b c"], and the keys in them.
var (
	tableHeader = kit.Pattern(`^\s*\[\[?([^\]]+)\]`)
	tableKey    = kit.Pattern(`"[^"]*"|'[^']*'|[^.\s"']+`)
)

// tableLines returns the line on which each table begins, by its path of keys; a table that only others are
// in has the line of the first of those. The tables of an array share the line of the first.
func tableLines(data []byte) map[string]int {
	lines := map[string]int{}
	for i, text := range strings.Split(string(data), "\n") {
		header := tableHeader().FindStringSubmatch(text)
		if header == nil {
			continue
		}
		path := ""
		for _, key := range tableKey().FindAllString(header[1], -1) {
			if path += "\x00" + strings.Trim(key, `"'`); lines[path] == 0 {
				lines[path] = i + 1
			}
		}
	}
	return lines
}

// fromTOML converts a decoded value. Members come in the order of their lines, then of their names.
func fromTOML(decoded any, line int, path string, lines map[string]int) Value {
	v := Value{Line: line}
	switch d := decoded.(type) {
	case map[string]any:
		v.Kind = Object
		for key, member := range d {
			at := cmp.Or(lines[path+"\x00"+key], line)
			v.Fields = append(v.Fields, Field{key, at, fromTOML(member, at, path+"\x00"+key, lines)})
		}
		slices.SortFunc(v.Fields, func(a, b Field) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Key, b.Key))
		})
	case []any:
		v.Kind = List
		for _, item := range d {
			v.Items = append(v.Items, fromTOML(item, line, path, lines))
		}
	case bool:
		v.Kind, v.Text = Boolean, strconv.FormatBool(d)
	case int64, float64:
		v.Kind, v.Text = Number, fmt.Sprint(d)
	default: // a string, a time or a date
		v.Kind, v.Text = Text, fmt.Sprint(d)
	}
	return v
}
