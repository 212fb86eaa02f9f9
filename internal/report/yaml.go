package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/printable"
)

// writeYAML writes the object that writeJSON writes, with its keys in the same order and its numbers as they
// stand. Servers and findings are encoded one by one: the tree of a large report takes fifty times its text.
func writeYAML(w io.Writer, r *reported, _ Options) error {
	members, err := encoded(r)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	for _, m := range members {
		if m.elements == nil {
			err = errors.Join(err, putYAML(out, m.key, yamlNode(m.value)))
		}
		for i, raw := range m.elements {
			list := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{yamlNode(raw)}}
			var part bytes.Buffer
			err = errors.Join(err, putYAML(&part, m.key, list))
			if i > 0 {
				_, _ = part.ReadString('\n') // the key
			}
			_, _ = part.WriteTo(out) // Flush returns the first error
		}
	}
	return errors.Join(err, out.Flush())
}

// putYAML writes a member of a mapping; what cannot be seen is spelled out.
func putYAML(w io.Writer, key string, value *yaml.Node) error {
	var written bytes.Buffer
	e := yaml.NewEncoder(&written)
	e.SetIndent(2)
	err := e.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{text(key).node(), value}})
	for _, c := range written.String() { // what cannot be seen is in double quotes
		if c != '\n' && printable.Hidden(c) {
			_, _ = fmt.Fprintf(w, `\U%08X`, c)
			continue
		}
		_, _ = io.WriteString(w, string(c))
	}
	return err
}

// flowDepth is how deep values are spread over lines; deeper ones stand on one line.
const flowDepth = 32

// yamlNode returns the tree of a JSON value, which is read once, however deep it is.
func yamlNode(raw json.RawMessage) *yaml.Node {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	root := &yaml.Node{}
	open := []*yaml.Node{root}
	for {
		token, err := dec.Token()
		if err != nil {
			return root.Content[0] // the end: encoded reports valid JSON only
		}
		n, parent := &yaml.Node{}, open[len(open)-1]
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '}', ']':
				open = open[:len(open)-1]
				continue
			case '{':
				n.Kind = yaml.MappingNode
			default:
				n.Kind = yaml.SequenceNode
			}
			if open = append(open, n); len(open) > flowDepth {
				n.Style = yaml.FlowStyle
			}
		case string:
			n = text(v).node()
		case json.Number:
			n.Kind, n.Value = yaml.ScalarNode, v.String()
			if _, err := v.Float64(); err != nil { // readers would take it for infinity
				n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
			}
		default:
			n.Kind, n.Value = yaml.ScalarNode, strings.Replace(fmt.Sprint(v), "<nil>", "null", 1)
		}
		parent.Content = append(parent.Content, n)
	}
}

// ambiguous matches the texts that a reader of YAML 1.1 or 1.2 takes for a boolean, null, a number, a time,
// the default key "=" or, in Ruby, a symbol. The library quotes only those that it reads so itself. It takes
// the fingerprint 7686e0246389 for a text, since it is beyond its range, where others read infinity.
var ambiguous = regexp.MustCompile(`(?i)^(=|y|n|yes|no|on|off|true|false|null|:.+|` +
	`[-+]?(0[box][0-9a-f_]+|[0-9_,]*\.?[0-9_,]+\.?(e[-+]?[0-9_]+)?|[0-9_]+(:[0-9]+)+(\.[0-9_]*)?)|` +
	`[0-9]{4}-[0-9]+-[0-9]+.*)$`)

// node returns a text as YAML writes it: in double quotes if it is ambiguous, if some of it cannot be seen,
// or if a CI runner would obey it.
func (t text) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: string(t)}
	if ambiguous.MatchString(n.Value) || printable.SpelledOut.Without(n.Value) != n.Value ||
		strings.ContainsFunc(n.Value, func(c rune) bool { return c != '\n' && printable.Hidden(c) }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
