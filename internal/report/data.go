package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// member is a member of the JSON form of a report, encoded: one value, or the elements of a list.
type member struct {
	key      string
	value    json.RawMessage
	elements []json.RawMessage // of a list of servers or findings
}

// encoded returns the members of a report in their order. Servers and findings are encoded one by one, so
// that no encoder holds those of a fleet together. An error comes before anything is written: half a
// document is worse than none.
func encoded(r *Report) ([]member, error) {
	outline := *r
	outline.Servers, outline.Findings = stub(r.Servers), stub(r.Findings)
	raw, err := rawjson.Encode(outline)
	if err != nil {
		return nil, err
	}
	all, err := rawjson.Members(raw)
	if err != nil {
		return nil, err
	}
	members := kit.Map(all, func(m rawjson.Member) member { return member{key: m.Key, value: m.Value} })
	for i := range members {
		switch m := &members[i]; m.key {
		case "servers":
			m.elements, err = encodeEach(r.Servers, r.Kind.reported)
		case "findings":
			m.elements, err = encodeEach(r.Findings,
				func(f *finding.Finding) any { return seen.WithFingerprint(*f) })
		}
		if err != nil {
			return nil, err
		}
	}
	return members, nil
}

// encodeEach returns the JSON of each value separately, so that a writer can indent them one by one; nil when
// there are none.
func encodeEach[E any](all []E, value func(*E) any) (elements []json.RawMessage, err error) {
	for i := range all {
		raw, err := rawjson.Encode(value(&all[i]))
		if err != nil {
			return nil, err
		}
		elements = append(elements, raw)
	}
	return elements, nil
}

// stub returns a list that is absent, empty or not, as all is, without its elements.
func stub[S ~[]E, E any](all S) S { return append(all[:0:0], make(S, min(1, len(all)))...) }

// writeJSON writes the report as indented JSON. Servers and findings are indented one by one, so that no
// indented copy of a large report is held in memory.
func writeJSON(w io.Writer, r *Report, _ Options) error {
	members, err := encoded(r)
	if err != nil {
		return err
	}
	out, opening := bufio.NewWriter(w), "{"
	for _, m := range members {
		_, _ = fmt.Fprintf(out, "%s\n  %s: ", opening, rawjson.Quote(m.key))
		if opening = ","; m.elements == nil {
			printable.WriteIndented(out, m.value, 1)
			continue
		}
		for i, raw := range m.elements {
			_, _ = fmt.Fprintf(out, "%c\n    ", ",["[count(i == 0)])
			printable.WriteIndented(out, raw, 2)
		}
		_, _ = out.WriteString("\n  ]")
	}
	_, _ = out.WriteString("\n}\n") // Flush returns the first error
	return out.Flush()
}

// writeIndentedJSON writes v as indented JSON with a newline at the end.
func writeIndentedJSON(w io.Writer, v any) error {
	raw, err := rawjson.Encode(v)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	printable.WriteIndented(out, raw, 0)
	_ = out.WriteByte('\n') // Flush returns the first error
	return out.Flush()
}

// Parse reads a report as the JSON format has it. kindOf returns the kind of the document of a command.
func Parse(data []byte, kindOf func(command string) Kind) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%w: a report is what --format json writes", err)
	}
	switch {
	case r.Mcpctl > seen.FormVersion:
		return nil, fmt.Errorf("the report has version %d, and this mcpctl knows %d: install a newer one",
			r.Mcpctl, seen.FormVersion)
	case r.Mcpctl != seen.FormVersion || r.Command == "":
		return nil, errors.New("not an mcpctl report, as --format json writes it")
	}
	r.Kind = kindOf(r.Command)
	return r, nil
}
