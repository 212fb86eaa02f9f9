package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/match"
)

// maxNodes bounds a YAML file after its aliases are followed.
const maxNodes = 100_000

// yamlReader turns the nodes of one YAML file into values.
type yamlReader struct {
	budget int // nodes that may still be read
	lines  int // of the file; YAML counts line separators that editors do not
}

// YAML reads one YAML document; an empty one is an empty object.
func YAML(data []byte) (Value, *Error) {
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
		return Value{}, &Error{r.line(second.Line), "more than one YAML document", "remove the --- and what follows"}
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return Value{Kind: Object, Line: 1}, nil
	}
	return r.read(doc.Content[0])
}

// line is a line number inside the file.
func (r *yamlReader) line(n int) int { return min(max(n, 1), r.lines) }

var yamlPlace = match.Pattern(`^yaml: (?:line (\d+): )?`)

// explain keeps the place and the kind of a parser's error.
func (r *yamlReader) explain(err error) *Error {
	line := 1
	if m := yamlPlace().FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		line, _ = strconv.Atoi(m[1])
	}
	message := yamlPlace().ReplaceAllString(err.Error(), "")
	if strings.HasPrefix(message, "unknown anchor") {
		message = "unknown anchor"
	}
	return &Error{r.line(line), "invalid YAML: " + message, "indent with spaces, and quote strings that begin with *, &, !, %, @ or `"}
}

// read follows aliases until the budget is used up, which also ends an alias to itself.
func (r *yamlReader) read(n *yaml.Node) (Value, *Error) {
	if r.budget--; r.budget < 0 {
		return Value{}, &Error{r.line(n.Line), "more than 100000 values", "aliases (*name) may repeat too much"}
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
		return Value{}, &Error{r.line(n.Line), fmt.Sprintf("the tag %.20q is not supported", n.ShortTag()), "write a plain value"}
	}
	return Value{Kind: k, Line: r.line(n.Line), Text: n.Value}, nil
}

func (r *yamlReader) mapping(n *yaml.Node) (Value, *Error) {
	v := Value{Kind: Object, Line: r.line(n.Line)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return v, &Error{r.line(key.Line), "a key must be a string", "write NAME: value"}
		}
		member, err := r.read(n.Content[i+1])
		if err != nil {
			return v, err
		}
		v.Fields = append(v.Fields, Field{key.Value, r.line(key.Line), member})
	}
	return v, nil
}

func (r *yamlReader) sequence(n *yaml.Node) (Value, *Error) {
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
	"!!null": Null, "!!bool": Boolean, "!!int": Number, "!!float": Number, "!!str": Text, "!!timestamp": Text, "!!merge": Text,
}
