package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeYAML writes the object that writeJSON writes, with its keys in the same order and its numbers as they stand.
func writeYAML(w io.Writer, r *Report, _ Options) error {
	raw, err := encode(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(node(raw, 0)); err != nil {
		return fmt.Errorf("encoding yaml: %w", err)
	}
	_, err = w.Write(escapeHidden(b.Bytes()))
	return err
}

// blockDepth is how deep values are spread over lines; what lies deeper stands on one line.
const blockDepth = 32

// node is a JSON value as a node of a YAML document.
func node(raw json.RawMessage, depth int) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: string(raw)}
	if depth > blockDepth {
		n.Style = yaml.FlowStyle
	}
	switch raw[0] {
	case '{':
		n.Kind, n.Value = yaml.MappingNode, ""
		for _, m := range members(raw) {
			n.Content = append(n.Content, scalar(m.Key), node(m.Value, depth+1))
		}
	case '[':
		n.Kind, n.Value = yaml.SequenceNode, ""
		for _, element := range array(raw) {
			n.Content = append(n.Content, node(element, depth+1))
		}
	case '"':
		s, _ := snapshot.Text(raw)
		return scalar(s)
	}
	return n
}

// bareword is a text that no reader of YAML takes for anything else, unless it is one of the reserved words.
var bareword = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./(-][A-Za-z0-9_./(),'-]*)*$`)

// reserved are words that some version of YAML takes for a boolean or for nothing.
var reserved = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|nil|nan|inf)$`)

// scalar is a text as YAML shows it: quoted whenever it could be taken for something else, spread over lines when it
// has lines and all of it can be seen.
func scalar(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
	switch {
	case bareword.MatchString(s) && !reserved.MatchString(s):
		n.Style = 0
	case literal(s):
		n.Style = yaml.LiteralStyle
	}
	return n
}

// literal tells whether a text can stand line by line.
func literal(s string) bool {
	if !strings.Contains(s, "\n") || s[0] == ' ' || s[0] == '\n' || strings.Contains(s, " \n") {
		return false
	}
	for _, r := range s {
		if r != '\n' && (hidden(r) || r > 0xffff) {
			return false
		}
	}
	return !strings.HasSuffix(s, " ")
}

// escapeHidden writes what cannot be seen as escapes. Such characters stand in double quotes, since literal and bareword
// let none of them pass.
func escapeHidden(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for _, r := range string(doc) {
		switch {
		case r == '\n' || !hidden(r):
			out = append(out, string(r)...)
		case r > 0xffff:
			out = fmt.Appendf(out, `\U%08X`, r)
		default:
			out = fmt.Appendf(out, `\u%04X`, r)
		}
	}
	return out
}
