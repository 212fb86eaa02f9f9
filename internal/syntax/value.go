// Package syntax reads JSON with comments, YAML and TOML into one tree of values with their lines. Size and
// depth are bounded, and no error quotes more than one character, since files may hold secrets.
package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Kind is what a value is, whichever syntax it is written in.
type Kind int

// The kinds.
const (
	Null Kind = iota
	Boolean
	Number
	Text
	List
	Object
)

var kindNames = [...]string{Null: "null", Boolean: "a boolean", Number: "a number", Text: "a string",
	List: "a list", Object: "an object"}

// String names the kind with its article.
func (k Kind) String() string { return kindNames[k] }

// Value is one value of a file and the line where it begins.
type Value struct {
	Kind   Kind
	Line   int     // 1-based
	Text   string  // of a scalar: as written; of a string: decoded
	Items  []Value // of a list
	Fields []Field // of an object, in file order, duplicates included
}

// Field is one member of an object.
type Field struct {
	Key   string
	Line  int // of the key, 1-based
	Value Value
}

// In returns the field with the name that messages use: after that of the object it belongs to.
func (f Field) In(parent string) Field {
	f.Key = parent + "." + f.Key
	return f
}

// Scalar reports whether v is a string, a number or a boolean.
func (v Value) Scalar() bool { return v.Kind == Text || v.Kind == Number || v.Kind == Boolean }

// Empty reports whether v holds nothing: null, "", [] or {}.
func (v Value) Empty() bool { return len(v.Items)+len(v.Fields)+len(v.Text) == 0 }

// Get returns the first member called key.
func (v Value) Get(key string) (Field, bool) {
	for _, f := range v.Fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// TextOf returns the text of the scalar that the first member called key holds.
func (v Value) TextOf(key string) string {
	f, _ := v.Get(key)
	return f.Value.Text
}

// JSON returns v as JSON, the members of objects in the order of their names. Numbers stay as written, which
// in YAML may be no JSON. Two values have the same text only if they are the same.
func (v Value) JSON() json.RawMessage {
	switch v.Kind {
	case Text:
		return rawjson.Quote(v.Text)
	case List:
		return rawjson.List(kit.Map(v.Items, Value.JSON))
	case Object:
		fields := slices.Clone(v.Fields)
		slices.SortStableFunc(fields, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
		return rawjson.Build(kit.Map(fields, func(f Field) rawjson.Member {
			return rawjson.Member{Key: f.Key, Value: f.Value.JSON()}
		})...)
	case Null:
		return json.RawMessage("null")
	}
	return json.RawMessage(v.Text)
}

// At returns the members at a path of keys; several when a key is repeated.
func (v Value) At(path ...string) []Field {
	var found []Field
	for _, f := range v.Fields {
		switch {
		case f.Key != path[0]:
		case len(path) == 1:
			found = append(found, f)
		default:
			found = append(found, f.Value.At(path[1:]...)...)
		}
	}
	return found
}

// Repeated returns the members whose key was there before, each with the line of the first.
func (v Value) Repeated() (again []Field, first []int) {
	lines := make(map[string]int, len(v.Fields))
	for _, f := range v.Fields {
		if line, seen := lines[f.Key]; seen {
			again, first = append(again, f), append(first, line)
			continue
		}
		lines[f.Key] = f.Line
	}
	return again, first
}

// Without leaves out members.
func (v Value) Without(keys ...string) Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields),
		func(f Field) bool { return slices.Contains(keys, f.Key) })
	return v
}

// With adds a member, unless there is one of that key.
func (v Value) With(f Field) Value {
	if _, there := v.Get(f.Key); !there {
		v.Fields = append(slices.Clip(v.Fields), f)
	}
	return v
}

// ParseError is a mistake in a file's syntax. Its message quotes nothing of the file beyond one character.
type ParseError struct {
	Line          int // 1-based
	Message, Hint string
}

// Parser reads the text of one file.
type Parser func([]byte) (Value, *ParseError)

// ParserFor returns the parser of a file: TOML and YAML by their extensions, else JSON.
func ParserFor(path string) Parser {
	switch {
	case IsYAML(path):
		return YAML
	case strings.EqualFold(filepath.Ext(path), ".toml"):
		return TOML
	}
	return JSON
}

// IsYAML reports whether a file is written in YAML, by its extension.
func IsYAML(path string) bool {
	extension := strings.ToLower(filepath.Ext(path))
	return extension == ".yaml" || extension == ".yml"
}

// MaxFile bounds the size of a file, in bytes.
const MaxFile = 16 << 20

// ErrUTF16 is the error for a file that Windows PowerShell wrote, for example.
var ErrUTF16 = errors.New("UTF-16 text; save it as UTF-8")

// IsUTF16 reports whether data begins with a byte order mark of UTF-16, or as JSON and YAML without one do.
func IsUTF16(data []byte) bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "{\x00", "[\x00", "\x00{", "\x00["} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return true
		}
	}
	return false
}

// Decode returns the UTF-8 text of a file without its byte order mark.
func Decode(data []byte) ([]byte, error) {
	switch {
	case len(data) > MaxFile:
		return nil, fmt.Errorf("larger than %d MiB", MaxFile>>20)
	case IsUTF16(data):
		return nil, ErrUTF16
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8 text; save it as UTF-8")
	}
	return data, nil
}

// maxComposites bounds the lists and objects of one JSON file, and with them the depth that the parser
// recurses to.
const maxComposites = 200_000

// JSON reads JSON with comments and trailing commas.
func JSON(data []byte) (Value, *ParseError) {
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxComposites {
		return Value{}, &ParseError{1, "more than 200000 lists and objects", "is this a configuration file?"}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Value{}, &ParseError{1, "empty file", `write {"mcpServers": {}} at least`}
	}
	tree, err := hujson.Parse(data)
	if err != nil {
		return Value{}, jsonError(err)
	}
	return fromJSON(tree, newlines(data)), nil
}

var hujsonPlace = kit.Pattern(`^hujson: line (\d+), column \d+: `)

// jsonError keeps the place and the kind of a parser's error, and drops the text that it quotes: that may be
// a secret.
func jsonError(err error) *ParseError {
	line := 1
	if m := hujsonPlace().FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	what := hujsonPlace().ReplaceAllString(err.Error(), "")
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &ParseError{line, "invalid JSON: the file ends too early",
			"close every quote, bracket and comment"}
	case strings.HasPrefix(what, `invalid literal: "`):
		return &ParseError{line, "invalid JSON: a string with a wrong escape or a line break",
			`write \\ for a backslash and \n for a line break`}
	case strings.HasPrefix(what, "invalid literal:"):
		return &ParseError{line, "invalid JSON: not a string, number, true, false or null",
			"put strings in double quotes"}
	}
	return &ParseError{line, "invalid JSON: " + what,
		"comments and trailing commas are fine; look for a missing comma, quote or bracket"}
}

// newlines returns the offsets of all line ends.
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

// maxNodes bounds a YAML file after its aliases are followed.
const maxNodes = 100_000

type yamlReader struct {
	budget int // nodes that may still be read
	lines  int // of the file; YAML counts line separators that editors do not
}

// YAML reads one YAML document; an empty one is an empty object.
func YAML(data []byte) (Value, *ParseError) {
	r := yamlReader{budget: maxNodes, lines: 1 + bytes.Count(data, []byte("\n"))}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return Value{Kind: Object, Line: 1}, nil
	}
	if err != nil {
		return Value{}, r.explain(err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return Value{}, &ParseError{r.line(second.Line), "more than one YAML document",
			"remove the --- and what follows"}
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return Value{Kind: Object, Line: 1}, nil
	}
	return r.read(doc.Content[0])
}

// line returns a line number inside the file.
func (r *yamlReader) line(n int) int { return min(max(n, 1), r.lines) }

var yamlPlace = kit.Pattern(`^yaml: (?:line (\d+): )?`)

// explain keeps the place and the kind of a parser's error.
func (r *yamlReader) explain(err error) *ParseError {
	line := 1
	if m := yamlPlace().FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		line, _ = strconv.Atoi(m[1])
	}
	message := yamlPlace().ReplaceAllString(err.Error(), "")
	if strings.HasPrefix(message, "unknown anchor") {
		message = "unknown anchor"
	}
	return &ParseError{r.line(line), "invalid YAML: " + message,
		"indent with spaces, and quote strings that begin with *, &, !, %, @ or `"}
}

// read follows aliases until the budget is used up, which also ends an alias to itself.
func (r *yamlReader) read(n *yaml.Node) (Value, *ParseError) {
	if r.budget--; r.budget < 0 {
		return Value{}, &ParseError{r.line(n.Line), "more than 100000 values",
			"aliases (*name) may repeat too much"}
	}
	switch n.Kind {
	case yaml.AliasNode:
		v, err := r.read(n.Alias)
		v.Line = r.line(n.Line)
		return v, err
	case yaml.MappingNode:
		return r.mapping(n)
	case yaml.SequenceNode:
		return r.sequence(n)
	}
	k, known := yamlKinds[n.ShortTag()]
	if !known {
		return Value{}, &ParseError{r.line(n.Line),
			fmt.Sprintf("the tag %.20q is not supported", n.ShortTag()), "write a plain value"}
	}
	return Value{Kind: k, Line: r.line(n.Line), Text: n.Value}, nil
}

func (r *yamlReader) mapping(n *yaml.Node) (Value, *ParseError) {
	v := Value{Kind: Object, Line: r.line(n.Line)}
	var merged []Value // by "<<"
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return v, &ParseError{r.line(key.Line), "a key must be a string", "write NAME: value"}
		}
		member, err := r.read(n.Content[i+1])
		if err != nil {
			return v, err
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, member)
			continue
		}
		v.Fields = append(v.Fields, Field{key.Value, r.line(key.Line), member})
	}
	for _, more := range merged {
		items := more.Items
		if more.Kind == Object {
			items = []Value{more}
		}
		if len(items) == 0 || slices.ContainsFunc(items,
			func(item Value) bool { return item.Kind != Object }) {
			return v, &ParseError{more.Line, `"<<" takes a mapping or a list of mappings`, "write <<: *NAME"}
		}
		for _, item := range items {
			for _, f := range item.Fields {
				v = v.With(f)
			}
		}
	}
	return v, nil
}

func (r *yamlReader) sequence(n *yaml.Node) (Value, *ParseError) {
	v := Value{Kind: List, Line: r.line(n.Line)}
	for _, c := range n.Content {
		item, err := r.read(c)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

// yamlKinds are the tags of plain values.
var yamlKinds = map[string]Kind{
	"!!null": Null, "!!bool": Boolean, "!!int": Number, "!!float": Number, "!!str": Text, "!!timestamp": Text,
}
