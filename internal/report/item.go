package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// item writes everything about one item.
func (p *page) item(k snapshot.Kind, raw json.RawMessage) error {
	item := parse(raw)
	p.itemHead(k, raw)
	p.paragraph(4, item.text("description"), noInk)
	takes, gives := itemParameters(k, item)
	if err := p.parameters("arguments", takes); err != nil {
		return err
	}
	if err := p.parameters("returns", gives); err != nil {
		return err
	}
	switch k {
	case snapshot.Tools:
		p.note("hints", visible(hints(parse(item["annotations"]))))
	case snapshot.Templates:
		p.note("variables", visible(strings.Join(variables(item.text("uriTemplate")), ", ")))
	}
	p.remaining(k, raw)
	if p.Raw {
		p.raw(raw)
	}
	return nil
}

func (p *page) itemHead(k snapshot.Kind, raw json.RawMessage) {
	head := []span{{visible(key(k, raw)), bold}}
	if title := (snapshot.Item{Raw: raw}).Title(); title != key(k, raw) {
		head = append(head, span{"  " + visible(title), dim})
	}
	p.text(2, 2, head...)
}

// itemParameters are what an item takes and, for a tool with an output schema, what it gives.
func itemParameters(k snapshot.Kind, item object) (takes, gives []parameter) {
	switch k {
	case snapshot.Tools:
		return parameters(parse(item["inputSchema"])), parameters(parse(item["outputSchema"]))
	case snapshot.Prompts:
		return promptParameters(item["arguments"]), nil
	}
	return nil, nil
}

// hints are the effective annotations of a tool: those it sends, and the specification's defaults for the others.
func hints(annotations object) string {
	all, sent := []string{}, false
	readOnly, _ := annotations.truth("readOnlyHint")
	for _, h := range []struct {
		name, says string
		otherwise  bool
		moot       bool // has no meaning for a tool that only reads
	}{
		{"readOnlyHint", "read-only", false, false}, {"destructiveHint", "destructive", true, readOnly},
		{"idempotentHint", "idempotent", false, readOnly}, {"openWorldHint", "open world", true, false},
	} {
		value, known := annotations.truth(h.name)
		switch {
		case known:
			all, sent = append(all, h.says+" "+yesNo(value)), true
		case !h.moot:
			all = append(all, h.says+" "+yesNo(h.otherwise)+" (default)")
		}
	}
	if !sent {
		return strings.ReplaceAll(strings.Join(all, ", "), " (default)", "") + " (all by default)"
	}
	return strings.Join(all, ", ")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// remaining writes the members that have no place of their own, so that nothing a server sends goes unseen.
func (p *page) remaining(k snapshot.Kind, raw json.RawMessage) {
	item := parse(raw)
	shown := []string{k.KeyField(), "title", "description"}
	switch k {
	case snapshot.Tools:
		schema := []string{"$schema", "type", "properties", "required"}
		p.others("input ", item["inputSchema"], schema)
		p.others("output ", item["outputSchema"], schema)
		p.others("", item["annotations"],
			[]string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
		shown = append(shown, "inputSchema", "outputSchema", "annotations")
	case snapshot.Prompts:
		shown = append(shown, "arguments")
	}
	if item.text("name") == (snapshot.Item{Raw: raw}).Title() {
		shown = append(shown, "name")
	}
	p.others("", raw, shown)
}

// others writes the members of an object that are not shown elsewhere.
func (p *page) others(prefix safe, raw json.RawMessage, shown []string) {
	for _, m := range members(raw) {
		if slices.Contains(shown, m.Key) {
			continue
		}
		value, ok := rawjson.Text(m.Value)
		if !ok {
			value = compact(m.Value)
		}
		p.note(prefix+visible(m.Key), short(embedded.ReplaceAllStringFunc(value, func(s string) string {
			head, data, _ := strings.Cut(s, ",")
			return fmt.Sprintf("%s,… (%d characters)", head, len(data))
		})))
	}
}

// embedded is a data URI long enough to be in the way, as icons have it.
var embedded = regexp.MustCompile(`data:[a-z/+.-]+;base64,[A-Za-z0-9+/=]{64,}`)

// note writes one labelled line of an item.
func (p *page) note(label, text safe) {
	if text != "" {
		p.text(4, 2, span{label + "  ", dim}, span{text, noInk})
	}
}

// raw writes an item as JSON, exactly as the server sent it but for white space. Lines are not wrapped, so
// that they can be copied.
func (p *page) raw(raw json.RawMessage) {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return
	}
	p.line(4, span{"raw", dim})
	for line := range strings.SplitSeq(string(layout{indent: "  "}.append(nil, b.Bytes())), "\n") {
		p.line(6, span{visible(line), dim})
	}
}
