package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeItem writes an item for a person: its signature, its texts, its arguments and what it returns. Members
// that have no place here are written with Raw.
func writeItem(p *page, k snapshot.Kind, raw json.RawMessage) {
	item := rawjson.ObjectOf(raw)
	p.print(line{indent: 2, columns: signatureColumns, cells: signatureCells(k, raw)})
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
		writeRemaining(p, k, raw)
		p.line(4, span{"raw", dim})
		writeIndented(p, 6, raw, dim) // not wrapped, so that it can be copied
	}
}

// writeRemaining writes the members that have no place of their own.
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

// writeParameters writes what an item takes or gives: name, type, whether it is required, default and
// description.
func writeParameters(p *page, title string, all []parameter) {
	if len(all) == 0 {
		return
	}
	p.gap()
	all = requiredFirst(all)
	if p.Width > 0 && p.Width < narrow {
		p.line(4, span{title, dim})
		for _, one := range all {
			writeStacked(p, one)
		}
		return
	}
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

func writeStacked(p *page, one parameter) {
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
