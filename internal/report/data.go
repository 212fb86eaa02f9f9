package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
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

// memberOrder is that of the members of the JSON form.
var memberOrder = []string{"mcpctl", "command", "status", "verdict", "servers", "findings", "groups",
	"failOn", "rules", "files", "problems", "summary", "shard"}

// encoded returns the members of a report in their order. Servers and findings are encoded one by one, so
// that no encoder holds those of a fleet together. An error comes before anything is written: half a
// document is worse than none.
func encoded(r *reported) ([]member, error) {
	servers, err := r.Body.encoded()
	if err != nil {
		return nil, err
	}
	found, err := encodeEach(r.Findings, func(f *finding.Finding) any { return seen.WithFingerprint(*f) })
	if err != nil {
		return nil, err
	}
	members := []member{{key: "servers", value: noElements, elements: servers}}
	if r.Findings != nil {
		members = append(members, member{key: "findings", value: noElements, elements: found})
	}
	for _, part := range []any{struct {
		Mcpctl  int             `json:"mcpctl"` // version of this form
		Command string          `json:"command"`
		Status  int             `json:"status"`
		Verdict exit.Verdict    `json:"verdict"`
		Groups  []finding.Group `json:"groups,omitempty"`
		// what is wrong but belongs to no server
		Problems []string     `json:"problems,omitempty"`
		Summary  seen.Summary `json:"summary"`
		Shard    *seen.Shard  `json:"shard,omitempty"`
	}{seen.FormVersion, r.Command, r.Status, r.Verdict, r.Groups, r.Problems, r.Summary, r.Shard}, r.Body} {
		raw, err := rawjson.Encode(part)
		if err != nil {
			return nil, err
		}
		all, err := rawjson.Members(raw)
		if err != nil {
			return nil, err
		}
		members = append(members, kit.Map(all,
			func(m rawjson.Member) member { return member{key: m.Key, value: m.Value} })...)
	}
	slices.SortStableFunc(members, func(a, b member) int {
		return slices.Index(memberOrder, a.key) - slices.Index(memberOrder, b.key)
	})
	return members, nil
}

// noElements is a list without elements.
var noElements = json.RawMessage("[]")

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

// writeJSON writes the report as indented JSON. Servers and findings are indented one by one, so that no
// indented copy of a large report is held in memory.
func writeJSON(w io.Writer, r *reported, _ Options) error {
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

// Parse reads a report as the JSON format has it. bodyOf returns an empty body for a command, nil for one
// that it does not know.
func Parse(data []byte, bodyOf func(command string) Body) (*Report, error) {
	version, r, err := decode(data, bodyOf)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: a report is what --format json writes", err)
	case version > seen.FormVersion:
		return nil, fmt.Errorf("the report has version %d, and this mcpctl knows %d: install a newer one",
			version, seen.FormVersion)
	case version != seen.FormVersion || r.Command == "":
		return nil, errors.New("not an mcpctl report, as --format json writes it")
	case r.Body == nil:
		return nil, fmt.Errorf("the report is of a command %q that this mcpctl does not know: "+
			"install a newer one", r.Command)
	}
	return r, nil
}

// decode returns the version of the form of a report and the report. Servers and findings, which may be many,
// are read once.
func decode(data []byte, bodyOf func(command string) Body) (version int, r *Report, err error) {
	var head struct {
		Mcpctl   int          `json:"mcpctl"`
		Command  string       `json:"command"`
		Status   int          `json:"status"`
		Verdict  exit.Verdict `json:"verdict"`
		Problems []string     `json:"problems"`
		Shard    *seen.Shard  `json:"shard"`
	}
	members, err := rawjson.Members(data)
	if err != nil {
		return 0, nil, fits("", json.Unmarshal(data, &head))
	}
	var lists [2]json.RawMessage
	members = slices.DeleteFunc(members, func(m rawjson.Member) bool {
		i := slices.Index([]string{"servers", "findings"}, m.Key)
		if i >= 0 {
			lists[i] = m.Value
		}
		return i >= 0
	})
	data = rawjson.Build(members...)
	if err := json.Unmarshal(data, &head); err != nil {
		return 0, nil, fits("", err)
	}
	r = &Report{Command: head.Command, Status: head.Status, Verdict: head.Verdict, Problems: head.Problems,
		Body: bodyOf(head.Command)}
	if r.Body == nil {
		return head.Mcpctl, r, nil
	}
	err = fits("", json.Unmarshal(data, r.Body))
	if b, is := r.Body.(interface{ found() *seen.Findings }); is && lists[1] != nil {
		err = cmp.Or(err, fits("findings", json.Unmarshal(lists[1], b.found())))
	}
	if b, is := r.Body.(interface{ sharded() *Sharded }); is {
		b.sharded().Shard = head.Shard
	}
	if lists[0] != nil {
		err = cmp.Or(err, fits("servers", r.Body.read(lists[0])))
	}
	return head.Mcpctl, r, err
}

// fits returns why a member of a report could not be read, without Go's names of types.
func fits(member string, err error) error {
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		field := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return errors.New(kit.Join(": ", kit.Join(" ", member, field), "unexpected "+wrong.Value))
	}
	return err
}
