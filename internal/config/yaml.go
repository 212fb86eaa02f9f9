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

// parseYAML reads one YAML document; an empty one is an empty object.
func parseYAML(data []byte) (value, *syntaxError) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return value{kind: object, line: 1}, nil
	}
	if err != nil {
		return value{}, yamlError(err, data)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return value{}, &syntaxError{max(second.Line, 1), "more than one YAML document", "remove the --- and what follows"}
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return value{kind: object, line: 1}, nil
	}
	budget := maxNodes
	return fromYAML(doc.Content[0], &budget)
}

var yamlPlace = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func yamlError(err error, data []byte) *syntaxError {
	line := 1
	m := yamlPlace.FindStringSubmatch(err.Error())
	if m != nil && m[1] != "" {
		line, _ = strconv.Atoi(m[1])
	}
	line = min(max(line, 1), 1+bytes.Count(data, []byte("\n")))
	message := yamlPlace.ReplaceAllString(err.Error(), "")
	if strings.HasPrefix(message, "unknown anchor") {
		message = "unknown anchor"
	}
	return &syntaxError{line, "invalid YAML: " + message, "indent with spaces, and quote strings that begin with *, &, !, %, @ or `"}
}

// fromYAML follows aliases until the budget is used up, which also ends an alias to itself.
func fromYAML(n *yaml.Node, budget *int) (value, *syntaxError) {
	if *budget--; *budget < 0 {
		return value{}, &syntaxError{max(n.Line, 1), "more than 100000 values", "aliases (*name) may repeat too much"}
	}
	switch n.Kind {
	case yaml.AliasNode:
		v, err := fromYAML(n.Alias, budget)
		v.line = n.Line
		return v, err
	case yaml.MappingNode:
		return fromMapping(n, budget)
	case yaml.SequenceNode:
		v := value{kind: list, line: n.Line}
		for _, c := range n.Content {
			item, err := fromYAML(c, budget)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
		}
		return v, nil
	}
	return fromScalar(n)
}

func fromMapping(n *yaml.Node, budget *int) (value, *syntaxError) {
	v := value{kind: object, line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return v, &syntaxError{key.Line, "a key must be a string", ""}
		}
		member, err := fromYAML(n.Content[i+1], budget)
		if err != nil {
			return v, err
		}
		v.fields = append(v.fields, field{key.Value, key.Line, member})
	}
	return v, nil
}

var yamlKinds = map[string]kind{
	"!!null": null, "!!bool": boolean, "!!int": number, "!!float": number, "!!str": text, "!!timestamp": text, "!!merge": text,
}

func fromScalar(n *yaml.Node) (value, *syntaxError) {
	k, known := yamlKinds[n.ShortTag()]
	if !known {
		return value{}, &syntaxError{max(n.Line, 1), fmt.Sprintf("the tag %.20q is not supported", n.ShortTag()), "write a plain value"}
	}
	return value{kind: k, line: n.Line, text: n.Value}, nil
}
