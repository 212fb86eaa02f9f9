package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds a YAML file after its aliases are followed.
const maxNodes = 100_000

// yamlReader turns the nodes of one YAML file into values.
type yamlReader struct {
	budget int // nodes that may still be read
	lines  int // of the file; YAML counts line separators that editors do not
}

// parseYAML reads one YAML document; an empty one is an empty object.
func parseYAML(data []byte) (value, *syntaxError) {
	r := yamlReader{budget: maxNodes, lines: 1 + bytes.Count(data, []byte("\n"))}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return value{kind: object, line: 1}, nil
	}
	if err != nil {
		return value{}, r.explain(err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return value{}, &syntaxError{r.line(second.Line), "more than one YAML document", "remove the --- and what follows"}
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return value{kind: object, line: 1}, nil
	}
	return r.read(doc.Content[0])
}

// line is a line number inside the file.
func (r *yamlReader) line(n int) int { return min(max(n, 1), r.lines) }

var yamlPlace = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// explain keeps the place and the kind of a parser's error.
func (r *yamlReader) explain(err error) *syntaxError {
	line := 1
	if m := yamlPlace.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
		line, _ = strconv.Atoi(m[1])
	}
	message := yamlPlace.ReplaceAllString(err.Error(), "")
	if strings.HasPrefix(message, "unknown anchor") {
		message = "unknown anchor"
	}
	return &syntaxError{r.line(line), "invalid YAML: " + message, "indent with spaces, and quote strings that begin with *, &, !, %, @ or `"}
}

// read follows aliases until the budget is used up, which also ends an alias to itself.
func (r *yamlReader) read(n *yaml.Node) (value, *syntaxError) {
	if r.budget--; r.budget < 0 {
		return value{}, &syntaxError{r.line(n.Line), "more than 100000 values", "aliases (*name) may repeat too much"}
	}
	switch n.Kind {
	case yaml.AliasNode:
		v, err := r.read(n.Alias)
		v.line = r.line(n.Line)
		return v, err
	case yaml.MappingNode:
		return r.mapping(n)
	case yaml.SequenceNode:
		return r.sequence(n)
	}
	k, known := yamlKinds[n.ShortTag()]
	if !known {
		return value{}, &syntaxError{r.line(n.Line), fmt.Sprintf("the tag %.20q is not supported", n.ShortTag()), "write a plain value"}
	}
	return value{kind: k, line: r.line(n.Line), text: n.Value}, nil
}

func (r *yamlReader) mapping(n *yaml.Node) (value, *syntaxError) {
	v := value{kind: object, line: r.line(n.Line)}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return v, &syntaxError{r.line(key.Line), "a key must be a string", "write NAME: value"}
		}
		member, err := r.read(n.Content[i+1])
		if err != nil {
			return v, err
		}
		v.fields = append(v.fields, field{key.Value, r.line(key.Line), member})
	}
	return v, nil
}

func (r *yamlReader) sequence(n *yaml.Node) (value, *syntaxError) {
	v := value{kind: list, line: r.line(n.Line)}
	for _, c := range n.Content {
		item, err := r.read(c)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	return v, nil
}

// yamlKinds are the tags of plain values.
var yamlKinds = map[string]kind{
	"!!null": null, "!!bool": boolean, "!!int": number, "!!float": number, "!!str": text, "!!timestamp": text, "!!merge": text,
}
