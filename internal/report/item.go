package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/signature"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func writeItem(p *page, k snapshot.Kind, raw json.RawMessage) {
	item := rawjson.ObjectOf(raw)
	writeItemHead(p, k, raw)
	p.paragraph(4, (snapshot.Item{Raw: raw}).Description(), plain)
	writeParameters(p, "arguments", signature.Arguments(k, raw))
	if k == snapshot.Tools {
		writeParameters(p, "returns", signature.Properties(rawjson.ObjectOf(item["outputSchema"])))
	}
	switch k {
	case snapshot.Tools:
		writeNote(p, "hints", signature.Hints(raw))
		writeNote(p, "digest", (snapshot.Item{Raw: raw}).Digest())
	case snapshot.Templates:
		writeNote(p, "variables", strings.Join(signature.Variables(item.Text("uriTemplate")), ", "))
	}
	writeRemaining(p, k, raw)
	if p.Raw {
		p.line(4, span{"raw", dim})
		writeIndented(p, 6, raw, dim) // not wrapped, so that it can be copied
	}
}

func writeItemHead(p *page, k snapshot.Kind, raw json.RawMessage) {
	head := []span{{key(k, raw), bold}}
	if title := (snapshot.Item{Raw: raw}).Title(); title != key(k, raw) {
		head = append(head, span{"  " + title, dim})
	}
	p.text(2, 2, head...)
}

// writeRemaining writes the members that have no place of their own, so that nothing a server sends goes unseen.
func writeRemaining(p *page, k snapshot.Kind, raw json.RawMessage) {
	item := rawjson.ObjectOf(raw)
	shown := []string{k.KeyField(), "title", "description"}
	switch k {
	case snapshot.Tools:
		schema := []string{"$schema", "type", "properties", "required"}
		writeOthers(p, "input ", item["inputSchema"], schema)
		writeOthers(p, "output ", item["outputSchema"], schema)
		writeOthers(p, "", item["annotations"],
			[]string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
		shown = append(shown, "inputSchema", "outputSchema", "annotations")
	case snapshot.Prompts:
		shown = append(shown, "arguments")
	}
	if item.Text("name") == (snapshot.Item{Raw: raw}).Title() {
		shown = append(shown, "name")
	}
	writeOthers(p, "", raw, shown)
}

func writeOthers(p *page, prefix string, raw json.RawMessage, shown []string) {
	for _, m := range rawjson.Children(raw) {
		if slices.Contains(shown, m.Key) {
			continue
		}
		value, ok := rawjson.Text(m.Value)
		if !ok {
			value = printable.Spaced(m.Value)
		}
		writeNote(p, prefix+m.Key, short(embedded().ReplaceAllStringFunc(value, func(s string) string {
			head, data, _ := strings.Cut(s, ",")
			return fmt.Sprintf("%s,… (%d characters)", head, len(data))
		})))
	}
}

// embedded is a data URI long enough to be in the way, as icons have it.
var embedded = kit.Pattern(`data:[a-z/+.-]+;base64,[A-Za-z0-9+/=]{64,}`)

func writeNote(p *page, label, text string) {
	if text != "" {
		p.text(4, 2, span{label + "  ", dim}, span{text, plain})
	}
}

// narrow is the page width below which parameters stand one below the other instead of in a grid.
const narrow = 64

// writeParameters writes what an item takes or gives: name, type, whether it is required, default and description.
func writeParameters(p *page, label string, all []signature.Parameter) {
	if len(all) == 0 {
		return
	}
	all = signature.RequiredFirst(all)
	p.line(4, span{label, dim})
	if p.Width > 0 && p.Width < narrow {
		for _, one := range all {
			writeStacked(p, one)
		}
		return
	}
	g := grid{columns: []column{{title: "NAME", name: true, least: 10}, {title: "TYPE", least: 10},
		{title: "REQUIRED"}, {title: "DEFAULT"}, {title: "DESCRIPTION", least: 14}}}
	for _, one := range all {
		g.rows = append(g.rows, parameterRow(one))
	}
	p.grid(6, g)
}

func parameterRow(p signature.Parameter) []span {
	needed := span{"no", dim}
	if p.Required {
		needed = span{"yes", plain}
	}
	return []span{
		{p.Name, bold},
		{p.Type(), plain},
		needed,
		{printable.Spaced(rawjson.ObjectOf(p.Schema)["default"]), plain},
		{oneLine(rawjson.ObjectOf(p.Schema).Text("description")), plain},
	}
}

func writeStacked(p *page, one signature.Parameter) {
	row := parameterRow(one)
	facts := row[1].text
	if one.Required {
		facts += ", required"
	}
	if row[3].text != "" {
		facts += ", default " + row[3].text
	}
	p.text(6, 2, row[0], span{"  " + facts, plain})
	if row[4].text != "" {
		p.text(8, 0, row[4])
	}
}
