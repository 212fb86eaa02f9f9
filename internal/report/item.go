package report

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeItem writes an item for a person: its signature, its texts, its arguments and what it returns.
func writeItem(p *page, k snapshot.Kind, raw json.RawMessage) {
	item := rawjson.ObjectOf(raw)
	p.write(2, p.signatures(k, Items{raw})[0])
	if title := (snapshot.Item{Raw: raw}).Title(); title != key(k, raw) {
		p.text(4, 0, span{title, dim})
	}
	p.paragraph(4, (snapshot.Item{Raw: raw}).Description(), plain)
	writeParameters(p, "ARGUMENT", argumentsOf(k, raw))
	switch k {
	case snapshot.Tools:
		writeParameters(p, "RESULT", propertiesOf(rawjson.ObjectOf(item["outputSchema"])))
		p.gap()
		writeNote(p, "hints", ToolHints(raw))
	case snapshot.Templates:
		writeNote(p, "variables", strings.Join(templateVariables(item.Text("uriTemplate")), ", "))
	}
	writeNote(p, "MIME type", item.Text("mimeType"))
	if p.Raw {
		p.line(4, span{"raw", dim})
		writeIndented(p, 6, raw, dim) // not wrapped, so that it can be copied
	}
}

func writeNote(p *page, label, text string) {
	if text != "" {
		p.text(4, 2, span{label + "  ", dim}, span{text, plain})
	}
}

// writeParameters writes what an item takes or gives: name, type, whether it is required, default and
// description.
func writeParameters(p *page, title string, all []parameter) {
	if len(all) == 0 {
		return
	}
	p.gap()
	all = requiredFirst(all)
	p.grid(4, []column{{title: title, name: true}, {title: "TYPE", least: 10}, {title: "REQUIRED", drop: 2},
		{title: "DEFAULT", drop: 1}, {title: "DESCRIPTION", least: 20}}, kit.Map(all, parameterRow))
}

func parameterRow(p parameter) []span {
	needed := ""
	if p.Required {
		needed = "yes"
	}
	return []span{
		{p.Name, bold},
		{p.Type(), plain},
		{needed, plain},
		{printable.Spaced(rawjson.ObjectOf(p.Schema)["default"]), plain},
		{oneLine(rawjson.ObjectOf(p.Schema).Text("description")), plain},
	}
}
