package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// part is a member of a report, or one element of a list that is one.
type part struct {
	key   string
	at    int // which element it is; -1 = a whole member
	last  bool
	value any
	raw   json.RawMessage // the value encoded; nil = when it is written
}

// mostHeld is how much of a report is held encoded, in bytes.
const mostHeld = 16 << 20

// partsOf are the members of a report, with servers, findings and groups one by one: all of them together may be larger than what is
// known of them. What is no JSON is told before the first byte is written, since half a document is worse than none.
func partsOf(r *Report) ([]part, error) {
	outline := *r
	outline.Servers, outline.Findings, outline.Groups = stub(r.Servers), stub(r.Findings), stub(r.Groups)
	raw, err := rawjson.Encode(outline)
	if err != nil {
		return nil, err
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, m := range members {
		elements := elementsOf(r, m.Key)
		if len(elements) == 0 {
			elements = []part{{at: -1, raw: m.Value}}
		}
		for _, p := range elements {
			p.key = m.Key
			parts = append(parts, p)
		}
	}
	return parts, hold(parts)
}

func elementsOf(r *Report, key string) []part {
	switch key {
	case "servers":
		return elements(r.Servers)
	case "findings":
		return elements(r.Findings)
	case "groups":
		return elements(r.Groups)
	}
	return nil
}

func elements[E any](all []E) []part {
	parts := make([]part, len(all))
	for i := range all {
		parts[i] = part{at: i, last: i == len(all)-1, value: &all[i]}
	}
	return parts
}

// hold encodes every part, and keeps as many as there is room for: those are encoded once.
func hold(parts []part) error {
	held := 0
	for i := range parts {
		raw, err := parts[i].encoded()
		if err != nil {
			return err
		}
		if held += len(raw); held <= mostHeld {
			parts[i].raw = raw
		}
	}
	return nil
}

func (p part) encoded() (json.RawMessage, error) {
	if p.raw != nil {
		return p.raw, nil
	}
	if f, judges := p.value.(*finding.Finding); judges {
		return rawjson.Encode(judgedAs(*f))
	}
	return rawjson.Encode(p.value)
}

// stub is a list that is there, or is empty, as the other one is. It holds nothing of it: what a finding says may be large.
func stub[S ~[]E, E any](all S) S { return append(all[:0:0], make(S, min(1, len(all)))...) }

func writeJSON(w io.Writer, r *Report, _ Options) error {
	parts, err := partsOf(r)
	if err != nil {
		return err
	}
	out, line, opening := bufio.NewWriter(w), []byte(nil), "{"
	for _, p := range parts {
		line = line[:0]
		if p.at <= 0 {
			line = append(append(append(line, opening+"\n  "...), rawjson.Quote(p.key)...), ": "...)
		}
		opening = ","
		raw, _ := p.encoded() // which was tried
		switch {
		case p.at < 0:
			line = printable.AppendIndented(line, raw, 1)
		case p.at == 0:
			line = printable.AppendIndented(append(line, "[\n    "...), raw, 2)
		default:
			line = printable.AppendIndented(append(line, ",\n    "...), raw, 2)
		}
		if p.last {
			line = append(line, "\n  ]"...)
		}
		_, _ = out.Write(line)
	}
	_, _ = out.WriteString("\n}\n") // Flush tells what went wrong
	return out.Flush()
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
