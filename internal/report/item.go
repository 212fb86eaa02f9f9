package report

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeItem writes an item for a person: its signature, its texts, its arguments and what it returns.
func writeItem(p *page, indent int, k snapshot.Kind, raw json.RawMessage) {
	item, inner := rawjson.ObjectOf(raw), indent+2
	note := func(label, says string) {
		if says != "" {
			p.text(inner, 2, span{label + "  ", dim}, span{says, plain})
		}
	}
	p.write(indent, p.signatures(indent, k, Items{raw})[0])
	if title := (snapshot.Item{Raw: raw}).Title(); title != key(k, raw) {
		p.text(inner, 0, span{title, dim})
	}
	p.paragraph(inner, (snapshot.Item{Raw: raw}).Description(), plain)
	writeParameters(p, inner, "ARGUMENT", argumentsOf(k, raw))
	if k == snapshot.Tools {
		result := requiredFirst(resultsOf(raw))
		if slices.ContainsFunc(result, func(r parameter) bool { return r.description() != "" }) {
			writeParameters(p, inner, "RESULT", result)
		} else if len(result) > 0 {
			p.gap()
			note("RESULT  ", joinParameters(result, shapeDepth, len(result)))
		}
		p.gap()
		note("hints", ToolHints(raw))
	}
	note("MIME type", item.Text("mimeType"))
	if p.Raw {
		p.line(inner, span{"raw", dim})
		for line := range strings.SplitSeq(printable.Indented(raw), "\n") {
			p.line(inner+2, span{line, dim}) // not wrapped, so that it can be copied
		}
	}
}

// writeParameters writes what an item takes or gives: name, type, whether it is required, default and
// description.
func writeParameters(p *page, indent int, title string, all []parameter) {
	if len(all) == 0 {
		return
	}
	p.gap()
	p.grid(indent, []column{{title: title, name: true}, {title: "TYPE", least: 10},
		{title: "REQUIRED", drop: 2}, {title: "DEFAULT", drop: 1}, {title: "DESCRIPTION", least: 20}},
		kit.Map(requiredFirst(all), parameterRow))
}

func (p parameter) description() string {
	return oneLine(rawjson.ObjectOf(p.Schema).Text("description"))
}

// parameterRow returns the cells of an argument; a default is shown as JSON.
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
		{p.description(), plain},
	}
}
