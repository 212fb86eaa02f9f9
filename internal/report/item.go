package report

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeItem writes an item for a person: its signature, its texts, its arguments and what it returns; whole
// adds its JSON.
func writeItem(p *page, indent int, s server, k snapshot.Kind, raw json.RawMessage, whole bool) {
	item, inner := rawjson.ObjectOf(raw), indent+2
	note := func(label, says string) {
		if says != "" {
			p.text(inner, 2, span{label + "  ", dim}, span{says, plain})
		}
	}
	p.write(indent, p.signatures(indent, s, k, seen.Items{raw})[0])
	if title := (snapshot.Item{Raw: raw}).Title(); title != key(k, raw) {
		p.text(inner, 0, span{title, dim})
	}
	p.paragraph(inner, (snapshot.Item{Raw: raw}).Description(), plain)
	writeParameters(p, inner, "ARGUMENT", argumentRows(k, raw))
	result := schemaRows(resultsOf(raw), item["outputSchema"])
	if slices.ContainsFunc(result, isDetailed) {
		writeParameters(p, inner, "RESULT", result)
	} else if len(result) > 0 {
		p.gap()
		note("RESULT  ", joinParameters(result, shapeDepth, len(result)))
	}
	if k == snapshot.Tools || k == snapshot.Prompts && item["arguments"] != nil {
		p.gap()
	}
	for _, f := range itemFacts(k, raw) {
		note(f.label, f.says)
	}
	if whole {
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
	columns := []column{{title: title, name: true}, {title: "TYPE", least: 10}, {title: "REQUIRED"},
		{title: "DEFAULT"}, {title: "DESCRIPTION", least: 16}}
	rows := kit.Map(all, parameterRow)
	names := slices.Max(kit.Map(all, func(p parameter) int { return width(printable.Visible(p.Name)) }))
	if room := p.room(indent); room > 0 && room < min(names, longWord)+besideNames {
		columns = slices.Delete(columns, 2, 4)
		rows = kit.Map(all, narrowRow)
	}
	for len(rows) > 0 {
		// a table with a long cell, which pads all of its column, has no other rows
		end := slices.IndexFunc(rows, longCells)
		switch end {
		case 0:
			end = 1
		case -1:
			end = len(rows)
		}
		p.grid(indent, columns, rows[:end])
		rows = rows[end:]
	}
}

// longCells reports whether a cell beside the description is much longer than those that people write.
func longCells(row []span) bool {
	return slices.ContainsFunc(row[:len(row)-1], func(s span) bool { return len(s.text) > 2*longestWay })
}

// besideNames is how many columns a table of parameters takes besides their names at least.
const besideNames = 60

// narrowRow returns the cells of an argument for a narrow page, where the type has all but the description.
func narrowRow(p parameter) []span {
	row := parameterRow(p)
	kind := row[1].text
	if row[2].text != "" {
		kind += ", required"
	}
	if row[3].text != "" {
		kind += ", default " + row[3].text
	}
	return []span{row[0], {kind, plain}, row[4]}
}

// isDetailed reports whether a parameter says more than its name and shape.
func isDetailed(p parameter) bool {
	return hasDetails(p) || strings.ContainsAny(p.Name, ".[( ")
}

// argumentRows returns a row for each argument of an item, and for each schema inside it.
func argumentRows(k snapshot.Kind, raw json.RawMessage) []parameter {
	all := seen.Arguments(k, raw)
	if k != snapshot.Tools {
		return schemaRows(all, nil)
	}
	return schemaRows(all, rawjson.ObjectOf(raw)["inputSchema"])
}

func descriptionOf(p parameter) string {
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
		{typeOf(p), plain},
		{needed, plain},
		{printable.Spaced(rawjson.ObjectOf(p.Schema)["default"]), plain},
		{descriptionOf(p), plain},
	}
}
