package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeJSON writes servers, findings and groups one by one: all of them together may be larger than what is known of them.
func writeJSON(w io.Writer, r *Report, _ Options) error {
	if err := cmp.Or(encodable(r.Servers), encodable(r.Findings), encodable(r.Groups)); err != nil {
		return err
	}
	outline := *r
	outline.Servers, outline.Findings, outline.Groups = stub(r.Servers), stub(r.Findings), stub(r.Groups)
	raw, err := rawjson.Encode(outline)
	if err != nil {
		return err
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return err
	}
	out := &indented{Writer: bufio.NewWriter(w)}
	for i, m := range members {
		out.between(i, "{", "\n  "+string(rawjson.Quote(m.Key))+": ")
		switch m.Key {
		case "servers":
			list(out, r.Servers, func(s Server) any { return s })
		case "findings":
			list(out, r.Findings, func(f finding.Finding) any { return judgedAs(f) })
		case "groups":
			list(out, r.Groups, func(g finding.Group) any { return g })
		default:
			out.value(m.Value, 1)
		}
	}
	_, _ = out.WriteString("\n}\n") // Flush tells what went wrong
	return out.Flush()
}

// encodable tells what is no JSON before the first byte is written: half a document is worse than none.
func encodable[E any](all []E) (err error) {
	for out := json.NewEncoder(io.Discard); err == nil && len(all) > 0; all = all[1:] {
		err = out.Encode(all[0])
	}
	return err
}

// stub is a list that is there, or is empty, as the other one is. It holds nothing of it: what a finding says may be large.
func stub[S ~[]E, E any](all S) S { return append(all[:0:0], make(S, min(1, len(all)))...) }

// indented writes JSON over several lines.
type indented struct {
	*bufio.Writer
	line []byte // room for one
}

// between writes what stands before the value at an index: opening or a comma, and then always the same.
func (out *indented) between(i int, opening, always string) {
	if i > 0 {
		opening = ","
	}
	_, _ = out.WriteString(opening + always)
}

// value writes compact JSON that lies at a depth.
func (out *indented) value(raw json.RawMessage, depth int) {
	out.line = printable.AppendIndented(out.line[:0], raw, depth)
	_, _ = out.Write(out.line)
}

// list writes elements of a member of the report.
func list[E any](out *indented, all []E, as func(E) any) {
	for i, one := range all {
		raw, _ := rawjson.Encode(as(one)) // which was tried before
		out.between(i, "[", "\n    ")
		out.value(raw, 2)
	}
	end := "\n  ]"
	if len(all) == 0 {
		end = "[]"
	}
	_, _ = out.WriteString(end)
}

func writeIndentedJSON(w io.Writer, v any) error {
	raw, err := rawjson.Encode(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(printable.AppendIndented(nil, raw, 0), '\n'))
	return err
}

// MarshalJSON gives every finding its fingerprint.
func (all Findings) MarshalJSON() ([]byte, error) {
	list := []judged{}
	for _, f := range all {
		list = append(list, judgedAs(f))
	}
	return rawjson.Encode(list)
}

func judgedAs(f finding.Finding) judged {
	return judged{f, f.Fingerprint(), concealed(f.Old, f.New)}
}

// concealed are the passages that other formats mark in the texts of a new value, with what they are, and those of the old one left out.
func concealed(old, new json.RawMessage) []string {
	after := marks(new)
	if len(after) == 0 {
		return nil
	}
	var found []string
	before := lists.Set(marks(old))
	for _, passage := range after {
		if !before[passage] {
			found = appendNew(found, passage)
		}
	}
	return found
}

// marks are the lines of all texts in a value from a mark on.
func marks(raw json.RawMessage) []string {
	var found []string
	dec := json.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := dec.Token()
		if err != nil {
			return found // the end, or what was not JSON
		}
		text, _ := token.(string)
		for _, rest := range strings.Split(wording.Marked(text), wording.Sign)[1:] {
			what, passage, _ := strings.Cut(rest, "\n")
			switch comment, _, whole := strings.Cut(rest, "-->"); {
			case strings.HasSuffix(what, wording.BlankLines):
				passage, _, _ = strings.Cut(passage, "\n")
				what += " " + passage
			case whole && strings.HasPrefix(what, "hidden comment"):
				what = comment + "-->"
			}
			found = append(found, strings.TrimSpace(what))
		}
	}
}

// writeYAML writes the object that writeJSON writes, with its keys in the same order and its numbers as they stand.
func writeYAML(w io.Writer, r *Report, _ Options) error {
	raw, err := rawjson.Encode(r)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	root, err := nodes(dec, 0)
	if err != nil {
		return fmt.Errorf("reading the report back: %w", err)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return fmt.Errorf("encoding yaml: %w", err)
	}
	_, err = w.Write(escapeHidden(b.Bytes()))
	return err
}

// blockDepth is how deep values are spread over lines; what lies deeper stands on one line.
const blockDepth = 32

// nodes reads the next JSON value as a node of a YAML document. It reads each byte once, however deep the value is.
func nodes(dec *json.Decoder, depth int) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch value := token.(type) {
	case json.Delim:
		return collection(dec, value, depth)
	case string:
		return scalar(value), nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(token)}, nil
}

// collection reads the rest of an object or array. A node takes keys and values in turn, as the decoder gives them.
func collection(dec *json.Decoder, open json.Delim, depth int) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	if open == '[' {
		n.Kind = yaml.SequenceNode
	}
	if depth > blockDepth {
		n.Style = yaml.FlowStyle
	}
	for dec.More() {
		child, err := nodes(dec, depth+1)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, child)
	}
	_, err := dec.Token()
	return n, err
}

// bareword is a text that no reader of YAML takes for anything else, unless it is one of the reserved words.
var bareword = match.Pattern(`^[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./(-][A-Za-z0-9_./(),'-]*)*$`)

// reserved are words that some version of YAML takes for a boolean or for nothing.
var reserved = match.Pattern(`(?i)^(y|n|yes|no|on|off|true|false|null|nil|nan|inf)$`)

// scalar is a text as YAML shows it: quoted whenever it could be taken for something else, spread over lines when it
// has lines and all of it can be seen.
func scalar(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
	switch {
	case bareword().MatchString(s) && !reserved().MatchString(s):
		n.Style = 0
	case literal(s):
		n.Style = yaml.LiteralStyle
	}
	return n
}

func literal(s string) bool {
	if !strings.Contains(s, "\n") || s[0] == ' ' || s[0] == '\n' || strings.Contains(s, " \n") {
		return false
	}
	for _, r := range s {
		if r != '\n' && (printable.Hidden(r) || r > 0xffff) {
			return false
		}
	}
	if printable.SpelledOut.Without(s) != s {
		return false
	}
	return !strings.HasSuffix(s, " ")
}

// escapeHidden writes what cannot be seen as escapes; such characters stand in double quotes alone.
func escapeHidden(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for _, r := range string(doc) {
		switch {
		case r == '\n' || !printable.Hidden(r):
			out = append(out, string(r)...)
		case r > 0xffff:
			out = fmt.Appendf(out, `\U%08X`, r)
		default:
			out = fmt.Appendf(out, `\u%04X`, r)
		}
	}
	return out
}

// Fail adds a failure: the first is Error, those after it MoreErrors.
func (s *Server) Fail(f Failure) {
	if s.Error == nil {
		s.Error = &f
	} else {
		s.MoreErrors = append(s.MoreErrors, f)
	}
}

// Parse reads a report as the JSON format has it.
func Parse(data []byte) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%w: a report is what --format json writes", err)
	}
	switch {
	case r.Mcpctl > Version:
		return nil, fmt.Errorf("the report has version %d, and this mcpctl knows %d: install a newer one", r.Mcpctl, Version)
	case r.Mcpctl != Version || r.Command == "":
		return nil, errors.New("it is no report of mcpctl, which --format json writes")
	}
	return r, nil
}

// slot is where a report has what it says of a kind; nil where the format has no members for it.
type slot struct {
	items func(*Server) *Items
	count func(*Counts) **int
}

var slots = map[snapshot.Kind]slot{
	snapshot.Tools:     {func(s *Server) *Items { return &s.Tools }, func(c *Counts) **int { return &c.Tools }},
	snapshot.Prompts:   {func(s *Server) *Items { return &s.Prompts }, func(c *Counts) **int { return &c.Prompts }},
	snapshot.Resources: {func(s *Server) *Items { return &s.Resources }, func(c *Counts) **int { return &c.Resources }},
	snapshot.Templates: {func(s *Server) *Items { return &s.ResourceTemplates }, func(c *Counts) **int { return &c.ResourceTemplates }},
	snapshot.Skills:    {func(s *Server) *Items { return &s.Skills }, func(c *Counts) **int { return &c.Skills }},
}

// Items are where the items of a kind stand, as far as they came with s; nil = not shown or not offered.
func (s *Server) Items(k snapshot.Kind) *Items {
	if slot, known := slots[k]; known {
		return slot.items(s)
	}
	return nil
}

// Count is how many items of a kind there are; nil = not offered or not known.
func (s *Server) Count(k snapshot.Kind) *int {
	if s.Counts == nil {
		return nil
	}
	if slot, known := slots[k]; known {
		return *slot.count(s.Counts)
	}
	return nil
}
